"""Nothing of the plan outside a repair's final scope may change (paper 3.4, core.md sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from auditcoder.core.graph import integrity, subtree
from auditcoder.core.replan import external, ids_of
from auditcoder.records.graph import ROOT, Contract, Node, Predicate, Slot, TaskGraph
from auditcoder.records.localization import OpenSlot, Scope
from auditcoder.records.task import FunctionSignature
from auditcoder.records.transaction import BorderViolation

PLAN = "<plan>"
"""Unit of a violation that is about the plan; its owner is the node, or the node of the planning decision."""
_REPLANNED = {"kind": "orchestrator", "executor": "orchestration", "depends_on": ()}
"""What replanning sets at the branch root; its slots from inside the branch are left out as well."""


def plan_violations(
    before: TaskGraph, after: TaskGraph, scope: Scope, used_ids: Collection[str]
) -> tuple[BorderViolation, ...]:
    """Return how a revised plan goes beyond its scope; none means that the repair may be carried out.

    Regenerated under an unchanged contract: the plans are identical. An interface pair: on its two nodes only
    predicates on open slots, their types and the types of the signatures that carry them. A replanned branch: nodes,
    decisions and relative order outside are identical, the branch root keeps its external contract, what is new below
    it has ids that were never given out, and the plan has integrity.

    Args:
        before: The plan at the snapshot.
        after: The plan as the repair changes it.
        scope: What may change.
        used_ids: Ids of nodes and decisions that were ever given out in this plan attempt.
    """
    if before == after:
        return ()
    inside = frozenset(subtree(before, scope.branch)) if scope.action == "replan" else frozenset[str]()
    violations = [*_nodes(before, after, scope, inside), *_rest(before, after, scope, inside)]
    if inside:
        violations += _fresh(before, after, scope, inside, used_ids)
    violations += [_violation(broken.node or ROOT, "changed") for broken in integrity(after)]
    return tuple(dict.fromkeys(violations))


def _nodes(before: TaskGraph, after: TaskGraph, scope: Scope, inside: frozenset[str]) -> Iterator[BorderViolation]:
    revised = {node.id: node for node in after.nodes}
    for node in before.nodes:
        new = revised.get(node.id)
        if node.id in inside and node.id != scope.branch:
            continue  # may go; that its id is not given to another node is a rule of `_fresh`
        if new is None:
            yield _violation(node.id, "removed")
        elif not _same(node, new, scope, (before, after)):
            yield _violation(node.id, "changed")
    known, below = {node.id for node in before.nodes}, frozenset(subtree(after, scope.branch))
    for node in after.nodes:
        if node.id not in known and not (inside and node.id in below):
            yield _violation(node.id, "added")


def _same(old: Node, new: Node, scope: Scope, plans: tuple[TaskGraph, TaskGraph]) -> bool:
    if old == new:
        return True
    if scope.action == "replan":
        return old.id == scope.branch and _outer(old, plans[0]) == _outer(new, plans[1])
    return any(old.id in (slot.provider, slot.consumer) for slot in scope.open_slots) and (
        _closed(old, scope.open_slots) == _closed(new, scope.open_slots)
    )


def _outer(root: Node, plan: TaskGraph) -> Node:
    """Return a branch root without what replanning changes: what is seen from outside the branch."""
    inside = frozenset(subtree(plan, root.id)) - {root.id}
    inputs, provenance = external(root, inside)
    return root.model_copy(update={**_REPLANNED, "inputs": inputs, "provenance": provenance})


def _closed(node: Node, open_slots: tuple[OpenSlot, ...]) -> Node:
    """Return a node of an interface pair without what is open to renegotiation."""
    given = frozenset(slot.output for slot in open_slots if slot.provider == node.id)
    taken = frozenset(slot.slot for slot in open_slots if slot.consumer == node.id)
    contract = node.contract
    return node.model_copy(
        update={
            "inputs": _untyped(node.inputs, taken),
            "outputs": _untyped(node.outputs, given),
            "contract": Contract(
                signatures=tuple(_signature(each, taken, opened=bool(given)) for each in contract.signatures),
                preconditions=_frozen_predicates(contract.preconditions, taken),
                postconditions=_frozen_predicates(contract.postconditions, given),
                invariants=contract.invariants,
            ),
        }
    )


def _untyped(slots: tuple[Slot, ...], names: frozenset[str]) -> tuple[Slot, ...]:
    return tuple(slot.model_copy(update={"type": ""}) if slot.name in names else slot for slot in slots)


def _signature(signature: FunctionSignature, taken: frozenset[str], *, opened: bool) -> FunctionSignature:
    parameters = tuple(
        each.model_copy(update={"type": ""}) if each.name in taken else each for each in signature.parameters
    )
    return signature.model_copy(update={"parameters": parameters, "returns": "" if opened else signature.returns})


def _frozen_predicates(predicates: tuple[Predicate, ...], names: frozenset[str]) -> tuple[Predicate, ...]:
    """Return the predicates that constrain no open slot."""
    return tuple(predicate for predicate in predicates if not names.intersection(predicate.slots))


def _rest(before: TaskGraph, after: TaskGraph, scope: Scope, inside: frozenset[str]) -> Iterator[BorderViolation]:
    """Decisions and relative order outside the branch."""
    below = inside | frozenset(subtree(after, scope.branch)) if inside else inside
    old = {decision.id: decision for decision in before.decisions if decision.node not in inside}
    new = {decision.id: decision for decision in after.decisions if decision.node not in below}
    for decision_id in sorted(old.keys() | new.keys()):
        if old.get(decision_id) != new.get(decision_id):
            found = old.get(decision_id) or new[decision_id]
            yield _violation(found.node, "changed" if decision_id in old else "added")
    if [leaf for leaf in before.order if leaf not in inside] != [leaf for leaf in after.order if leaf not in below]:
        yield _violation(ROOT, "changed")


def _fresh(
    before: TaskGraph, after: TaskGraph, scope: Scope, inside: frozenset[str], used_ids: Collection[str]
) -> Iterator[BorderViolation]:
    """Ids of the replanned branch, besides that of its root, were never given out before."""
    spent = ids_of(before).union(used_ids)
    below = frozenset(subtree(after, scope.branch))
    for node_id in sorted((below - {scope.branch}) & spent):
        yield _violation(node_id, "added")
    for decision in after.decisions:
        if decision.node in below and decision.id in spent:
            yield _violation(decision.node, "added")


def _violation(node: str, change: Literal["changed", "added", "removed"]) -> BorderViolation:
    return BorderViolation(unit=PLAN, owner=node, change=change)
