"""HumanEvalFix: a faulty function and its description; the task is to write it again without the fault."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites.assertions import Shown, before, checks_of, function_in, shown_in, signature
from auditcoder.eval.suites.data import Row, data_folder, field, pack_files, picked, read_rows
from auditcoder.eval.suites.repair import repair_statement
from auditcoder.records.task import EntryPoint, Task

NAME = "humanevalfix"
FILES = "humanevalpack_python*.jsonl"
DEFECTIVE: dict[str, str] = {}


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these numbers in their order, or all of the pack; visible are the docstring's examples.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    folder = data_folder(data_dir) / NAME
    return tuple(_task(number, row, folder) for number, row in picked(rows(folder), ids, folder))


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by number. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    found = {}
    for path in pack_files(folder, FILES):
        for row in read_rows(path):
            found[field(row, "task_id", str, path).rpartition("/")[2]] = row
    return found


def _task(number: str, row: Row, folder: Path) -> Task:
    name, declaration = field(row, "entry_point", str, folder), field(row, "declaration", str, folder)
    faulty = declaration + field(row, "buggy_solution", str, folder)
    function = function_in(faulty, name)
    shown = visible(field(row, "example_test", str, folder), name)
    return Task(
        id=f"{NAME}-{number}",
        statement=repair_statement(name, field(row, "docstring", str, folder), faulty),
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, shown)),
        examples=checks_of(shown),
        prelude=before(faulty, function) if function else "",
    )


def visible(example_test: str, name: str) -> list[Shown]:
    """Return the literal assertions of a test function whose parameter bears the function's own name."""
    function = function_in(example_test, "check")
    body = function.body if function else []
    return [shown for node in body if (shown := shown_in(node, name))]
