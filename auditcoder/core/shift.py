"""Precondition shift: a consumer that was called wrongly is not alone to blame (paper 3.3 and B.3, core.md 4 step 5).

Decided from recorded findings only: a contract monitor's rejection of a precondition is an executed finding on the
interface of provider and consumer. It counts whatever the anchor's failure type is, since the call happened. So does an
executed rejection of the interface without a predicate: suspects that hand each other a value (core.suspects).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditcoder.core.case import Case
from auditcoder.core.compatible import holds
from auditcoder.core.grade import grade_of
from auditcoder.core.index import Index
from auditcoder.core.naming import id_key
from auditcoder.records.finding import Finding
from auditcoder.records.localization import Localization, Support, TurnedAway

_REQUIRED = ("current", "rejecting", "obligation", "contradicted")
"""Clauses of Compatible that a violated precondition must meet; the others ask what could explain the failure."""


def shifted(found: Localization, findings: Iterable[Finding], index: Index) -> Localization:
    """Return a localization of class `Impl` moved to the violated interfaces of its owner, if there are any.

    All of them meet at that owner, so they are connected. What supported before is turned away with the clause `shift`.
    Where the task itself provides the slot, or nobody, no finding is tied to an obligation, and nothing moves.
    """
    violated = [each for each in findings if _violates(each, found.implicated, index)] if found.defect == "Impl" else []
    if not violated or found.rule is None:
        return found
    moved = {each.id for each in violated}
    ends = {end for each in violated for end in (each.obligation.provider, each.obligation.consumer)}
    away = [each for each in found.turned_away if each.finding not in moved]
    away += _replaced(found, violated)
    supporting = tuple(Support(finding=name, applicability="observed") for name in sorted(moved, key=id_key))
    return found.model_copy(
        update={
            "implicated": tuple(sorted(ends, key=id_key)),
            "defect": "Ifc",
            "grade": grade_of(found.rule, supporting, violated),
            "supporting": supporting,
            "turned_away": tuple(sorted(away, key=lambda each: id_key(each.finding))),
            "notes": (*found.notes, *_notes(violated)),
        }
    )


def _violates(finding: Finding, implicated: Sequence[str], index: Index) -> bool:
    obligation = finding.obligation
    return (
        obligation.kind == "interface"
        and finding.evidence == "exec"
        and finding.check == index.anchor.check.id
        and obligation.consumer in implicated
        and all(holds(clause, Case(finding, index)) for clause in _REQUIRED)
    )


def _replaced(found: Localization, violated: Sequence[Finding]) -> list[TurnedAway]:
    consumer = violated[0].obligation.consumer
    named = ", ".join(sorted((each.id for each in violated), key=id_key))
    what = (
        "was called against its own precondition" if _monitored(violated) else "takes a value over a rejected interface"
    )
    reason = f"{consumer} {what}: {named}"
    return [TurnedAway(finding=each.finding, clause="shift", reason=reason) for each in found.supporting]


def _notes(violated: Sequence[Finding]) -> list[str]:
    broken = [each.obligation for each in sorted(violated, key=lambda each: id_key(each.id))]
    notes = (
        f"Shift: {each.provider} gives {each.slot or 'a value'} to {each.consumer}"
        f" {f'against its precondition {each.predicate}' if each.predicate else 'over a rejected interface'}"
        for each in broken
    )
    return list(dict.fromkeys(notes))


def _monitored(violated: Sequence[Finding]) -> bool:
    return any(each.obligation.predicate for each in violated)
