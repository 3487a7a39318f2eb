"""Which findings may explain the anchor: the clauses of `Compatible(f, anchor)` (paper 3.3 and B.3, core.md 4).

A clause is a function that returns an empty text when it holds, else the reason that goes into the record. The table
gives the order in which they are asked; the first that fails turns the finding away, because a later clause
presupposes the earlier ones (an obligation that does not exist reaches nothing).
"""

from __future__ import annotations

from collections.abc import Callable

from auditcoder.core.case import Case
from auditcoder.core.contradiction import contradicted
from auditcoder.core.obligations import constrained_slots, untied
from auditcoder.records.finding import ObligationKind
from auditcoder.records.localization import FailureType, TurnedAway

Clause = Callable[[Case], str]

_BEHAVIOUR: frozenset[ObligationKind] = frozenset({"semantic", "interface", "commitment"})
_COST: frozenset[ObligationKind] = frozenset({"resource", "commitment"})
ADMISSIBLE: dict[FailureType, frozenset[ObligationKind]] = {
    "WA": _BEHAVIOUR,
    "RE": _BEHAVIOUR,
    "TLE": _COST,
    "MLE": _COST,
}


def turned_away(case: Case) -> TurnedAway | None:
    """Return the first clause that a finding fails, with its reason; None when it is compatible."""
    for name, clause in CLAUSES:
        reason = clause(case)
        if reason:
            return TurnedAway(finding=case.finding.id, clause=name, reason=reason)
    return None


def holds(name: str, case: Case) -> bool:
    """Return whether a finding meets the clause of this name."""
    return not dict(CLAUSES)[name](case)


def _current(case: Case) -> str:
    if case.index.versions.is_current(case.finding):
        return ""
    return "it was made against other versions of its owners' code, contracts or providers"


def _rejecting(case: Case) -> str:
    return "" if case.finding.verdict == "reject" else "it accepts"


def _obligation(case: Case) -> str:
    return untied(case.finding, case.index.nodes, case.index.decisions)


def _kind(case: Case) -> str:
    kind, failure = case.finding.obligation.kind, case.index.anchor.failure
    if failure is not None and kind in ADMISSIBLE[failure]:
        return ""
    return f"a {kind} obligation cannot explain {failure}"


def _reach(case: Case) -> str:
    slots = constrained_slots(case.finding, case.index.nodes)
    if case.finding.obligation.kind == "resource" or not case.index.reaching.isdisjoint(slots):
        return ""  # time and memory are spent whether or not a value flows on
    named = ", ".join(f"{node}.{slot}" for node, slot in slots) or "no slot"
    return f"{named} does not reach the failing observable"


def _witness(case: Case) -> str:
    return case.applied.reason if case.applied.applicability == "incompatible" else ""


CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("current", _current),
    ("rejecting", _rejecting),
    ("obligation", _obligation),
    ("kind", _kind),
    ("reach", _reach),
    ("witness", _witness),
    ("contradicted", contradicted),
)
