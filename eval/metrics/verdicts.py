"""Hidden verdicts as data: ids and outcomes of tests, never a test (methods/README, rules 15 and 16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditcoder.core.protocols import Executor
from auditcoder.errors import HarnessError
from auditcoder.eval.hidden import HiddenResult, HiddenTests, judge, without_visible
from auditcoder.records.base import Record
from auditcoder.records.execution import Outcome
from auditcoder.records.method import MadeProgram
from auditcoder.records.task import Task


class Verdict(Record):
    """What the hidden tests of its task say about one program."""

    program: str
    """SHA-256 of the program text."""
    outcomes: tuple[tuple[str, Outcome], ...] = ()
    """(test id, outcome), in the order of the tests."""
    visible: tuple[str, ...] = ()
    """Ids of the tests that equal a visible check: they are no part of the primary score (rule 16)."""
    several_answers: bool = False
    """The statement accepts answers that the tests refuse: a failure decides nothing."""
    fault: str = ""
    """Code of the error that the judging ended in; the program counts as failed, listed as a harness fault."""

    @property
    def passes_all(self) -> bool:
        """Return whether there are hidden tests and all of them pass."""
        return _all_pass(outcome for _, outcome in self.outcomes)

    @property
    def passes(self) -> bool | None:
        """Return whether all tests pass that equal no visible check; None when there is no such test.

        Which tests there are is a fact of the task, so None comes for every program of a task or for none.
        """
        if self.fault:
            return False
        own: list[Outcome] = [outcome for test, outcome in self.outcomes if test not in self.visible]
        return _all_pass(own) if own else None

    @property
    def first_failure(self) -> Outcome | None:
        """Return the outcome of the first test that did not pass; a broken harness comes before any other."""
        failed: list[Outcome] = [outcome for _, outcome in self.outcomes if outcome != "pass"]
        return "harness-error" if "harness-error" in failed else next(iter(failed), None)


Verdicts = Mapping[str, Verdict]
"""By SHA-256 of the program text."""


def verdict_of(program: str, result: HiddenResult, visible: Iterable[str] = ()) -> Verdict:
    """Return the verdict of a judged program.

    Args:
        program: SHA-256 of its text.
        result: What `judge` returned, run to the end.
        visible: Ids of the hidden tests that equal a visible check.
    """
    return Verdict(
        program=program,
        outcomes=tuple((one.check, one.outcome) for one in result.outcomes),
        visible=tuple(sorted(visible)),
        several_answers=result.several_answers,
    )


def judged(programs: Iterable[MadeProgram], task: Task, hidden: HiddenTests, executor: Executor) -> dict[str, Verdict]:
    """Return the verdict of every distinct program; each is run once.

    Raises:
        TaskError: the tests are those of another task.
        IsolationTooWeakError: the isolation failed altogether.
    """
    own = {check.id for check in without_visible(hidden, task).checks}
    visible = [check.id for check in hidden.checks if check.id not in own]
    found: dict[str, Verdict] = {}
    for made in programs:
        if made.digest in found:
            continue
        try:
            found[made.digest] = verdict_of(made.digest, judge(made.program, task, hidden, executor), visible)
        except HarnessError as error:
            found[made.digest] = Verdict(program=made.digest, fault=error.code, visible=tuple(sorted(visible)))
    return found


def _all_pass(outcomes: Iterable[Outcome]) -> bool:
    listed = list(outcomes)
    return bool(listed) and all(outcome == "pass" for outcome in listed)
