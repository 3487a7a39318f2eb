"""V11, V12: where a failure was localized and what may change, from the evidence before the repair."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.walk import Walk
from auditcoder.core.anchor import find_anchor
from auditcoder.core.case import LocateInputs
from auditcoder.core.locate import locate
from auditcoder.core.scope import select_scope
from auditcoder.core.wanted import wanted_evidence, wanted_recordings
from auditcoder.records.events import RepairStarted

_NO_RULE_YET = "no-scope-rule-for-class"
"""The abstention of format 1.0 for classes that had no scope rule then."""


def localized(walk: Walk, event: RepairStarted) -> None:
    """V11. Localizing again, from the recorded evidence alone, gives the same; what is wanted was recorded."""
    state = walk.state_of(walk.state.program)
    anchor = find_anchor(state.report, walk.checks)
    name = anchor.check.id if anchor else ""
    recording, measurement = walk.recordings.get(name), walk.measurements.get(name)
    inputs = LocateInputs(
        active=state.active,
        report=state.report,
        checks=walk.checks,
        findings=state.findings,
        recording=recording,
        measurement=measurement,
        policy=walk.started.config.locate,
        evidence=walk.started.config.evidence,
    )
    made = locate(inputs, walk.evaluator)
    walk.same(AuditCheck.LOCALIZATION, "localization", event.localization, made)
    kinds = {"calls": recording, "costs": measurement}
    found = next((kind for kind, evidence in kinds.items() if evidence is not None), "nothing")
    wanted = wanted_evidence(anchor.result.outcome) if anchor and anchor.result else "nothing"
    walk.same(AuditCheck.LOCALIZATION, "evidence on the anchor", found, wanted)
    others = wanted_recordings(state, walk.checks, walk.started.config.evidence)[1:]
    missing = [check for check in others if check not in walk.recordings]
    walk.same(AuditCheck.LOCALIZATION, "other checks whose calls were not recorded", missing, [])


def selected(walk: Walk, event: RepairStarted) -> None:
    """V12. Selecting the scope of the recorded localization again gives the same."""
    state = walk.state_of(walk.state.program)
    if not walk.grown and event.scope.abstained == _NO_RULE_YET:
        walk.holds(AuditCheck.SCOPE, event.localization.defect != "Impl", "an implementation defect has a scope rule")
        return
    made = select_scope(event.localization, state.graph, state.assembly, state.findings)
    walk.same(AuditCheck.SCOPE, "selected scope", event.scope, made)


RULES: tuple[Rule, ...] = (
    rule(AuditCheck.LOCALIZATION, RepairStarted, localized),
    rule(AuditCheck.SCOPE, RepairStarted, selected),
)
