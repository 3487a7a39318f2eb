"""Whether a finding's obligation exists in the plan, and which slots it constrains (core.md sections 1 and 4)."""

from __future__ import annotations

from collections.abc import Callable

from auditcoder.records.finding import Finding, Obligation, ObligationKind
from auditcoder.records.graph import Node, TaskGraph

WHOLE_CONTRACT = "contract"
"""Predicate id of an obligation to the contract as a whole."""


def untied(finding: Finding, graph: TaskGraph) -> str:
    """Return why a finding is not tied to a specific obligation of its owners, or an empty text when it is.

    Expects owners that the graph has (a current finding's are).
    """
    owners = [graph.node(owner) for owner in finding.owners]
    slot = finding.obligation.slot
    if slot and not any(slot in _slot_names(node) for node in owners):
        return f"its owners have no slot {slot}"
    return _TIES[finding.obligation.kind](finding, owners, graph)


def constrained_slots(finding: Finding, graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    """Return the (node, slot) pairs that the obligation constrains.

    The slot that it names; else the slots of the predicate that it names; else every output of its owners.
    """
    pairs: list[tuple[str, str]] = []
    for owner in finding.owners:
        node = graph.node(owner)
        pairs.extend((owner, slot) for slot in _constrained(finding.obligation, node))
    return tuple(pairs)


def _constrained(obligation: Obligation, node: Node) -> tuple[str, ...]:
    if obligation.slot:
        return (obligation.slot,) if obligation.slot in _slot_names(node) else ()
    for predicate in node.contract.predicates():
        if predicate.id == obligation.predicate and predicate.slots:
            return predicate.slots
    return tuple(slot.name for slot in node.outputs)


def _slot_names(node: Node) -> set[str]:
    return {slot.name for slot in (*node.inputs, *node.outputs)}


def _semantic(finding: Finding, owners: list[Node], graph: TaskGraph) -> str:
    predicate = finding.obligation.predicate
    if predicate == WHOLE_CONTRACT:
        specific = finding.evidence == "exec" or bool(finding.obligation.slot)
        return "" if specific else "a judgement on the whole contract names neither a predicate nor a slot"
    for node in owners:
        own = {item.id for item in (*node.contract.postconditions, *node.contract.invariants)}
        if predicate not in own:
            return f"{node.id} has no postcondition or invariant {predicate or '(none named)'}"
    return ""


def _interface(finding: Finding, owners: list[Node], graph: TaskGraph) -> str:
    obligation = finding.obligation
    ends = {obligation.provider, obligation.consumer}
    if not ends.intersection(finding.owners):
        return "its owners are no end of the interface that it names"
    for node in graph.nodes:
        if node.id == obligation.consumer and any(item.node == obligation.provider for item in node.provenance):
            return ""
    provider, consumer = obligation.provider or "(none)", obligation.consumer or "(none)"
    return f"{provider} provides no slot of {consumer}"


def _commitment(finding: Finding, owners: list[Node], graph: TaskGraph) -> str:
    decision = finding.obligation.decision
    if any(item.id == decision for item in graph.decisions):
        return ""
    return f"the plan has no decision {decision or '(none named)'}"


def _resource(finding: Finding, owners: list[Node], graph: TaskGraph) -> str:
    if finding.evidence == "exec":
        return ""  # measured against the limits of the check
    without = [node.id for node in owners if not node.budget.time]
    return f"{', '.join(without)} has no complexity budget to break" if without else ""


_TIES: dict[ObligationKind, Callable[[Finding, list[Node], TaskGraph], str]] = {
    "semantic": _semantic,
    "interface": _interface,
    "commitment": _commitment,
    "resource": _resource,
}
