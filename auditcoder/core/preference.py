"""Which of the compatible findings explain the anchor (paper 3.3, core.md section 4, Preference)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import networkx as nx

from auditcoder.core.case import Case
from auditcoder.core.obligations import constrained_slots
from auditcoder.core.slots import slot_graph
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
    observed = [case for case in cases if case.applied.applicability == "observed"]
    result = _keep(cases, observed, "others have observed applicability, this one only asserted")
    if policy == "paper" or not observed:
        return result
    executed = [case for case in observed if case.finding.evidence == "exec"]
    second = _keep(result.kept, executed, "others are executed, this one is judged")
    sources = [case for case in executed if not any(_upstream(other, case) for other in executed)]
    third = _keep(second.kept, sources, "an executed violation upstream on its slot path explains it")
    return Preferred(third.kept, result.turned_away + second.turned_away + third.turned_away)


def _keep(cases: Sequence[Case], better: Sequence[Case], reason: str) -> Preferred:
    if not better:
        return Preferred(tuple(cases), ())
    worse = [case.finding.id for case in cases if case not in better]
    return Preferred(
        tuple(better), tuple(TurnedAway(finding=name, clause="preference", reason=reason) for name in worse)
    )


def _upstream(first: Case, second: Case) -> bool:
    """Return whether what the first constrains flows into an owner of the second, and not the other way round."""
    return _feeds(first, second) and not _feeds(second, first)


def _feeds(first: Case, second: Case) -> bool:
    graph = first.inputs.active.graph
    links = slot_graph(graph)
    starts = [slot for slot in constrained_slots(first.finding, graph) if slot in links]
    reached = {node for start in starts for node, _ in nx.descendants(links, start)}
    return any(owner in reached for owner in second.finding.owners if owner not in first.finding.owners)
