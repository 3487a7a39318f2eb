"""APPS tasks with their visible examples only.

The pack's own notes are honoured: repeated rows count once; text arguments are typed again by `arg_kinds`; tasks
with several right answers have input-only examples; task 2162 has the tolerance that its statement asks for.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditcoder.errors import TaskError
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.task import (
    Check,
    Comparator,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Limits,
    ProgramInput,
    Task,
)
from auditcoder.records.values import encode
from auditcoder.tasks.literals import literal
from auditcoder.tasks.signatures import completed, signature_of

ROWS = "selected100.jsonl"
NOTES = "task_notes.jsonl"
LIMITS = Limits(cpu_seconds=4.0, memory_mb=1024)
DEFECTIVE: Mapping[str, str] = dict.fromkeys(
    ("2047", "2095", "2096", "2144", "2153", "2187"), "several answers are right and the tests know one of them"
)
_SPANS_LINES = frozenset({1613})
"""The first argument takes all lines but those of the others."""


class Style(NamedTuple):
    """How one task is entered and compared."""

    kinds: str
    """One letter a parameter: L literal, S raw text, M literal where it parses; empty for stdin programs."""
    comparator: Comparator
    several_answers: bool


def load(ids: Sequence[int] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these ids in their order, or all distinct ones in the pack's order.

    Raises:
        TaskError: the data is absent or malformed, or an id is not in the pack.
    """
    folder = data_folder(data_dir) / "apps"
    rows = rows_by_id(folder)
    wanted = list(rows) if ids is None else list(ids)
    styles = styles_by_id(folder)
    return tuple(_task(row_of(rows, task_id, folder), style_of(styles, task_id, folder), folder) for task_id in wanted)


def numbers(data_dir: Path | str | None = None, *, level: str = "") -> tuple[int, ...]:
    """Return the ids of one difficulty level ('' for all) whose tests decide alone, in ascending order.

    Left out are the tasks with several right answers: their tests know one of them.

    Raises:
        TaskError: the data is absent or malformed.
    """
    folder = data_folder(data_dir) / "apps"
    styles = styles_by_id(folder)
    rows = rows_by_id(folder)
    fitting = (task_id for task_id, row in rows.items() if level in ("", row.get("difficulty")))
    return tuple(sorted(task_id for task_id in fitting if not style_of(styles, task_id, folder).several_answers))


def rows_by_id(folder: Path) -> dict[int, dict[str, Any]]:
    """Return the rows of the pack, the first one of each id. Hidden tests are in them: only for eval."""
    path = folder / ROWS
    rows: dict[int, dict[str, Any]] = {}
    for row in read_rows(path):
        rows.setdefault(field(row, "id", int, path), row)
    return rows


def row_of(rows: dict[int, dict[str, Any]], task_id: int, folder: Path) -> dict[str, Any]:
    """Return one row.

    Raises:
        TaskError: the id is not in the pack.
    """
    if task_id not in rows:
        known = ", ".join(str(known) for known in sorted(rows)[:5])
        raise TaskError(
            f"{folder / ROWS}: there is no task {task_id}",
            hint=f"{len(rows)} tasks are there: {known}, ...",
            field="id",
        )
    return rows[task_id]


def styles_by_id(folder: Path) -> dict[int, Style]:
    """Return what the pack's notes say about each task."""
    path = folder / NOTES
    return {field(note, "id", int, path): _style(note) for note in read_rows(path)}


def style_of(styles: dict[int, Style], task_id: int, folder: Path) -> Style:
    """Return the style of one task.

    Raises:
        TaskError: the notes lack it.
    """
    if task_id not in styles:
        raise TaskError(f"{folder / NOTES}: there is no note on task {task_id}", field="id")
    return styles[task_id]


def _style(note: dict[str, Any]) -> Style:
    kinds = str(note.get("arg_kinds", "")) if note.get("style") == "function" else ""
    loose = "tolerance" in note
    comparator = Comparator(kind="floats", rel_tol=1e-6, abs_tol=1e-6) if loose else Comparator(kind="apps")
    return Style(kinds, comparator, "special_checker" in note)


def _task(row: dict[str, Any], style: Style, folder: Path) -> Task:
    path = folder / ROWS
    statement = field(row, "description", str, path).strip() + "\n"
    samples = samples_of(row, "sample_io", path)
    if not style.kinds:
        checks = [stdin_check(f"example-{i}", sample, style) for i, sample in enumerate(samples, start=1)]
        entry = EntryPoint(kind="program")
    else:
        starter = field(row, "starter_code", str, path).strip()
        statement += f"\nWrite this function:\n\n{starter}\n"
        shown = [call for call in (typed_call(row["id"], style.kinds, sample) for sample in samples) if call]
        checks = [call_check(f"example-{i}", call, style) for i, call in enumerate(shown, start=1)]
        signature = completed(_signature(starter, path), [c.args for c in shown], [c.result for c in shown])
        entry = EntryPoint(kind="function", name=signature.name, signature=signature)
    return Task(id=f"apps-{row['id']}", statement=statement, entry=entry, examples=tuple(checks), limits=LIMITS)


def _signature(starter: str, path: Path) -> FunctionSignature:
    try:
        nodes = ast.parse(f"{starter}\n    pass").body
        return signature_of(next(node for node in nodes if isinstance(node, ast.FunctionDef))).signature
    except (SyntaxError, ValueError, StopIteration) as error:
        raise TaskError(f"{path}: starter code without a usable function: {starter[:60]!r}", file=str(path)) from error


def samples_of(row: dict[str, Any], name: str, path: Path) -> list[dict[str, Any]]:
    """Return the samples in a field of a row, each with `input` and a non-empty list `output`.

    Raises:
        TaskError: one of them is of another form.
    """
    samples: list[dict[str, Any]] = []
    for sample in field(row, name, list, path):
        if not isinstance(sample, dict) or "input" not in sample or not field(sample, "output", list, path):
            raise TaskError(
                f"{path}: field {name!r}: expected objects with input and output", file=str(path), field=name
            )
        samples.append(sample)
    return samples


class TypedCall(NamedTuple):
    """Arguments of a call and its result."""

    args: tuple[Any, ...]
    result: Any


def stdin_check(check_id: str, sample: dict[str, Any], style: Style) -> Check:
    """Return the check of a stdin program; input-only where the statement accepts several answers."""
    answer = sample["output"][0]
    text = answer if isinstance(answer, str) else str(answer)
    expected = Expected() if style.several_answers else Expected(stdout=text)
    note = "several answers are right" if style.several_answers else ""
    given = ProgramInput(stdin=str(sample["input"]))
    return Check(id=check_id, input=given, expected=expected, comparator=style.comparator, note=note)


def call_check(check_id: str, call: TypedCall, style: Style) -> Check:
    """Return the check of one function call."""
    given = FunctionInput(args=tuple(encode(arg) for arg in call.args))
    expected = Expected(value=encode(call.result), has_value=True)
    return Check(id=check_id, input=given, expected=expected, comparator=style.comparator)


def typed_call(task_id: int, kinds: str, sample: dict[str, Any]) -> TypedCall | None:
    """Return a sample with its arguments typed again, or None where the text does not fit the kinds."""
    lines = str(sample["input"]).split("\n")
    if task_id in _SPANS_LINES:
        rest = len(kinds) - 1
        lines = ["\n".join(lines[: len(lines) - rest]), *lines[len(lines) - rest :]]
    elif len(kinds) == 1:
        lines = ["\n".join(lines)]
    if len(lines) > len(kinds):
        return None
    try:
        args = tuple(_typed(kind, text) for kind, text in zip(kinds, lines, strict=False))
    except ValueError:
        return None
    return TypedCall(args, sample["output"][0])


def _typed(kind: str, text: str) -> Any:
    if kind == "S":
        return text
    try:
        return literal(text)
    except ValueError:
        if kind == "M":
            return text
        raise
