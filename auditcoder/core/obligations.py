"""Whether a finding's obligation exists in the plan, and which slots it constrains (core.md sections 1 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from auditcoder.records.finding import Finding, Obligation, ObligationKind
from auditcoder.records.graph import TASK, Node

Nodes = Mapping[str, Node]
"""The nodes of a plan by id."""

WHOLE_CONTRACT = "contract"
"""Predicate id of an obligation to the contract as a whole."""


class _Plan(NamedTuple):
    nodes: Nodes
    decisions: Collection[str]


def untied(finding: Finding, nodes: Nodes, decisions: Collection[str]) -> str:
    """Return why a finding is not tied to a specific obligation of its owners, or an empty text when it is.

    Args:
        finding: Its owners are nodes (a current finding's are).
        nodes: The nodes of the plan by id.
        decisions: The ids of its planning decisions.
    """
    owners = [nodes[owner] for owner in finding.owners]
    slot = finding.obligation.slot
    if slot and not any(slot in _slot_names(node) for node in owners):
        return f"its owners have no slot {slot}"
    return _TIES[finding.obligation.kind](finding, owners, _Plan(nodes, decisions))


def constrained_slots(finding: Finding, nodes: Nodes) -> tuple[tuple[str, str], ...]:
    """Return the (node, slot) pairs that the obligation constrains.

    The slot that it names; else the slots of the predicate that it names; else every output of its owners.
    """
    pairs: list[tuple[str, str]] = []
    for owner in finding.owners:
        pairs.extend((owner, slot) for slot in _constrained(finding.obligation, nodes[owner]))
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


def _semantic(finding: Finding, owners: list[Node], plan: _Plan) -> str:
    predicate = finding.obligation.predicate
    if predicate == WHOLE_CONTRACT:
        specific = finding.evidence == "exec" or bool(finding.obligation.slot)
        return "" if specific else "a judgement on the whole contract names neither a predicate nor a slot"
    for node in owners:
        own = {item.id for item in (*node.contract.postconditions, *node.contract.invariants)}
        if predicate not in own:
            return f"{node.id} has no postcondition or invariant {predicate or '(none named)'}"
    return ""


def _interface(finding: Finding, owners: list[Node], plan: _Plan) -> str:
    obligation = finding.obligation
    ends = {obligation.provider, obligation.consumer}
    if not ends.intersection(finding.owners):
        return "its owners are no end of the interface that it names"
    consumer = plan.nodes.get(obligation.consumer)
    given = [item for item in consumer.provenance if item.node == obligation.provider] if consumer else []
    named = obligation.slot or ", ".join(item.slot for item in given)
    if given and obligation.provider == TASK:
        return f"the task itself provides {named} of {obligation.consumer}: nobody can be held to it"
    if given:
        return ""
    return f"{obligation.provider or '(none)'} provides no slot of {obligation.consumer or '(none)'}"


def _commitment(finding: Finding, owners: list[Node], plan: _Plan) -> str:
    decision = finding.obligation.decision
    if decision in plan.decisions:
        return ""
    return f"the plan has no decision {decision or '(none named)'}"


def _resource(finding: Finding, owners: list[Node], plan: _Plan) -> str:
    if finding.evidence == "exec":
        return ""  # measured against the limits of the check
    without = [node.id for node in owners if not node.budget.time]
    return f"{', '.join(without)} has no complexity budget to break" if without else ""


_TIES: dict[ObligationKind, Callable[[Finding, list[Node], _Plan], str]] = {
    "semantic": _semantic,
    "interface": _interface,
    "commitment": _commitment,
    "resource": _resource,
}
