"""The recorded programs of the pack `llm-programs`, each with its task's entry and tests. Evaluation only.

The pack's own notes are honoured: HumanEval and MBPP programs get the header that their authors ran them with, APPS
programs are read as standard-input programs, and known faulty tasks are marked.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from auditcoder.errors import TaskError
from auditcoder.eval.hidden import apps_hidden
from auditcoder.eval.suites import humaneval
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionSignature, UnittestInput
from auditcoder.tasks.signatures import signature_of

Pack = Literal["humaneval", "mbpp", "apps", "classeval"]
PACKS: tuple[Pack, ...] = ("humaneval", "mbpp", "apps", "classeval")
HEADER = """from typing import *
import math
from heapq import *
import itertools
import re
import typing
import heapq
_str=str
"""
"""What the upstream authors put in front of HumanEval and MBPP programs."""


class Row(NamedTuple):
    """One program that a model wrote."""

    id: str
    """`pack:number`, counted from 0 in the pack's file."""
    task: str
    """Task id of the benchmark."""
    header: str
    """What the benchmark's harness puts in front; empty for none."""
    code: str
    entry: EntryPoint
    checks: tuple[Check, ...]
    rerun: str
    """The pack's own finding: `pass`, `wrong`, `timeout`, ..."""

    @property
    def pack(self) -> str:
        """Return the pack that it is from."""
        return self.id.partition(":")[0]

    @property
    def program(self) -> str:
        """Return the text that the benchmark would run."""
        return f"{self.header}\n{self.code}" if self.header else self.code


def load_rows(pack: Pack, data_dir: Path | str | None = None) -> tuple[Row, ...]:
    """Return all rows of one pack, in file order.

    Raises:
        TaskError: the data is absent or malformed.
    """
    folder = data_folder(data_dir)
    path = folder / "llm-programs" / f"{pack}.jsonl"
    return tuple(_row(f"{pack}:{number}", row, path, folder) for number, row in enumerate(read_rows(path)))


def _row(row_id: str, row: dict[str, Any], path: Path, folder: Path) -> Row:
    task, code = str(row.get("task_id", "")), field(row, "code", str, path)
    header = HEADER if row_id.startswith(("humaneval", "mbpp")) else ""
    entry, checks = _MAKERS[path.stem](task, str(folder))
    return Row(row_id, task, header, code, entry, checks, field(row, "rerun", str, path))


@cache
def _humaneval(task: str, folder: str) -> tuple[EntryPoint, tuple[Check, ...]]:
    path = Path(folder) / "humaneval" / humaneval.OFFICIAL
    row = humaneval.row_of(_humaneval_rows(path), int(task.rpartition("/")[2]), path.parent)
    return _function_entry(row, path)


@cache
def _humaneval_rows(path: Path) -> dict[int, dict[str, Any]]:
    return humaneval.rows_by_number(path)


@cache
def _mbpp(task: str, folder: str) -> tuple[EntryPoint, tuple[Check, ...]]:
    path = Path(folder) / "mbpp" / "ldb-tests.jsonl"
    return _function_entry(_found(_by_task(path), task, path), path)


@cache
def _by_task(path: Path) -> dict[str, dict[str, Any]]:
    return {str(row.get("task_id")): row for row in read_rows(path)}


def _found(rows: dict[str, dict[str, Any]], task: str, path: Path) -> dict[str, Any]:
    if task not in rows:
        raise TaskError(f"{path}: there is no task {task}", file=str(path), field="task_id")
    return rows[task]


def _function_entry(row: dict[str, Any], path: Path) -> tuple[EntryPoint, tuple[Check, ...]]:
    """The pack's assertion test as one unit test; the signature is that of the prompt."""
    name = field(row, "entry_point", str, path)
    source = (
        f"{field(row, 'test', str, path)}\n\nimport unittest\n\n\n"
        f"class PackTest(unittest.TestCase):\n    def test_check(self):\n        check({name})\n"
    )
    signature = _signature(field(row, "prompt", str, path), name)
    return EntryPoint(kind="function", name=name, signature=signature), (_unittest("test", source),)


def _signature(prompt: str, name: str) -> FunctionSignature | None:
    """Return the signature in a prompt, or None where the prompt shows none that a contract can hold."""
    try:
        found = [part for part in ast.parse(prompt).body if isinstance(part, ast.FunctionDef) and part.name == name]
        return signature_of(found[-1]).signature if found else None
    except (SyntaxError, ValueError):
        return None


def _unittest(check_id: str, source: str) -> Check:
    return Check(id=check_id, input=UnittestInput(source=source), expected=Expected(passes=True))


@cache
def _apps(task: str, folder: str) -> tuple[EntryPoint, tuple[Check, ...]]:
    hidden = apps_hidden(int(task), folder, mode="stdin")
    return hidden.entry, hidden.checks


@cache
def _classeval(task: str, folder: str) -> tuple[EntryPoint, tuple[Check, ...]]:
    path = Path(folder) / "classeval" / "ClassEval_data_60.json"
    row = _found(_classeval_rows(path), task, path)
    name = field(row, "class_name", str, path)
    methods = tuple(_methods(field(row, "skeleton", str, path), name))
    test = field(row, "test", str, path)
    return EntryPoint(kind="class", name=name, methods=methods), tuple(_by_class(test))


@cache
def _classeval_rows(path: Path) -> dict[str, dict[str, Any]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError(f"{path}: benchmark data is absent or malformed", file=str(path)) from error
    return {str(row["task_id"]): row for row in rows}


def _methods(skeleton: str, name: str) -> Iterator[FunctionSignature]:
    """Yield the public methods that a skeleton shows; static ones and those with `*` are left to the tests.

    Some skeletons have typographic quotes and do not parse: then only the class itself is promised.
    """
    try:
        body = ast.parse(skeleton).body
    except SyntaxError:
        return
    for outer in body:
        if isinstance(outer, ast.ClassDef) and outer.name == name:
            for part in outer.body:
                if isinstance(part, ast.FunctionDef) and not part.decorator_list:
                    try:
                        yield signature_of(part).signature
                    except ValueError:
                        continue


def _by_class(test: str) -> Iterator[Check]:
    """Yield one check a test case class: the same source without the other ones."""
    tree = ast.parse(test)
    cases = [part for part in tree.body if isinstance(part, ast.ClassDef)]
    for case in cases:
        kept = [part for part in tree.body if part is case or part not in cases]
        yield _unittest(case.name, ast.unparse(ast.Module(kept, [])))


_MAKERS = {"humaneval": _humaneval, "mbpp": _mbpp, "apps": _apps, "classeval": _classeval}
