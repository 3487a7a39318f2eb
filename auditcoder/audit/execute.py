"""V22, `verify --execute`: recorded executions are made again in the sandbox and compared.

Compared are outcome, observed value and the lines of frames, never times; of a recording its calls. Rules [R]:
1. The same program on the same checks runs once, however often it is recorded.
2. What differs is run twice more. Where these runs do not agree among themselves, or the recorded report depends on
   state already, the difference is explained: the program is nondeterministic.
3. A timeout or memory stop on one side only is explained when the run that came to its end used at least `NEAR` of the
   limit.
4. Anything else is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.showing import alike, first_difference
from auditcoder.audit.verification import Difference, Explained
from auditcoder.core.effect_keys import callable_units
from auditcoder.core.local_checks import excerpt, executable_checks, local_entry
from auditcoder.core.protocols import Executor
from auditcoder.core.versions import Active
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records.events import (
    CallsRecorded,
    ChecksRun,
    Event,
    LocalChecksRun,
    ProgramProbed,
    RunStarted,
    TraceRecorded,
)
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Recording
from auditcoder.records.task import Check, EntryPoint, Limits
from auditcoder.records.trace import Trace
from auditcoder.sandbox.gate_verdict import gate_findings

NEAR = 0.8
"""Share of a limit from which on a stop at it may or may not happen."""
_STOPS = {"timeout": "time", "memory": "memory"}
R = TypeVar("R", ExecutionReport, Recording, Trace)


class Executed(NamedTuple):
    """What running everything again gave."""

    differences: tuple[Difference, ...]
    explained: tuple[Explained, ...]
    executions: int
    compared: int
    notes: tuple[str, ...]


@dataclass
class _Rerun:
    executor: Executor
    state: FoldState = field(default_factory=FoldState)
    kept: dict[tuple[str, ...], Any] = field(default_factory=dict)
    executions: int = 0
    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    explained: list[Explained] = field(default_factory=list)

    def once(self, key: tuple[str, ...], run: Callable[[], R]) -> R:
        """Return what a run gave, made once for its key (rule 1)."""
        if key not in self.kept:
            self.executions += 1
            self.kept[key] = run()
        found: R = self.kept[key]
        return found

    def again(self, run: Callable[[], R]) -> R:
        """Return a further run."""
        self.executions += 1
        return run()


def execute_again(ledger: Ledger, executor: Executor) -> Executed:
    """Return how the executions of a verified ledger come out when they are made again.

    What cannot be run, since the evidence for it is forged, is left out here: other checks report it.

    Raises:
        SandboxError: the isolation failed.
    """
    rerun = _Rerun(executor)
    notes: tuple[str, ...] = ()
    for number, entry in enumerate(ledger.entries):
        if isinstance(entry.event, RunStarted):
            notes = tuple(_isolation_notes(entry.event.isolation, executor.isolation()))
        _event(rerun, number, entry.event)
        rerun.state.apply(entry.event)
    return Executed(tuple(rerun.differences), tuple(rerun.explained), rerun.executions, rerun.compared, notes)


def _event(rerun: _Rerun, number: int, event: Event) -> None:
    state = rerun.state
    if isinstance(event, ProgramProbed) and state.started is not None:
        _probe(rerun, number, event, state.started.task.limits)
    if not isinstance(event, ChecksRun | LocalChecksRun | CallsRecorded | TraceRecorded):
        return
    candidate = state.candidates.get(event.candidate)
    if candidate is None or state.started is None or state.frozen is None:
        return
    task, checks = state.started.task, state.frozen.checks
    if isinstance(event, ChecksRun):
        strict = state.started.config.gate == "strict"
        if not (strict and gate_findings(candidate.assembly, "strict")):  # what the gate turned away never ran
            run = _on_checks(rerun.executor, candidate, task.entry, checks, task.limits)
            key = ("checks" if candidate.report is None else "confirm", candidate.assembly.digest, state.frozen.hash)
            _report(rerun, number, event.report, key, run, task.limits)
    elif isinstance(event, LocalChecksRun):
        _local(rerun, number, event, candidate, task.limits)
    elif isinstance(event, CallsRecorded):
        check = _check_of(checks, event.recording.check)
        if check is not None:
            _recording(rerun, number, event, candidate, check)
    else:
        check = _check_of(checks, event.trace.check)
        if check is not None:
            _traced(rerun, number, event, candidate, check)


def _check_of(checks: Sequence[Check], name: str) -> Check | None:
    return next((check for check in checks if check.id == name), None)


def _probe(rerun: _Rerun, number: int, event: ProgramProbed, limits: Limits) -> None:
    def run() -> ExecutionReport:
        return rerun.executor.run(event.program, event.entry, event.checks, limits)

    _report(rerun, number, event.report, ("probe", event.key), run, limits)


def _on_checks(
    executor: Executor, candidate: Candidate, entry: EntryPoint, checks: Sequence[Check], limits: Limits
) -> Callable[[], ExecutionReport]:
    program, batch = candidate.assembly.program, candidate.report
    if batch is None:
        return lambda: executor.run(program, entry, checks, limits)
    return lambda: executor.confirm(program, entry, checks, limits, batch)


def _local(rerun: _Rerun, number: int, event: LocalChecksRun, candidate: Candidate, limits: Limits) -> None:
    graph, assembly = candidate.graph, candidate.assembly
    if graph is None or event.node not in {node.id for node in graph.nodes}:
        return
    active = Active(graph, candidate.codes, assembly)
    node = active.graph.node(event.node)
    entry, checks = local_entry(node, assembly), executable_checks(node, assembly)
    if entry is None or not checks:
        return
    part = excerpt(assembly, graph, event.node)
    key = ("local", part.digest, event.node)
    _report(rerun, number, event.report, key, lambda: rerun.executor.run(part.program, entry, checks, limits), limits)


def _recording(rerun: _Rerun, number: int, event: CallsRecorded, candidate: Candidate, check: Check) -> None:
    assembly, started = candidate.assembly, rerun.state.started
    assert started is not None  # the fold has a candidate
    task, units = started.task, callable_units(assembly)

    def run() -> Recording:
        return rerun.executor.record(assembly.program, task.entry, check, task.limits, units)

    key = ("record", assembly.digest, check.id)
    _advisory(rerun, number, f"recorded calls on {check.id}", event.recording, key, run)


def _traced(rerun: _Rerun, number: int, event: TraceRecorded, candidate: Candidate, check: Check) -> None:
    assembly, started = candidate.assembly, rerun.state.started
    assert started is not None  # the fold has a candidate
    task, report = started.task, candidate.report
    before = next((result for result in report.results if result.check == check.id), None) if report else None

    def run() -> Trace:
        return rerun.executor.trace(assembly.program, task.entry, check, task.limits, event.plan, before)

    _advisory(rerun, number, f"trace on {check.id}", event.trace, ("trace", event.key), run)


def _advisory(rerun: _Rerun, number: int, what: str, recorded: R, key: tuple[str, ...], run: Callable[[], R]) -> None:
    """Compare what an advisory run gave."""
    rerun.compared += 1
    found = rerun.once(key, run)
    if alike(found, recorded):
        return
    more = [rerun.again(run), rerun.again(run)]
    if not all(alike(other, found) for other in more):
        rerun.explained.append(Explained(number, what, "nondeterministic: runs of it do not agree among themselves"))
        return
    _differ(rerun, number, what, recorded, found)


def _report(
    rerun: _Rerun,
    number: int,
    recorded: ExecutionReport,
    key: tuple[str, ...],
    run: Callable[[], ExecutionReport],
    limits: Limits,
) -> None:
    found = rerun.once(key, run)
    rerun.compared += len(recorded.results)
    unlike = _unlike(recorded, found)
    if not unlike:
        return
    more = [rerun.again(run), rerun.again(run)]
    unstable = {check for other in more for check in _unlike(found, other)}
    before, now = ({result.check: result for result in report.results} for report in (recorded, found))
    for check in unlike:
        what = f"result of {check}"
        if recorded.state_dependent or found.state_dependent:
            rerun.explained.append(
                Explained(number, what, "nondeterministic: results depend on which checks ran before")
            )
        elif check in unstable:
            rerun.explained.append(
                Explained(number, what, "nondeterministic: runs of it do not agree among themselves")
            )
        elif check in before and check in now and (reason := near_limit(before[check], now[check], limits)):
            rerun.explained.append(Explained(number, what, reason))
        else:
            one, other = before.get(check), now.get(check)
            _differ(rerun, number, what, _seen(one) if one else None, _seen(other) if other else None)


def _unlike(one: ExecutionReport, other: ExecutionReport) -> list[str]:
    """Return the checks whose results differ, in order."""
    left, right = ({result.check: _seen(result) for result in report.results} for report in (one, other))
    return [check for check in dict.fromkeys((*left, *right)) if not alike(left.get(check), right.get(check))]


def _seen(result: CheckResult) -> dict[str, Any]:
    """Return what must come out again."""
    frames = [[frame.line, frame.function] for frame in result.frames]
    observed = result.observed if result.has_observed else None
    return {"outcome": result.outcome, "observed": observed, "frames": frames}


def near_limit(recorded: CheckResult, found: CheckResult, limits: Limits) -> str:
    """Return why a stop on one side only is explained (rule 3), or an empty text."""
    stopped, ended = (recorded, found) if recorded.outcome in _STOPS else (found, recorded)
    if stopped.outcome not in _STOPS or ended.outcome in _STOPS:
        return ""
    if stopped.outcome == "timeout":
        share = ended.cpu_seconds / limits.cpu_seconds
    else:
        share = ended.peak_mb / limits.memory_mb
    near = f"{_STOPS[stopped.outcome]} near the limit: the run that ended used {share:.0%} of it"
    return near if share >= NEAR else ""


def _differ(rerun: _Rerun, number: int, what: str, recorded: object, found: object) -> None:
    place = first_difference(recorded, found)
    where = f"{what}, {place.path}" if place and place.path else what
    one, other = (place.recorded, place.recomputed) if place else ("", "")
    rerun.differences.append(Difference(number, AuditCheck.EXECUTED, where, one, other))


def _isolation_notes(recorded: IsolationReport, present: IsolationReport) -> Iterator[str]:
    if recorded != present:
        yield (
            f"recorded under isolation level {recorded.level} ({recorded.rung}), "
            f"run again under level {present.level} ({present.rung})"
        )
