"""The deterministic review of a plan: complaints that a planner can act on (core.md section 2, paper B.2).

It comes before any model's review. Integrity first; when that is broken the other rules could only repeat it in other
words, so they are left out.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterator, Sequence

from auditcoder.core.effects import ENTRY_FUNCTION
from auditcoder.core.graph import children, integrity
from auditcoder.core.naming import prelude_names
from auditcoder.core.parsing import is_expression
from auditcoder.core.plan import entry_signatures, task_slots
from auditcoder.records.graph import ROOT, TASK, Node, TaskGraph
from auditcoder.records.task import FunctionSignature, Task

MAX_LEAVES = 8
_BUILTINS = frozenset(dir(builtins))


def review_plan(graph: TaskGraph, task: Task) -> tuple[str, ...]:
    """Return what is wrong with a plan, most basic first; none means that it can be written."""
    broken = tuple(violation.message for violation in integrity(graph))
    if broken:
        return broken
    complaints: list[str] = [*_root(graph, task), *_size(graph), *_kinds(graph)]
    leaves = [node for node in graph.nodes if node.kind == "leaf" and node.id != ROOT]
    complaints += [*_names(leaves, task), *_goals(graph)]
    for node in graph.nodes:
        complaints += [*_signatures(node), *_inputs(node, task)]
    for leaf in leaves:
        complaints += [*_interface(leaf), *_consumed(graph, leaf)]
    return tuple(dict.fromkeys(complaints))


def _root(graph: TaskGraph, task: Task) -> Iterator[str]:
    root = graph.node(ROOT)
    if not root.owns_code:
        yield f"{ROOT} must own the code that the program is entered by; make it an orchestrator"
    if not root.outputs:
        yield f"{ROOT} has no output; name what the finished program gives back"
    own = {signature.name: _shape(signature) for signature in root.contract.signatures}
    for wanted in entry_signatures(task):
        if wanted.name not in own:
            yield f"the contract of {ROOT} must carry the entry signature `{wanted.render()}`"
        elif own[wanted.name] != _shape(wanted):
            yield f"the contract of {ROOT} changes the entry signature; it is `{wanted.render()}`"


def _shape(signature: FunctionSignature) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in signature.parameters)


def _size(graph: TaskGraph) -> Iterator[str]:
    count = sum(node.kind == "leaf" for node in graph.nodes)
    if count > MAX_LEAVES:
        yield f"the plan has {count} steps; at most {MAX_LEAVES} are allowed, so join steps that belong together"
    if count == 0 and len(graph.nodes) > 1:
        yield "the plan has no step that does the work; add at least one leaf"


def _kinds(graph: TaskGraph) -> Iterator[str]:
    for node in graph.nodes:
        below = children(graph, node.id)
        if node.kind == "leaf" and below:
            yield f"{node.id} is a leaf but has parts ({', '.join(below)}); a step with parts is an orchestrator"
        if node.kind == "structural" and not below:
            yield f"{node.id} owns no code and groups nothing; give it parts or leave it out"


def _names(leaves: Sequence[Node], task: Task) -> Iterator[str]:
    reserved = {task.entry.name, ENTRY_FUNCTION} | prelude_names(task)
    seen: dict[str, str] = {}
    for leaf in leaves:
        for name in (signature.name for signature in leaf.contract.signatures):
            if name in seen:
                yield f"{leaf.id} and {seen[name]} both define the function `{name}`; every function needs its own name"
            elif name in reserved:
                yield f"{leaf.id} names its function `{name}`, which the task itself uses; choose another name"
            elif name in _BUILTINS or keyword.iskeyword(name):
                yield f"{leaf.id} names its function `{name}`, which is a Python word; choose another name"
            seen.setdefault(name, leaf.id)


def _goals(graph: TaskGraph) -> Iterator[str]:
    seen: dict[str, str] = {}
    for node in graph.nodes:
        goal = " ".join(node.goal.casefold().split()).rstrip(".")
        if not goal:
            yield f"{node.id} has no goal; say in one sentence what it is responsible for"
        elif goal in seen:
            yield f"{node.id} has the same goal as {seen[goal]}; give each step its own responsibility or join them"
        seen.setdefault(goal, node.id)


def _signatures(node: Node) -> Iterator[str]:
    for signature in node.contract.signatures:
        names = [parameter.name for parameter in signature.parameters]
        if len(set(names)) != len(names) or any(keyword.iskeyword(name) for name in names):
            yield f"`{signature.name}` of {node.id} has a parameter twice, or one that is a Python word"
        for annotation in (*(parameter.type for parameter in signature.parameters), signature.returns):
            if not is_expression(annotation):
                yield f"`{annotation}` in the signature of `{signature.name}` ({node.id}) is not a Python type"


def _inputs(node: Node, task: Task) -> Iterator[str]:
    provided = {provider.slot for provider in node.provenance}
    for slot in node.inputs:
        if slot.name not in provided:
            yield f"input `{slot.name}` of {node.id} has no provider; take it from the task or from an earlier step"
    given = [slot.name for slot in task_slots(task)]
    for provider in node.provenance:
        if provider.node == TASK and given and provider.output not in given:
            yield f"{node.id} takes `{provider.output}` from the task, which provides only: {', '.join(given)}"


def _interface(leaf: Node) -> Iterator[str]:
    if not leaf.contract.signatures:
        yield f"{leaf.id} has no function signature; name the function that does the step"
    if not leaf.outputs:
        yield f"{leaf.id} has no output; name the value that it gives to the next step"
    inputs = [slot.name for slot in leaf.inputs]
    for signature in leaf.contract.signatures[:1]:
        names = [parameter.name for parameter in signature.parameters]
        if names != inputs:
            yield f"`{signature.render()}` of {leaf.id} must take exactly its inputs: {', '.join(inputs) or 'none'}"


def _consumed(graph: TaskGraph, leaf: Node) -> Iterator[str]:
    used = {(provider.node, provider.output) for node in graph.nodes for provider in node.provenance}
    handed_on = {slot.name for slot in graph.node(leaf.parent).outputs} if leaf.parent else set()
    for slot in leaf.outputs:
        if (leaf.id, slot.name) not in used and slot.name not in handed_on:
            yield f"nobody uses `{slot.name}` of {leaf.id}; connect it to a later step or leave the step out"
