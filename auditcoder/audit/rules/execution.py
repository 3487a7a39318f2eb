"""V9: execution reports, recordings and measurements say what such runs can say."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.walk import Walk
from auditcoder.core.confirmation import depends_on_state, needs_confirmation
from auditcoder.core.effect_keys import callable_units
from auditcoder.core.local_checks import excerpt, executable_checks
from auditcoder.core.wanted import wanted_evidence, wanted_recordings
from auditcoder.records.base import sha256_text
from auditcoder.records.events import (
    CallsRecorded,
    CandidateRanked,
    ChecksRun,
    CostsMeasured,
    LocalChecksRun,
    ProgramProbed,
    TraceRecorded,
)
from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome
from auditcoder.records.task import Check, UnittestInput
from auditcoder.sandbox.gate_verdict import gate_findings, rejection
from auditcoder.sandbox.rejudge import head_of, rejudge

_V = AuditCheck.EXECUTION
_COMPARED = ("pass", "wrong-answer")


def run(walk: Walk, event: ChecksRun) -> None:
    """V9. A report is of the candidate's program, on Q in order; comparisons come out the same when made again.

    The first run is the batch. A second one is the confirmation, made exactly when the batch needs it; it depends on
    the state exactly when it differs from the batch. What the strict gate turns away is not run at all.
    """
    candidate, task = walk.candidate(event.candidate), walk.started.task
    batch = walk.runs.get(event.candidate)
    if batch is None:
        walk.runs[event.candidate] = event.report
        found = gate_findings(candidate.assembly, "strict") if walk.started.config.gate == "strict" else ()
        if found:
            refused = rejection(candidate.assembly, walk.checks, found)
            walk.same(_V, "verdicts of the strict gate", event.report, refused)
            return
    _report(walk, event.report, candidate.assembly.digest, walk.checks, candidate.assembly.program)
    if batch is not None:
        walk.holds(_V, needs_confirmation(task.entry, walk.checks, batch), "the batch run needed a confirmation")
        walk.holds(_V, candidate.report is batch, "a program is run twice at most")
        differs = depends_on_state(event.report.results, batch.results)
        walk.same(_V, "state_dependent", event.report.state_dependent, differs)
    else:
        walk.same(_V, "state_dependent of a batch", event.report.state_dependent, False)


def confirmed(walk: Walk, candidate_number: int) -> None:
    """V9. Before a decision about a candidate, a batch that needs a confirmation has it."""
    candidate, batch = walk.candidate(candidate_number), walk.runs.get(candidate_number)
    if batch is not None and candidate.report is batch:
        due = needs_confirmation(walk.started.task.entry, walk.checks, batch)
        walk.holds(_V, not due, "the batch run was confirmed")


def ranked(walk: Walk, event: CandidateRanked) -> None:
    """V9. The ranked results are confirmed ones where that is due."""
    confirmed(walk, event.candidate)


def recorded(walk: Walk, event: CallsRecorded) -> None:
    """V9. Calls are recorded of the program's own functions and methods, on a check whose calls the run wants."""
    candidate = walk.candidate(event.candidate)
    check = event.recording.check
    _advisory(walk, check, candidate.report, "calls")
    if walk.reverify is None:
        wanted = wanted_recordings(walk.state_of(candidate), walk.checks, walk.started.config.evidence)
        walk.holds(_V, check in wanted, "calls are recorded of a check that is wanted", recorded=check)
        walk.holds(_V, check not in walk.recordings, "calls are recorded once", recorded=check)
    units = set(callable_units(candidate.assembly))
    strange = sorted({call.unit for call in event.recording.calls} - units)
    walk.same(_V, "recorded units that the program has not", strange, [])


def measured(walk: Walk, event: CostsMeasured) -> None:
    """V9. Costs are those of the program's own functions and methods, on a check of Q that was too costly."""
    candidate = walk.candidate(event.candidate)
    _advisory(walk, event.measurement.check, candidate.report, "costs")
    units = set(callable_units(candidate.assembly))
    strange = sorted({cost.unit for cost in event.measurement.costs} - units)
    walk.same(_V, "measured units that the program has not", strange, [])


def local(walk: Walk, event: LocalChecksRun) -> None:
    """V9. Local checks are those of the node's plan, run on the excerpt of the candidate that the node needs."""
    state = walk.state_of(walk.candidate(event.candidate))
    checks = executable_checks(state.graph.node(event.node), state.assembly)
    part = excerpt(state.assembly, state.graph, event.node)
    _report(walk, event.report, part.digest, checks, part.program)


def traced(walk: Walk, event: TraceRecorded) -> None:
    """V9. A trace is of a check of Q, and of lines that the program has."""
    last = walk.candidate(event.candidate).assembly.program.count("\n") + 1
    known = {check.id for check in walk.checks}
    walk.holds(_V, event.trace.check in known, "the check of a trace is one of Q", recorded=event.trace.check)
    outside = [line.line for line in event.trace.lines if not 1 <= line.line <= last]
    walk.same(_V, "traced lines outside the program", outside, [])


def probed(walk: Walk, event: ProgramProbed) -> None:
    """V9. The report of a probe is of its program, on its checks in order."""
    _report(walk, event.report, sha256_text(event.program), event.checks, event.program)


def _report(walk: Walk, report: ExecutionReport, digest: str, checks: Sequence[Check], program: str) -> None:
    walk.same(_V, "program of the report", report.program, digest)
    walk.same(_V, "isolation of the report", report.isolation, walk.isolation)
    order = [result.check for result in report.results]
    if not walk.same(_V, "checks of the report, in order", order, [check.id for check in checks]):
        return
    last = program.count("\n") + 1
    for check, result in zip(checks, report.results, strict=True):
        outside = [frame.line for frame in result.frames if not 1 <= frame.line <= last]
        walk.same(_V, f"frames of {check.id} outside the program", outside, [])
        _judged(walk, check, result)


def _judged(walk: Walk, check: Check, result: CheckResult) -> None:
    """A comparison made again must give the outcome and the message; other outcomes observe no result.

    A program that ran has no verdict of the gate: what the strict gate turns away never gets here.
    """
    walk.holds(_V, result.outcome != "policy-reject", f"{check.id} was run, the gate turned nothing away")
    if result.outcome not in _COMPARED:
        returned = check.input.kind in ("function", "calls") and result.has_observed
        walk.holds(_V, not returned, f"{check.id} ended without a result", recorded=result.outcome)
        return
    if isinstance(check.input, UnittestInput):
        return
    walk.holds(_V, result.has_observed, f"{check.id} was compared, so something was observed")
    if check.input.kind == "program" and isinstance(result.observed, str):
        walk.same(_V, f"standard output on {check.id}", result.stdout, head_of(result.observed))
    comparison = rejudge(check, result)
    if comparison is not None:
        outcome = "pass" if comparison.equal else "wrong-answer"
        told = (result.outcome, result.message, result.detail, result.frames)
        walk.same(_V, f"verdict on {check.id}", told, (outcome, comparison.message, "", ()))


def _advisory(walk: Walk, check: str, report: ExecutionReport | None, kind: str) -> None:
    outcomes: dict[str, Outcome] = {result.check: result.outcome for result in report.results} if report else {}
    if not walk.holds(_V, check in outcomes, "the check of an advisory run is one of Q", recorded=check):
        return
    if walk.reverify is None:  # after a repair calls are recorded on its anchor, which may pass now
        walk.same(_V, f"evidence wanted on {check}", kind, wanted_evidence(outcomes[check]))


RULES: tuple[Rule, ...] = (
    rule(_V, ChecksRun, run),
    rule(_V, CandidateRanked, ranked),
    rule(_V, CallsRecorded, recorded),
    rule(_V, CostsMeasured, measured),
    rule(_V, LocalChecksRun, local),
    rule(_V, TraceRecorded, traced),
    rule(_V, ProgramProbed, probed),
)
