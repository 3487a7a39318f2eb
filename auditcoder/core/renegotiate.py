"""The shared slot contract of a provider and its consumer, settled anew (paper 3.4, core.md section 5, Ifc pair)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from auditcoder.core.steps import known_type, numbered
from auditcoder.records.finding import Finding
from auditcoder.records.graph import ROOT, Contract, Node, Predicate, Slot, TaskGraph
from auditcoder.records.localization import OpenSlot
from auditcoder.records.task import FunctionSignature

Side = Literal["provider-ensures", "consumer-accepts"]
RESULT = "result"
"""What a provider's output is called in its own postconditions."""


class Settlement(NamedTuple):
    """What was agreed on for one open slot."""

    slot: OpenSlot
    choice: Side
    type: str = ""
    """New type of the slot; empty when it stays. One that names other than built-in types is not taken over."""
    text: str = ""
    """What the provider ensures, as prose; empty for the text of the precondition."""


def violated(slot: OpenSlot, graph: TaskGraph, findings: Sequence[Finding]) -> tuple[Predicate, ...]:
    """Return the consumer's preconditions on an open slot that the findings say are broken, in their order.

    When no finding names one, all preconditions on the slot count: it is not known which of them fails.
    """
    on_slot = [each for each in graph.node(slot.consumer).contract.preconditions if slot.slot in each.slots]
    ends = (slot.provider, slot.consumer)
    told = [each.obligation for each in findings if each.verdict == "reject" and each.obligation.kind == "interface"]
    named = {each.predicate for each in told if (each.provider, each.consumer) == ends}
    return tuple(each for each in on_slot if each.id in named) or tuple(on_slot)


def renegotiated(graph: TaskGraph, settlements: Sequence[Settlement], findings: Sequence[Finding]) -> TaskGraph:
    """Return the plan with the open slots settled; nothing else of it changes.

    provider-ensures: what the consumer requires of the slot becomes a postcondition of the provider, and stays a
    precondition of the consumer. consumer-accepts: it is taken out of the consumer. A new type changes the provider's
    output and return type, the consumer's input and parameter type.

    Args:
        graph: The plan.
        settlements: One an open slot.
        findings: The findings that support the localization.

    Raises:
        KeyError: a settlement names a node that the graph does not have.
    """
    for settlement in settlements:
        slot = settlement.slot
        broken = violated(slot, graph, findings)
        provider, consumer = graph.node(slot.provider), graph.node(slot.consumer)
        if settlement.choice == "provider-ensures":
            provider = _ensuring(provider, consumer, settlement, broken)
        else:
            consumer = _accepting(consumer, {predicate.id for predicate in broken})
        wanted = known_type(settlement.type) if settlement.type.strip() else "Any"
        if wanted != "Any":
            provider, consumer = _giving(provider, slot, wanted), _taking(consumer, slot, wanted)
        new = {provider.id: provider, consumer.id: consumer}
        graph = graph.model_copy(update={"nodes": tuple(new.get(node.id, node) for node in graph.nodes)})
    return graph


def translated(expression: str, parameter: str, others: Collection[str]) -> str:
    """Return a precondition on a parameter as a postcondition on `result`; empty when it cannot be one.

    The name is replaced on the syntax tree. An expression that names another parameter anywhere, or that binds the
    parameter's name or `result` itself (in a comprehension or lambda), may speak of more than the provider's result: a
    name that is bound in one place can be the parameter in another.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    if parameter not in read or bound & {parameter, RESULT} or (read - {parameter}) & {*others, RESULT}:
        return ""
    for node in names:
        node.id = RESULT if node.id == parameter else node.id
    return ast.unparse(tree)


def _ensuring(provider: Node, consumer: Node, settlement: Settlement, broken: Sequence[Predicate]) -> Node:
    slot, contract = settlement.slot, provider.contract
    if slot.output not in {each.name for each in provider.outputs}:
        return provider  # an ancestor hands its own input down: it makes no value of which it could ensure something
    ids = numbered("post", (predicate.id for predicate in contract.predicates()))
    others = {each.name for each in consumer.inputs} - {slot.slot}
    promised = {(each.expression, each.text) for each in contract.postconditions}
    added: list[Predicate] = []
    for predicate in broken or (_unwritten(settlement),):
        expression = translated(predicate.expression, slot.slot, others) if predicate.expression else ""
        prose = settlement.text.strip() or f"{slot.output} is what {consumer.id} requires: {predicate.text}"
        text = expression or prose
        if (expression, text) not in promised and text:
            added.append(Predicate(id=next(ids), text=text, slots=(slot.output,), expression=expression))
    return _with_contract(provider, postconditions=(*contract.postconditions, *added))


def _unwritten(settlement: Settlement) -> Predicate:
    """Return the requirement that no precondition of the consumer states: what the settlement says of the slot."""
    slot = settlement.slot
    return Predicate(id="", text=settlement.text.strip() or f"a correct {slot.slot}", slots=(slot.slot,))


def _accepting(consumer: Node, broken: Collection[str]) -> Node:
    kept = tuple(each for each in consumer.contract.preconditions if each.id not in broken)
    return _with_contract(consumer, preconditions=kept)


def _giving(provider: Node, slot: OpenSlot, wanted: str) -> Node:
    outputs = _retyped(provider.outputs, slot.output, wanted)
    if outputs == provider.outputs:
        return provider  # an ancestor hands an input down, or the type is the old one: there is nothing to return anew
    signatures = tuple(each.model_copy(update={"returns": wanted}) for each in provider.contract.signatures)
    return _with_contract(provider.model_copy(update={"outputs": outputs}), signatures=signatures)


def _taking(consumer: Node, slot: OpenSlot, wanted: str) -> Node:
    inputs = _retyped(consumer.inputs, slot.slot, wanted)
    if consumer.id == ROOT:
        return consumer.model_copy(update={"inputs": inputs})  # what the task calls stays as the task has it
    signatures = tuple(_with_parameter(each, slot.slot, wanted) for each in consumer.contract.signatures)
    return _with_contract(consumer.model_copy(update={"inputs": inputs}), signatures=signatures)


def _retyped(slots: tuple[Slot, ...], name: str, wanted: str) -> tuple[Slot, ...]:
    return tuple(slot.model_copy(update={"type": wanted}) if slot.name == name else slot for slot in slots)


def _with_parameter(signature: FunctionSignature, name: str, wanted: str) -> FunctionSignature:
    parameters = tuple(
        each.model_copy(update={"type": wanted}) if each.name == name else each for each in signature.parameters
    )
    return signature.model_copy(update={"parameters": parameters})


def _with_contract(node: Node, **parts: tuple[Predicate, ...] | tuple[FunctionSignature, ...]) -> Node:
    contract: Contract = node.contract.model_copy(update=parts)
    return node.model_copy(update={"contract": contract})
