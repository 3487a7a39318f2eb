"""What the executable predicates of a contract speak about: names, calls, obligations (core.md sections 2 and 3)."""

from __future__ import annotations

import ast
from collections.abc import Collection

from auditcoder.records.finding import Obligation
from auditcoder.records.graph import Contract, Node, Predicate, TaskGraph
from auditcoder.records.task import FunctionSignature

RESULT = "result"
"""How postconditions and invariants name what a call returned."""


def executable(predicates: Collection[Predicate]) -> tuple[Predicate, ...]:
    """Return the predicates that carry an expression, in order."""
    return tuple(predicate for predicate in predicates if predicate.expression)


def mentioned(expression: str) -> frozenset[str]:
    """Return every name that an expression contains; none when it does not parse."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(part.id for part in ast.walk(tree) if isinstance(part, ast.Name))


def speaks_of(predicate: Predicate, signature: FunctionSignature, contract: Contract) -> bool:
    """Return whether a predicate of a contract says something about calls of one of its functions.

    With several functions (the methods of a class) it speaks of those that have every parameter that it mentions [R].
    """
    own = {parameter.name for parameter in signature.parameters}
    others = {parameter.name for other in contract.signatures for parameter in other.parameters}
    return not (mentioned(predicate.expression) & others) - own


def semantic_obligation(node: Node, predicate: Predicate) -> Obligation:
    """Return the obligation of a postcondition or invariant; it names a slot where exactly one output is constrained.

    Executed and judged findings both take it from here: only equal obligations can contradict each other.
    """
    outputs = [slot.name for slot in node.outputs if slot.name in predicate.slots]
    return Obligation(kind="semantic", predicate=predicate.id, slot=outputs[0] if len(outputs) == 1 else "")


def interface_obligation(node: Node, predicate: Predicate) -> Obligation | None:
    """Return the interface that a violated precondition of a node breaks; None when no input slot can be named.

    The violated slot [R]: the first one in the predicate's `slots` that is an input and is mentioned in the
    expression; else the first of them that is an input; else the first input that is mentioned. Its provider is the
    one end, the node the other; the provider is empty where provenance names none.
    """
    slot = _violated_slot(node, predicate)
    if not slot:
        return None
    providers = [provider.node for provider in node.provenance if provider.slot == slot]
    provider = providers[0] if providers else ""
    return Obligation(kind="interface", predicate=predicate.id, slot=slot, provider=provider, consumer=node.id)


def interface_owners(obligation: Obligation, graph: TaskGraph) -> tuple[str, ...]:
    """Return (provider, consumer); the consumer alone where the task itself, or nobody, provides the slot."""
    known = any(node.id == obligation.provider for node in graph.nodes)
    return (obligation.provider, obligation.consumer) if known else (obligation.consumer,)


def _violated_slot(node: Node, predicate: Predicate) -> str:
    inputs = [slot.name for slot in node.inputs]
    names = mentioned(predicate.expression)
    declared = [slot for slot in predicate.slots if slot in inputs]
    choices = [
        *(slot for slot in declared if slot in names),
        *declared,
        *(slot for slot in inputs if slot in names),
    ]
    return choices[0] if choices else ""
