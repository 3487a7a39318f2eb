"""Hidden tests: evaluation only. No task, program, optimizer or core function ever holds one.

A `HiddenTests` is no record, so no event, ledger or prompt can carry it; only this module makes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from auditcoder.core.protocols import Executor
from auditcoder.errors import TaskError
from auditcoder.eval.suites import apps, humaneval
from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.records.execution import Outcome
from auditcoder.records.task import Check, EntryPoint, Expected, Limits, Task, UnittestInput

CALLS = "call_args.jsonl"
LIMITS = Limits(cpu_seconds=10.0, memory_mb=2048, output_kb=8192)
Mode = Literal["entry", "stdin"]


@dataclass(frozen=True, repr=False)
class HiddenTests:
    """The hidden tests of one task."""

    task: str
    """Id of the task."""
    entry: EntryPoint
    checks: tuple[Check, ...]
    several_answers: bool = False
    """The statement accepts answers that these tests refuse: no verdict can be drawn from a failure."""
    limits: Limits = LIMITS


class HiddenOutcome(NamedTuple):
    """Result on one hidden test, without its content."""

    check: str
    outcome: Outcome


class HiddenResult(NamedTuple):
    """What the hidden tests say about one program."""

    passed: bool
    outcomes: tuple[HiddenOutcome, ...]
    several_answers: bool

    @property
    def passes(self) -> int:
        """Return the number of hidden tests that passed."""
        return sum(one.outcome == "pass" for one in self.outcomes)


def judge(program: str, task: Task, hidden: HiddenTests, executor: Executor) -> HiddenResult:
    """Return the result of a program on the hidden tests of its task.

    Raises:
        TaskError: the tests are those of another task.
        SandboxError: the isolation failed.
    """
    if hidden.task != task.id:
        raise TaskError(f"hidden tests of {hidden.task} cannot judge a program for {task.id}", field="id")
    report = executor.run(program, hidden.entry, hidden.checks, hidden.limits)
    if len(hidden.checks) > 1 and all(result.outcome == "pass" for result in report.results):
        report = executor.confirm(program, hidden.entry, hidden.checks, hidden.limits, report)
    outcomes = tuple(HiddenOutcome(result.check, result.outcome) for result in report.results)
    return HiddenResult(all(one.outcome == "pass" for one in outcomes), outcomes, hidden.several_answers)


def hidden_tests(task: Task, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the hidden tests of a task that `apps.load` or `humaneval.load` made.

    Raises:
        TaskError: the task is of no suite, or the data is absent.
    """
    suite, _, number = task.id.partition("-")
    if suite == "apps" and number.isdecimal():
        return apps_hidden(int(number), data_dir)
    if suite == "humaneval" and number.isdecimal():
        return humaneval_hidden(int(number), data_dir)
    raise TaskError(f"{task.id}: there are no hidden tests for this task", field="id")


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


def humaneval_hidden(number: int, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the official test of a HumanEval task: `check(entry_point)` as one unit test, judged outside."""
    folder = data_folder(data_dir) / "humaneval"
    path = folder / humaneval.OFFICIAL
    row = humaneval.row_of(humaneval.rows_by_number(path), number, folder)
    name = field(row, "entry_point", str, path)
    source = (
        f"{field(row, 'test', str, path)}\n\nimport unittest\n\n\n"
        f"class HiddenCheck(unittest.TestCase):\n    def test_check(self):\n        check({name})\n"
    )
    check = Check(id="hidden-1", input=UnittestInput(source=source), expected=Expected(passes=True))
    return HiddenTests(f"humaneval-{number}", EntryPoint(kind="class", name=name), (check,))
