"""Which executed violations are consequences of others upstream on their slot paths (core.md section 4, Preference).

Findings that constrain the same slots of the same owners stand or fall together: they are one *group*. Sets of groups
are integers, one bit a group, and they are spread over the slot graph once, so the cost grows with its edges and not
with the pairs of findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import networkx as nx

from auditcoder.core.obligations import Nodes, constrained_slots
from auditcoder.core.slots import SlotPair
from auditcoder.records.finding import Finding


class _Group(NamedTuple):
    owners: frozenset[str]
    slots: tuple[SlotPair, ...]
    """The constrained ones that the slot graph has."""


def consequences(findings: Sequence[Finding], nodes: Nodes, links: nx.DiGraph) -> tuple[bool, ...]:
    """Return for each finding whether another one explains it.

    It does when what it constrains flows into an owner of the finding that is not its own, and not the other way round.

    Args:
        findings: Executed violations.
        nodes: The nodes of the plan by id.
        links: The slot graph.
    """
    groups = [_group(finding, nodes, links) for finding in findings]
    distinct = list(dict.fromkeys(groups))
    flow = _Flow(distinct, links)
    explained = {group: flow.explained(place) for place, group in enumerate(distinct)}
    return tuple(explained[group] for group in groups)


def _group(finding: Finding, nodes: Nodes, links: nx.DiGraph) -> _Group:
    slots = tuple(slot for slot in constrained_slots(finding, nodes) if slot in links)
    return _Group(frozenset(finding.owners), slots)


class _Flow:
    """Which groups flow into which owners, and which owners' groups lie downstream of a group."""

    def __init__(self, groups: Sequence[_Group], links: nx.DiGraph) -> None:
        self._groups = groups
        starting: dict[SlotPair, int] = {}
        self._owned: dict[str, int] = {}
        for place, group in enumerate(groups):
            for slot in group.slots:
                starting[slot] = starting.get(slot, 0) | 1 << place
            for owner in group.owners:
                self._owned[owner] = self._owned.get(owner, 0) | 1 << place
        self._into: dict[str, int] = {}
        """Groups with a slot that flows into some slot of a node, by node."""
        for (node, _), flowing in _spread(links, starting).items():
            self._into[node] = self._into.get(node, 0) | flowing
        owned = {slot: self._owned.get(slot[0], 0) for slot in links}
        self._after = _spread(links.reverse(copy=False), owned)
        """Groups with an owner that some value of a slot flows into, by slot."""

    def explained(self, place: int) -> bool:
        """Return whether some group feeds this one and is not fed by it."""
        group = self._groups[place]
        feeding, sharing, fed = 0, 0, 0
        for owner in group.owners:
            feeding |= self._into.get(owner, 0) & ~self._owned[owner]
            sharing |= self._owned[owner]
        for slot in group.slots:
            fed |= self._after[slot]
        if feeding & ~fed:
            return True
        # What flows from a group to a slot of its own owner counts as fed above, and does not for the exact rule.
        return any(not self._feeds(place, other) for other in _bits(feeding & sharing))

    def _feeds(self, place: int, other: int) -> bool:
        """Return whether a group flows into an owner of another that is not its own."""
        foreign = self._groups[other].owners - self._groups[place].owners
        return any(self._into.get(owner, 0) >> place & 1 for owner in foreign)


def _spread(links: nx.DiGraph, marks: Mapping[SlotPair, int]) -> dict[SlotPair, int]:
    """Return for every slot the union of its own marks and of all slots that flow into it."""
    parts = nx.condensation(links)
    total: dict[int, int] = {}
    for part in nx.topological_sort(parts):
        total[part] = 0
        for slot in parts.nodes[part]["members"]:
            total[part] |= marks.get(slot, 0)
        for earlier in parts.predecessors(part):
            total[part] |= total[earlier]
    return {slot: total[part] for slot, part in parts.graph["mapping"].items()}


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
