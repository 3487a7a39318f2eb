"""The code of a branch root where the plan leaves nothing to decide, and the program of last resort.

In a plan of pure functions for a function entry, the root calls the steps in order and returns the last result: that
is linking, which is not a model's work (core.md section 2). So is the root of a branch that was planned again. For
other entries reading and printing have a form that the statement defines, so there the linked program is only the
fallback when no usable answer came.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditcoder.core.graph import children, topological_order
from auditcoder.core.plan import entry_signatures, file_slot
from auditcoder.records.graph import ROOT, Node, TaskGraph
from auditcoder.records.task import Task


def linked_root(task: Task, graph: TaskGraph) -> str:
    """Return the root's source: read the task's inputs, call the steps in order, give the last result."""
    root = graph.node(ROOT)
    if task.entry.kind == "function":
        return _function(f"def {entry_signatures(task)[0].render()}:", graph, root)
    calls, last = _calls(graph, root), _last(graph, root)
    if task.entry.kind == "program":
        read, give = ["    stdin = sys.stdin.read()"], [f"    print({last})"]
        return _main(["import sys"], read, calls, give)
    read = [f"    {file_slot(f.name)} = Path({f.name!r}).read_text()" for f in task.files]
    outputs = task.entry.outputs
    give = [f"    Path({name!r}).write_text(str({last}))" for name in outputs]
    return _main(["from pathlib import Path"], read, calls, give)


def linked_branch(graph: TaskGraph, node: Node) -> str:
    """Return the source of a branch root: its contract's function, which calls the steps and gives the last result.

    Expects a contract with a signature whose parameters are named like the inputs, as `core.steps` makes them.
    """
    return _function(f"def {node.contract.signatures[0].render()}:", graph, node)


def is_linked(task: Task, graph: TaskGraph, node: Node, source: str) -> bool:
    """Return whether a node's code is the pure linking of its plan, which no model wrote and none need change."""
    if node.kind != "orchestrator" or not called(graph, node) or not (node.id == ROOT or node.contract.signatures):
        return False
    computed = linked_root(task, graph) if node.id == ROOT else linked_branch(graph, node)
    return computed.strip() == source.strip()


def called(graph: TaskGraph, node: Node) -> tuple[Node, ...]:
    """Return the code owners that a branch root calls, providers first: its children, through structural nodes."""
    below = {each.id for each in _owners_below(graph, node.id)}
    return tuple(graph.node(node_id) for node_id in topological_order(graph) if node_id in below)


def _owners_below(graph: TaskGraph, node_id: str) -> Iterator[Node]:
    for child in (graph.node(each) for each in children(graph, node_id)):
        if child.owns_code:
            yield child
        else:
            yield from _owners_below(graph, child.id)


def _function(head: str, graph: TaskGraph, node: Node) -> str:
    return "\n".join((head, *_calls(graph, node), f"    return {_last(graph, node)}", ""))


def _calls(graph: TaskGraph, node: Node) -> list[str]:
    return [f"    {_assign(each)}" for each in called(graph, node)]


def _last(graph: TaskGraph, node: Node) -> str:
    """Return the value that is given: the one that the branch root's own output is named for, else the last one."""
    made = [each.outputs[0].name for each in called(graph, node)]
    own = [slot.name for slot in node.outputs if slot.name in made]
    return (own or made)[-1]


def _main(imports: list[str], read: list[str], calls: list[str], give: list[str]) -> str:
    body = [*imports, "", "", "def main():", *read, *calls, *give, "", "", 'if __name__ == "__main__":', "    main()"]
    return "\n".join((*body, ""))


def _assign(step: Node) -> str:
    arguments = ", ".join(provider.output for provider in step.provenance)
    return f"{step.outputs[0].name} = {step.contract.signatures[0].name}({arguments})"


def last_resort(task: Task) -> str:
    """Return a program that defines the entry and fails clearly: the model gave nothing that could be used."""
    message = '"the backbone gave no usable program"'
    if task.entry.kind == "function":
        return f"def {entry_signatures(task)[0].render()}:\n    raise RuntimeError({message})\n"
    if task.entry.kind == "class":
        methods = [_method(s.name, [p.name for p in s.parameters], message) for s in task.entry.methods]
        return f"class {task.entry.name}:\n" + ("\n".join(methods) or "    pass\n")
    return _main([], [], [], [f"    raise RuntimeError({message})"]).lstrip("\n")


def _method(name: str, parameters: list[str], message: str) -> str:
    head = ", ".join(("self", *parameters))
    return f"    def {name}({head}):\n        raise RuntimeError({message})\n"


def public_names(graph: TaskGraph) -> dict[str, str]:
    """Return the function names that leaves define by contract, with their node ids; the root's are its own."""
    return {
        signature.name: node.id
        for node in graph.nodes
        if node.id != ROOT and node.owns_code
        for signature in node.contract.signatures
    }
