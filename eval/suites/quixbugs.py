"""QuixBugs: small programs with a fault in one line, each with its description; the task is to mend them.

Generators count by what they yield, as in the published tests; visible are the literal examples of the descriptions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites.assertions import checks_of, function_in, shown_in_text, signature
from auditcoder.eval.suites.data import Row, data_folder, field, pack_files, picked, read_rows
from auditcoder.eval.suites.repair import repair_statement
from auditcoder.records.task import EntryPoint, Task

NAME = "quixbugs"
FILES = "quixbugs*.jsonl"
DEFECTIVE: dict[str, str] = {}
SEVERAL_ANSWERS = frozenset({"find_in_sorted", "powerset"})
"""The description accepts other results than its example's, so that the example is not taken as a check."""


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these names in their order, or all of the pack.

    Raises:
        TaskError: the data is absent or malformed, or a name is not there.
    """
    folder = data_folder(data_dir) / NAME
    return tuple(_task(name, row, folder) for name, row in picked(rows(folder), ids, folder))


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by name. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {field(row, "name", str, path): row for path in pack_files(folder, FILES) for row in read_rows(path)}


def _task(name: str, row: Row, folder: Path) -> Task:
    faulty = field(row, "buggy", str, folder)
    description, code = parted(faulty)
    function = function_in(code, name)
    generator = function is not None and yields(function)
    shown = [] if generator or name in SEVERAL_ANSWERS else shown_in_text(description, name)
    return Task(
        id=f"{NAME}-{name}",
        statement=repair_statement(name, description, code),
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, shown)),
        examples=checks_of(shown),
    )


def parted(source: str) -> tuple[str, str]:
    """Return the description in the text at the end of a program, and the program without it."""
    try:
        nodes = ast.parse(source).body
    except SyntaxError:
        return "", source
    docs = [node for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    if not docs or not isinstance(docs[-1].value, ast.Constant) or not isinstance(docs[-1].value.value, str):
        return "", source
    last = docs[-1]
    lines = source.splitlines(keepends=True)
    return docs[-1].value.value, "".join((*lines[: last.lineno - 1], *lines[last.end_lineno :]))


def yields(function: ast.FunctionDef) -> bool:
    """Return whether a function is a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
