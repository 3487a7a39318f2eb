"""`verify --execute`: what comes out differently is a difference, unless the record or further runs explain it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again, near_limit
from auditcoder.ledger.chain import read_ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.records.base import sha256_text
from auditcoder.records.events import CallsRecorded, ChecksRun, RunStarted
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Measurement, Recording
from auditcoder.records.task import Check, EntryPoint, Limits
from auditcoder.records.trace import Trace

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "record-example"
LEDGER = read_ledger(EXAMPLE)
REPORTS = {event.report.program: event.report for event in LEDGER.events if isinstance(event, ChecksRun)}
RECORDINGS = {event.recording.check: event.recording for event in LEDGER.events if isinstance(event, CallsRecorded)}
ISOLATION = next(event.isolation for event in LEDGER.events if isinstance(event, RunStarted))
FINAL = fold_ledger(LEDGER).assembly
Change = Callable[[CheckResult], CheckResult]


def unchanged(result: CheckResult) -> CheckResult:
    return result


class Replayed:
    """An executor that gives what was recorded, changed by the next of some functions in turn."""

    def __init__(self, *changes: Change, isolation: IsolationReport = ISOLATION) -> None:
        self._changes = cycle(changes or (unchanged,))
        self._isolation = isolation
        self.runs = 0

    def run(self, program: str, entry: EntryPoint, checks: Sequence[Check], limits: Limits) -> ExecutionReport:
        self.runs += 1
        report = next(found for digest, found in REPORTS.items() if digest == sha256_text(program))
        if FINAL is None or program != FINAL.program:
            return report
        change = next(self._changes)
        return report.model_copy(update={"results": tuple(change(result) for result in report.results)})

    def confirm(self, *arguments: Any, **named: Any) -> ExecutionReport:
        raise AssertionError("a program entry has nothing to confirm")

    def record(self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str]) -> Recording:
        return RECORDINGS[check.id]

    def measure(self, *arguments: Any, **named: Any) -> Measurement:
        raise AssertionError("measurements are not made again")

    def trace(self, *arguments: Any, **named: Any) -> Trace:
        raise AssertionError("the recorded run traces nothing")

    def isolation(self) -> IsolationReport:
        return self._isolation


def changed(**update: Any) -> Change:
    return lambda result: result.model_copy(update=update) if result.check == "e2" else result


def test_the_same_results_are_no_difference_whatever_they_cost() -> None:
    found = execute_again(LEDGER, Replayed(changed(cpu_seconds=1.5, wall_seconds=3.0, peak_mb=80.0)))
    assert (found.differences, found.explained, found.notes) == ((), (), ())
    assert (found.executions, found.compared) == (3, 5)


@pytest.mark.parametrize(
    "update",
    [{"observed": "8\n"}, {"outcome": "runtime-error"}, {"frames": ({"line": 2, "function": "total"},)}],
    ids=["observed", "outcome", "frames"],
)
def test_a_result_that_stays_another_one_is_a_difference(update: dict[str, Any]) -> None:
    other = CheckResult.model_validate({"check": "e2", "outcome": "pass", **update})
    same = {name: getattr(other, name) for name in update}
    executor = Replayed(changed(**same))
    found = execute_again(LEDGER, executor)
    assert [(one.event, one.check.value, one.what.split(",")[0]) for one in found.differences] == [
        (20, "V22", "result of e2")
    ]
    assert executor.runs == 4  # both programs, and the other one twice more


def test_runs_that_do_not_agree_among_themselves_explain_a_difference() -> None:
    found = execute_again(LEDGER, Replayed(changed(observed="8\n"), changed(observed="9\n")))
    assert found.differences == ()
    assert [one.reason for one in found.explained] == ["nondeterministic: runs of it do not agree among themselves"]


@pytest.mark.parametrize(("cpu", "explained"), [(0.004, False), (1.9, True)])
def test_a_stop_is_explained_only_when_the_run_that_ended_was_near_the_limit(cpu: float, explained: bool) -> None:
    ended = CheckResult(check="e2", outcome="pass", cpu_seconds=cpu)
    stopped = CheckResult(check="e2", outcome="timeout", cpu_seconds=2.0)
    for recorded, found in ((ended, stopped), (stopped, ended)):
        assert bool(near_limit(recorded, found, Limits(cpu_seconds=2.0))) is explained
    assert not near_limit(stopped, stopped, Limits())
    assert not near_limit(ended, ended, Limits())


def test_a_program_that_stops_far_from_the_limit_is_a_difference() -> None:
    found = execute_again(LEDGER, Replayed(changed(outcome="timeout", cpu_seconds=2.0)))
    assert [one.what.split(",")[0] for one in found.differences] == ["result of e2"]


def test_another_isolation_is_a_note() -> None:
    weaker = ISOLATION.model_copy(update={"level": 2, "rung": "seccomp"})
    [note] = execute_again(LEDGER, Replayed(isolation=weaker)).notes
    assert note == "recorded under isolation level 4 (namespaces), run again under level 2 (seccomp)"
