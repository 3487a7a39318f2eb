"""V10: findings are made again from the evidence before them: ids, versions, verdicts, and that none is missing."""

from __future__ import annotations

from dataclasses import replace

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.walk import Due, Walk
from auditcoder.core.anchor import find_anchor
from auditcoder.core.confirmation import needs_confirmation
from auditcoder.core.evidence import Judgement, finding_from_measurement, findings_from_checks, judged_finding
from auditcoder.core.local_checks import findings_from_local_checks
from auditcoder.core.monitors import Monitored, monitor
from auditcoder.core.wanted import measured_metric, wanted_suspects
from auditcoder.errors import RecordError
from auditcoder.records.events import (
    CallsRecorded,
    CandidateRanked,
    ChecksRun,
    CostsMeasured,
    Event,
    FindingsAdded,
    FindingSource,
    LocalChecksRun,
    NodesReverified,
    RepairEnded,
    RepairStarted,
    RoundStarted,
    RunFinished,
)
from auditcoder.records.finding import Finding

_V = AuditCheck.FINDINGS


def added(walk: Walk, event: FindingsAdded) -> None:
    """V10. Findings that were added are those that their evidence gives, with the versions that were active."""
    source = event.source or _source(walk, event)
    if walk.grown:
        walk.holds(_V, bool(event.source), "findings name their source")
    if source == "verifier":
        _judged(walk, event)
        return
    if source == "suspects":
        _suspects(walk, event)
        return
    due = walk.due.pop(source, None)
    if due is None:
        walk.differ(_V, f"evidence for findings of source {source or 'unknown'}", [f.id for f in event.findings], "")
        return
    walk.same(_V, f"findings of source {source}", event.findings, due.findings)
    walk.same(_V, "predicates that were not evaluated", event.unevaluated, due.unevaluated)


def after_run(walk: Walk, event: ChecksRun) -> None:
    """V10. The final run of a candidate on Q gives its check findings."""
    candidate, report = walk.candidate(event.candidate), event.report
    if candidate.report is None and needs_confirmation(walk.started.task.entry, walk.checks, report):
        return  # the confirmation counts
    state = walk.state_of(replace(candidate, report=report))
    made = findings_from_checks(state, walk.checks, start=len(walk.state.findings))
    _expect(walk, "checks", made)


def after_recording(walk: Walk, event: CallsRecorded) -> None:
    """V10. Calls recorded on the anchor, or behind a repair, give the findings of the monitors; since 1.1."""
    if not walk.grown:
        return
    state = walk.state_of(walk.candidate(event.candidate))
    anchor = find_anchor(state.report, walk.checks)
    if walk.reverify is None and (anchor is None or anchor.check.id != event.recording.check):
        return
    nodes = walk.reverify.monitored if walk.reverify else None
    start = len(walk.state.findings)
    made: Monitored = monitor(event.recording, state.active, walk.evaluator, start=start, nodes=nodes)
    _expect(walk, "monitors", made.findings, made.unevaluated)


def after_measurement(walk: Walk, event: CostsMeasured) -> None:
    """V10. A measurement gives a finding on the owner that dominates it, if one does."""
    state = walk.state_of(walk.candidate(event.candidate))
    anchor = find_anchor(state.report, walk.checks)
    if anchor is None or anchor.result is None:
        raise RecordError("there is no failing check that was measured")
    metric = measured_metric(anchor.result.outcome)
    start = len(walk.state.findings)
    made = finding_from_measurement(event.measurement, anchor.result, metric, state.active, start=start)
    _expect(walk, "measurement", (made,) if made else ())


def after_local_checks(walk: Walk, event: LocalChecksRun) -> None:
    """V10. The local checks of a node give findings on it; since 1.1."""
    state = walk.state_of(walk.candidate(event.candidate))
    start = len(walk.state.findings)
    _expect(walk, "local-checks", findings_from_local_checks(state.active, event.node, event.report, start=start))


def complete(walk: Walk, event: Event) -> None:
    """V10. Before a decision all findings that the evidence gives were added: none was left out."""
    for source in list(walk.due):
        _missing(walk, source)


def suspects_complete(walk: Walk, event: RepairStarted) -> None:
    """V10. Before a repair the suspects that the recorded calls of all checks give were added."""
    if not walk.suspected:
        walk.same(_V, "findings of source suspects", [], [finding.id for finding in _suspected(walk)])


def _suspects(walk: Walk, event: FindingsAdded) -> None:
    """Suspects are named once before a decision, and are those that the recorded calls of the active program give."""
    walk.holds(_V, not walk.suspected, "suspects are named once before a decision")
    walk.suspected = True
    walk.same(_V, "findings of source suspects", event.findings, _suspected(walk))
    walk.same(_V, "predicates that were not evaluated", event.unevaluated, ())


def _suspected(walk: Walk) -> tuple[Finding, ...]:
    state, scope = walk.state_of(walk.state.program), walk.started.config.evidence
    return wanted_suspects(walk.started.task, state, walk.checks, scope, walk.recordings, walk.state.findings)


def _expect(
    walk: Walk, source: FindingSource, findings: tuple[Finding, ...], unevaluated: tuple[str, ...] = ()
) -> None:
    _missing(walk, source)
    walk.due[source] = Due(walk.event, findings, unevaluated)


def _missing(walk: Walk, source: FindingSource) -> None:
    due = walk.due.pop(source, None)
    if due is not None:
        wanted = [finding.id for finding in due.findings] + list(due.unevaluated)
        walk.same(_V, f"findings of source {source} that event {due.event} gives", [], wanted)


def _source(walk: Walk, event: FindingsAdded) -> FindingSource:
    """Return what findings of a ledger of format 1.0, which does not say it, were made from."""
    if event.findings and all(finding.evidence == "judg" for finding in event.findings):
        return "verifier"
    waiting: tuple[FindingSource, ...] = ("measurement", "monitors", "local-checks", "checks")
    for source in waiting:
        if source in walk.due:
            return source
    return ""


def _judged(walk: Walk, event: FindingsAdded) -> None:
    """A judged finding is tied to the verifier's call right before it and to the active versions."""
    call, [finding] = walk.last_call, event.findings
    walk.holds(_V, walk.previous is call, "a judged finding follows the verifier's call")
    told = (call.role, call.node, call.error) if call else ()
    walk.same(_V, "call that the judgement came from", told, ("verifier", *finding.owners, ""))
    state = walk.state_of(walk.state.program)
    anchor = find_anchor(state.report, walk.checks)
    judgement = Judgement(
        owners=finding.owners[:1],
        verdict=finding.verdict,
        obligation=finding.obligation,
        condition=finding.condition,
        reason=finding.reason,
        check=anchor.check.id if anchor else "",
    )
    made = judged_finding(judgement, state.active, start=len(walk.state.findings))
    walk.same(_V, "judged finding", finding, made)
    walk.same(_V, "predicates that were not evaluated", event.unevaluated, ())


RULES: tuple[Rule, ...] = (
    rule(_V, FindingsAdded, added),
    rule(_V, ChecksRun, after_run),
    rule(_V, CallsRecorded, after_recording),
    rule(_V, CostsMeasured, after_measurement),
    rule(_V, LocalChecksRun, after_local_checks),
    rule(_V, CandidateRanked, complete),
    rule(_V, RepairStarted, complete),
    rule(_V, RepairStarted, suspects_complete),
    rule(_V, RoundStarted, complete),
    rule(_V, RepairEnded, complete),
    rule(_V, NodesReverified, complete),
    rule(_V, RunFinished, complete),
)
