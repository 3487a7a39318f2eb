"""Programs judged by hidden tests."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.protocols import Executor
from auditcoder.errors import TaskError
from auditcoder.eval.hidden.tests import HiddenOutcome, HiddenResult, HiddenTests
from auditcoder.records.execution import CheckResult, Outcome
from auditcoder.records.task import CallsInput, Check, EntryPoint, Expected, FilesInput, FunctionInput, Task, TextFile

GRADING = EntryPoint(kind="script")
PASSED = "passed"
"""What a grader prints when a test passes."""
_TOGETHER = 5
"""Calls that are run together where the first failure ends the judging: a child costs more than a call."""


def judge(
    program: str, task: Task, hidden: HiddenTests, executor: Executor, *, to_the_end: bool = True
) -> HiddenResult:
    """Return the result of a program on the hidden tests of its task.

    A program without a hidden test left passes nothing: `passed` is False then.

    Args:
        program: The whole program, as it would be run.
        task: The task that it is for.
        hidden: The hidden tests of this task.
        executor: Runs it.
        to_the_end: Run every test; otherwise the first failure ends it, and later tests have no outcome.

    Raises:
        TaskError: the tests are those of another task.
        SandboxError: the isolation failed.
    """
    if hidden.task != task.id:
        raise TaskError(f"hidden tests of {hidden.task} cannot judge a program for {task.id}", field="id")
    size = len(hidden.checks) if to_the_end else _TOGETHER if _shares(hidden.checks) else 1
    outcomes: list[HiddenOutcome] = []
    for start in range(0, len(hidden.checks), max(1, size)):
        checks = hidden.checks[start : start + size]
        results = (
            _graded(program, hidden, checks, executor) if hidden.grader else _run(program, hidden, checks, executor)
        )
        outcomes += [HiddenOutcome(result.check, result.outcome) for result in results]
        if not to_the_end and any(one.outcome != "pass" for one in outcomes):
            break
    passed = bool(outcomes) and all(one.outcome == "pass" for one in outcomes)
    return HiddenResult(passed, tuple(outcomes), hidden.several_answers)


def _run(program: str, hidden: HiddenTests, checks: Sequence[Check], executor: Executor) -> Sequence[CheckResult]:
    """Return the results; passing calls that shared a process are run again, each in its own."""
    report = executor.run(program, hidden.entry, checks, hidden.limits)
    if _shares(checks) and all(result.outcome == "pass" for result in report.results):
        report = executor.confirm(program, hidden.entry, checks, hidden.limits, report)
    return report.results


def _shares(checks: Sequence[Check]) -> bool:
    """Return whether several checks are calls, which go to one process."""
    return sum(isinstance(check.input, FunctionInput | CallsInput) for check in checks) > 1


def _graded(program: str, hidden: HiddenTests, checks: Sequence[Check], executor: Executor) -> list[CheckResult]:
    """Return the results of the grader on what the program wrote; of the program itself where it did not end well."""
    run = Check(id="script", input=hidden.given or FilesInput(), expected=Expected())
    made = executor.run(program, hidden.entry, [run], hidden.limits).results[0]
    ending: Outcome = "output-limit" if made.outcome == "pass" and made.truncated else made.outcome
    if ending != "pass":
        return [made.model_copy(update={"check": check.id, "outcome": ending}) for check in checks]
    observed = made.observed if isinstance(made.observed, list) else []
    written = tuple(
        TextFile(name=pair[0], text=pair[1])
        for pair in observed
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str)
    )
    placed = [
        check.model_copy(update={"input": check.input.model_copy(update={"files": (*check.input.files, *written)})})
        for check in checks
        if isinstance(check.input, FilesInput)
    ]
    return list(executor.run(hidden.grader, GRADING, placed, hidden.limits).results)
