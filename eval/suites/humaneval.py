"""HumanEval tasks: the official prompts, and the visible examples of the docstrings as typed checks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditcoder.errors import TaskError
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput, Task
from auditcoder.records.values import encode
from auditcoder.tasks.literals import call_of, literal_of
from auditcoder.tasks.signatures import completed, signature_of

OFFICIAL = "HumanEval.jsonl.gz"
VISIBLE = "HumanEval-sample_io.jsonl"


class Shown(NamedTuple):
    """A visible assertion that says `f(args) == result`."""

    args: tuple[Any, ...]
    result: Any
    comparator: Comparator


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
    signature = completed(signature_of(function).signature, [s.args for s in shown], [s.result for s in shown])
    checks = tuple(_check(f"example-{index}", one) for index, one in enumerate(shown, start=1))
    return Task(
        id=f"humaneval-{number}",
        statement=f"Write the function `{name}` that this text describes.\n\n```python\n{prompt.strip()}\n```\n",
        entry=EntryPoint(kind="function", name=name, signature=signature),
        examples=checks,
        prelude=_before(prompt, function),
    )


def _function(prompt: str, name: str, path: Path) -> ast.FunctionDef:
    try:
        nodes = ast.parse(prompt).body
    except SyntaxError as error:
        raise TaskError(f"{path}: the prompt of {name} does not parse", file=str(path)) from error
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise TaskError(f"{path}: the prompt does not define {name}", file=str(path), field="entry_point")


def _before(prompt: str, function: ast.FunctionDef) -> str:
    """Return what the prompt gives before the function: imports and helpers."""
    return "".join(prompt.splitlines(keepends=True)[: function.lineno - 1]).strip()


def shown_by(assertion: str, name: str) -> Shown | None:
    """Return the call and result of `assert f(args) == literal` or `assert round(f(args), n) == literal`.

    Any other assertion gives None: its operands are no literals, and a loader runs nothing.
    """
    try:
        node = ast.parse(assertion.strip()).body[0]
        test = node.test if isinstance(node, ast.Assert) else None
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            return None
        call, comparator = _unrounded(test.left)
        made = call_of(call)
        return Shown(made.args, literal_of(test.comparators[0]), comparator) if made.name == name else None
    except (SyntaxError, ValueError, IndexError):
        return None


def _unrounded(node: ast.expr) -> tuple[ast.expr, Comparator]:
    """Return the call inside `round(call, digits)` with the tolerance that rounding means; True is 1 as for `==`."""
    rounds = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round"
    if isinstance(node, ast.Call) and rounds and len(node.args) == 2:
        return node.args[0], Comparator(rel_tol=0, abs_tol=0.5 / 10 ** int(literal_of(node.args[1])), bool_is_int=True)
    return node, Comparator(bool_is_int=True)


def _check(check_id: str, shown: Shown) -> Check:
    given = FunctionInput(args=tuple(encode(arg) for arg in shown.args))
    expected = Expected(value=encode(shown.result), has_value=True)
    return Check(id=check_id, input=given, expected=expected, comparator=shown.comparator)
