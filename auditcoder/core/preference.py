"""Which of the compatible findings explain the anchor (paper 3.3, core.md section 4, Preference)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.core.case import Case
from auditcoder.core.upstream import consequences
from auditcoder.records.localization import Policy, TurnedAway


class Preferred(NamedTuple):
    """The findings that stay, and the ones that were turned away for them."""

    kept: tuple[Case, ...]
    turned_away: tuple[TurnedAway, ...]


def prefer(cases: Sequence[Case], policy: Policy) -> Preferred:
    """Return the findings with observed applicability, or all when none has it; then what the policy adds.

    `paper` stops there. `executed-first` goes on among the observed ones: executed before judged, and of executed
    violations along one slot path the most upstream, because the others are its consequences.
    """
    observed = [case.applied.applicability == "observed" for case in cases]
    first = _keep(cases, observed, "others have observed applicability, this one only asserted")
    if policy == "paper" or not any(observed):
        return first
    executed = [case.finding.evidence == "exec" for case in first.kept]
    second = _keep(first.kept, executed, "others are executed, this one is judged")
    if not any(executed):
        return Preferred(second.kept, first.turned_away + second.turned_away)
    sources = [not explained for explained in _consequences(second.kept)]
    third = _keep(second.kept, sources, "an executed violation upstream on its slot path explains it")
    return Preferred(third.kept, first.turned_away + second.turned_away + third.turned_away)


def _keep(cases: Sequence[Case], better: Sequence[bool], reason: str) -> Preferred:
    """Return the better cases, or all when none is better than the others."""
    if not any(better):
        return Preferred(tuple(cases), ())
    marked = list(zip(cases, better, strict=True))
    worse = (case.finding.id for case, good in marked if not good)
    return Preferred(
        tuple(case for case, good in marked if good),
        tuple(TurnedAway(finding=name, clause="preference", reason=reason) for name in worse),
    )


def _consequences(cases: Sequence[Case]) -> tuple[bool, ...]:
    index = cases[0].index
    return consequences([case.finding for case in cases], index.nodes, index.links)
