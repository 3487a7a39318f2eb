"""Hidden tests of APPS: typed calls, or standard input and output as the recorded programs were judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from auditcoder.errors import TaskError
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import apps
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.task import EntryPoint

CALLS = "call_args.jsonl"
Mode = Literal["entry", "stdin"]


def apps_hidden(task_id: int, data_dir: Path | str | None = None, *, mode: Mode = "entry") -> HiddenTests:
    """Return all tests of an APPS task, through the task's own entry or, for recorded programs, through stdin."""
    folder = data_folder(data_dir) / "apps"
    row = apps.row_of(apps.rows_by_id(folder), task_id, folder)
    style = apps.style_of(apps.styles_by_id(folder), task_id, folder)
    name = f"apps-{task_id}"
    if style.kinds and mode == "entry":
        path, case = folder / CALLS, _calls(folder, task_id)
        cases = field(case, "cases", list, path)
        calls = [apps.TypedCall(tuple(field(one, "args", list, path)), one.get("expected")) for one in cases]
        checks = tuple(apps.call_check(f"hidden-{i}", call, style) for i, call in enumerate(calls, start=1))
        entry = EntryPoint(kind="function", name=field(case, "fn_name", str, path))
        return HiddenTests(name, entry, checks, style.several_answers)
    judged = style._replace(several_answers=False)
    tests = apps.samples_of(row, "test_list", folder / apps.ROWS)
    checks = tuple(apps.stdin_check(f"hidden-{i}", test, judged) for i, test in enumerate(tests, start=1))
    return HiddenTests(name, EntryPoint(kind="program"), checks, style.several_answers)


def _calls(folder: Path, task_id: int) -> dict[str, Any]:
    for row in read_rows(folder / CALLS):
        if row.get("id") == task_id:
            return row
    raise TaskError(f"{folder / CALLS}: there are no calls of task {task_id}", field="id")
