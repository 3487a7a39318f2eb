"""What all findings of one localization are judged against, computed once for all of them.

Every part is computed when it is first asked for, so a localization pays only for what its findings touch, and the
whole grows with the sum of findings, slots and calls, not with their product.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import networkx as nx

from auditcoder.core.anchor import Anchor
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.slots import SlotPair, observables, reaching, slot_graph
from auditcoder.core.versions import Active, VersionTable
from auditcoder.core.witness import Applied, Call, bound_calls, judged_by_calls, signed_units
from auditcoder.records.code import CodeUnit
from auditcoder.records.execution import Recording
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Node
from auditcoder.records.task import FunctionSignature
from auditcoder.records.values import Value


@dataclass(frozen=True, kw_only=True, eq=False)
class Index:
    """The active program, the anchor and the evidence, arranged for look-ups."""

    active: Active
    anchor: Anchor
    findings: Sequence[Finding]
    recording: Recording | None
    evaluator: PredicateEvaluator
    _verdicts: dict[tuple[str, str], Applied] = field(default_factory=dict, init=False)
    _calls: dict[str, tuple[Call, ...]] = field(default_factory=dict, init=False)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """Return the nodes by id; of two nodes with one id the first."""
        return {node.id: node for node in reversed(self.active.graph.nodes)}

    @cached_property
    def decisions(self) -> frozenset[str]:
        """Return the ids of the planning decisions."""
        return frozenset(decision.id for decision in self.active.graph.decisions)

    @cached_property
    def versions(self) -> VersionTable:
        """Return the active versions."""
        return VersionTable(self.active.graph, self.active.codes)

    @cached_property
    def links(self) -> nx.DiGraph:
        """Return the slot graph."""
        return slot_graph(self.active.graph)

    @cached_property
    def reaching(self) -> frozenset[SlotPair]:
        """Return the slots that reach what the anchor observes."""
        return reaching(self.links, observables(self.active.graph, self.anchor.check.input))

    def accepts(self, like: Finding, check: str, witness: Value) -> Sequence[Finding]:
        """Return the current executed accepts of a finding's obligation and owners, on a check with a witness."""
        return self._accepts.get((like.obligation, frozenset(like.owners), check, as_key(witness)), ())

    def verdict(self, condition: str, owner: str) -> Applied:
        """Return what the recorded calls of an owner say about a condition; evaluated once, however often asked."""
        key = (condition, owner)
        if key not in self._verdicts:
            self._verdicts[key] = self._verdict(condition, owner)
        return self._verdicts[key]

    def _verdict(self, condition: str, owner: str) -> Applied:
        units = self._signed(owner)
        if not units or self.recording is None:
            return Applied(
                "asserted", f"{owner} has no function with a contract signature whose calls could be recorded"
            )
        if owner not in self._calls:
            placed = sorted(place for unit in units for place in self._places.get(unit, ()))
            self._calls[owner] = bound_calls([self.recording.calls[place] for place in placed], units)
        complete = self.recording.complete
        return judged_by_calls(condition, owner, self._calls[owner], self.evaluator, complete=complete)

    def _signed(self, owner: str) -> dict[str, FunctionSignature]:
        return signed_units(self.nodes[owner].contract, self._units.get(owner, ()))

    @cached_property
    def _units(self) -> dict[str, list[CodeUnit]]:
        owned: dict[str, list[CodeUnit]] = {}
        for unit in self.active.assembly.units:
            owned.setdefault(unit.owner, []).append(unit)
        return owned

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the calls of each unit stand in the recording."""
        places: dict[str, list[int]] = {}
        for place, call in enumerate(self.recording.calls if self.recording else ()):
            places.setdefault(call.unit, []).append(place)
        return places

    @cached_property
    def _accepts(self) -> dict[tuple[Obligation, frozenset[str], str, Hashable], list[Finding]]:
        found: dict[tuple[Obligation, frozenset[str], str, Hashable], list[Finding]] = {}
        for each in self.findings:
            if each.verdict == "accept" and each.evidence == "exec" and self.versions.is_current(each):
                key = (each.obligation, frozenset(each.owners), each.check, as_key(each.witness))
                found.setdefault(key, []).append(each)
        return found


def as_key(value: Value) -> Hashable:
    """Return a hashable form of a recorded value; two forms are equal exactly when the values are."""
    if isinstance(value, list):
        return ("list", tuple(as_key(item) for item in value))
    if isinstance(value, dict):
        return ("dict", frozenset((name, as_key(item)) for name, item in value.items()))
    return value
