"""HumanEval tasks: the official prompts, and the visible examples of the docstrings as typed checks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditcoder.errors import TaskError
from auditcoder.eval.suites.assertions import before, checks_of, function_in, shown_by, signature
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.task import EntryPoint, Task

OFFICIAL = "HumanEval.jsonl.gz"
VISIBLE = "HumanEval-sample_io.jsonl"


def load(ids: Sequence[int] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these numbers in their order, or all 164.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    folder = data_folder(data_dir) / "humaneval"
    rows = rows_by_number(folder / OFFICIAL)
    visible = rows_by_number(folder / VISIBLE)
    wanted = list(rows) if ids is None else list(ids)
    return tuple(_task(number, row_of(rows, number, folder), visible.get(number, {}), folder) for number in wanted)


def numbers(data_dir: Path | str | None = None) -> tuple[int, ...]:
    """Return the numbers of all tasks, in ascending order.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return tuple(sorted(rows_by_number(data_folder(data_dir) / "humaneval" / OFFICIAL)))


def rows_by_number(path: Path) -> dict[int, dict[str, Any]]:
    """Return rows by the number in `HumanEval/<number>`. Hidden tests are in them: only for eval."""
    return {_number(field(row, "task_id", str, path), path): row for row in read_rows(path)}


def _number(task_id: str, path: Path) -> int:
    digits = task_id.rpartition("/")[2]
    if not digits.isdecimal():
        raise TaskError(f"{path}: task_id {task_id!r}: expected HumanEval/<number>", file=str(path), field="task_id")
    return int(digits)


def row_of(rows: dict[int, dict[str, Any]], number: int, folder: Path) -> dict[str, Any]:
    """Return one row.

    Raises:
        TaskError: the number is not there.
    """
    if number not in rows:
        hint = f"Numbers go from {min(rows, default=0)} to {max(rows, default=0)}."
        raise TaskError(f"{folder / OFFICIAL}: there is no task {number}", hint=hint, field="task_id")
    return rows[number]


def _task(number: int, row: dict[str, Any], visible: dict[str, Any], folder: Path) -> Task:
    path = folder / OFFICIAL
    prompt, name = field(row, "prompt", str, path), field(row, "entry_point", str, path)
    function = _function(prompt, name, path)
    shown = [found for text in visible.get("sample_io", []) if (found := shown_by(str(text), name))]
    return Task(
        id=f"humaneval-{number}",
        statement=f"Write the function `{name}` that this text describes.\n\n```python\n{prompt.strip()}\n```\n",
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, shown)),
        examples=checks_of(shown),
        prelude=before(prompt, function),
    )


def _function(prompt: str, name: str, path: Path) -> ast.FunctionDef:
    function = function_in(prompt, name)
    if function is None:
        raise TaskError(f"{path}: the prompt does not define {name}", file=str(path), field="entry_point")
    return function
