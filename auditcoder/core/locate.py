"""From a failing check to the responsibilities that explain it, or an abstention (paper 3.3, core.md section 4).

Pure and deterministic: the answer depends on the recorded evidence only, and neither on the order of the findings nor
on what their ids are. The audit computes it again and compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditcoder.core.abstention import Abstention
from auditcoder.core.anchor import Anchor, find_anchor
from auditcoder.core.case import Case, LocateInputs
from auditcoder.core.cause import gives_way
from auditcoder.core.coherence import coherent_class, implicated_by
from auditcoder.core.compatible import turned_away
from auditcoder.core.grade import grade_of
from auditcoder.core.index import Index
from auditcoder.core.naming import id_key
from auditcoder.core.preference import prefer
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.rules import RuleResult, resource, trace
from auditcoder.core.shift import shifted
from auditcoder.records.localization import Localization, Support, TurnedAway

_OWN_CODE = ("semantic", "resource")
"""Obligations whose breach lies in the owner's own code; findings on them can back Trace and Resource."""


@dataclass(frozen=True)
class _Sifted:
    """The findings of one localization, each either compatible or turned away."""

    inputs: LocateInputs
    index: Index
    compatible: tuple[Case, ...]
    away: tuple[TurnedAway, ...]


def locate(inputs: LocateInputs, evaluator: PredicateEvaluator) -> Localization:
    """Return anchor, rule, implicated owners, class and grade, or an abstention; every finding is accounted for.

    Trace comes before Resource before Local; the first that yields an owner decides. Where that owner was called
    against its own precondition, the interface is implicated instead; where executed rejections of its providers
    explain what Trace found, they are. Without a failing check, with a report of another
    program, or when the sandbox itself failed on the anchor, nothing is localized.
    """
    if inputs.report.program != inputs.active.assembly.digest:
        return _abstain(inputs, Abstention.OTHER_PROGRAM)
    anchor = find_anchor(inputs.report, inputs.checks)
    if anchor is None:
        return _abstain(inputs, Abstention.NOTHING_FAILED)
    if anchor.failure is None:
        return _abstain(inputs, Abstention.HARNESS_ERROR, anchor)
    sifted = _sift(inputs, anchor, evaluator)
    notes: tuple[str, ...] = ()
    for rule in (trace, resource):
        result = rule(anchor, inputs)
        notes = (*notes, result.note)
        if result.owner:
            found = shifted(_by_rule(sifted, result, notes), inputs.findings, sifted.index)
            return gives_way(found, sifted.compatible, inputs)
    return shifted(_local(sifted, notes), inputs.findings, sifted.index)


def _sift(inputs: LocateInputs, anchor: Anchor, evaluator: PredicateEvaluator) -> _Sifted:
    index = Index(
        active=inputs.active,
        anchor=anchor,
        findings=inputs.findings,
        recording=inputs.recording,
        evaluator=evaluator,
    )
    compatible: list[Case] = []
    away: list[TurnedAway] = []
    for finding in sorted(inputs.findings, key=lambda item: id_key(item.id)):
        case = Case(finding, index)
        refusal = turned_away(case)
        if refusal is None:
            compatible.append(case)
        else:
            away.append(refusal)
    return _Sifted(inputs, index, tuple(compatible), tuple(away))


def _by_rule(sifted: _Sifted, result: RuleResult, notes: tuple[str, ...]) -> Localization:
    """Return the localization of Trace or Resource: one owner, by evidence that names no obligation, hence `Impl`.

    Compatible findings on that owner's own code back it; all others are turned away, the rule has priority.
    """
    backing = [case for case in sifted.compatible if _backs(case, result.owner)]
    others = [case for case in sifted.compatible if not _backs(case, result.owner)]
    away = _away(others, "preference",
                 f"{result.rule} has priority and implicates {result.owner}")  # fmt: skip
    supporting = _support(backing)
    return Localization(
        policy=sifted.inputs.policy,
        anchor=sifted.index.anchor.check.id,
        failure=sifted.index.anchor.failure,
        rule=result.rule,
        implicated=(result.owner,),
        defect="Impl",
        grade=grade_of(result.rule, supporting, sifted.inputs.findings),
        supporting=supporting,
        turned_away=_in_order((*sifted.away, *away)),
        notes=notes,
    )


def _backs(case: Case, owner: str) -> bool:
    return case.finding.owners == (owner,) and case.finding.obligation.kind in _OWN_CODE


def _local(sifted: _Sifted, notes: tuple[str, ...]) -> Localization:
    inputs = sifted.inputs
    preferred = prefer(sifted.compatible, inputs.policy)
    away = (*sifted.away, *preferred.turned_away)
    if not preferred.kept:
        notes = (*notes, f"Local: none of {len(inputs.findings)} findings is compatible")
        return _abstain(inputs, Abstention.NO_COMPATIBLE_FINDING, sifted.index.anchor, away, notes)
    findings = [case.finding for case in preferred.kept]
    owners = tuple(sorted(implicated_by(findings), key=id_key))
    notes = (*notes, f"Local: {len(findings)} compatible findings on {', '.join(owners)}")
    defect = coherent_class(findings, inputs.active.graph)
    if defect is None:
        away = (*away, *_away(preferred.kept, "coherence", f"it competes with others over {', '.join(owners)}"))
        return _abstain(inputs, Abstention.COMPETING, sifted.index.anchor, away, notes)
    supporting = _support(preferred.kept)
    return Localization(
        policy=inputs.policy,
        anchor=sifted.index.anchor.check.id,
        failure=sifted.index.anchor.failure,
        rule="Local",
        implicated=owners,
        defect=defect,
        grade=grade_of("Local", supporting, inputs.findings),
        supporting=supporting,
        turned_away=_in_order(away),
        notes=notes,
    )


def _abstain(
    inputs: LocateInputs,
    reason: Abstention,
    anchor: Anchor | None = None,
    away: Sequence[TurnedAway] = (),
    notes: tuple[str, ...] = (),
) -> Localization:
    return Localization(
        policy=inputs.policy,
        anchor=anchor.check.id if anchor else "",
        failure=anchor.failure if anchor else None,
        turned_away=_in_order(away),
        abstained=reason.value,
        notes=notes,
    )


def _support(cases: Sequence[Case]) -> tuple[Support, ...]:
    return tuple(Support(finding=case.finding.id, applicability=case.applied.applicability) for case in cases)


def _away(cases: Sequence[Case], clause: str, reason: str) -> tuple[TurnedAway, ...]:
    return tuple(TurnedAway(finding=case.finding.id, clause=clause, reason=reason) for case in cases)


def _in_order(away: Sequence[TurnedAway]) -> tuple[TurnedAway, ...]:
    return tuple(sorted(away, key=lambda item: id_key(item.finding)))
