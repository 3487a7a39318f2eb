"""The root's code where the plan leaves nothing to decide, and the program of last resort.

In a plan of pure functions for a function entry, the root calls the steps in order and returns the last result:
that is linking, which is not a model's work (core.md section 2). For other entries reading and printing have a form
that the statement defines, so there the linked program is only the fallback when no usable answer came.
"""

from __future__ import annotations

from auditcoder.core.plan import entry_signatures, file_slot
from auditcoder.records.graph import ROOT, Node, TaskGraph
from auditcoder.records.task import Task


def linked_root(task: Task, graph: TaskGraph) -> str:
    """Return the root's source: read the task's inputs, call the leaves in order, give the last result."""
    calls = [f"    {_assign(graph.node(leaf))}" for leaf in graph.order]
    last = graph.node(graph.order[-1]).outputs[0].name
    if task.entry.kind == "function":
        return "\n".join((f"def {entry_signatures(task)[0].render()}:", *calls, f"    return {last}", ""))
    if task.entry.kind == "program":
        read, give = ["    stdin = sys.stdin.read()"], [f"    print({last})"]
        return _main(["import sys"], read, calls, give)
    read = [f"    {file_slot(f.name)} = Path({f.name!r}).read_text()" for f in task.files]
    outputs = task.entry.outputs
    give = [f"    Path({name!r}).write_text(str({last}))" for name in outputs]
    return _main(["from pathlib import Path"], read, calls, give)


def _main(imports: list[str], read: list[str], calls: list[str], give: list[str]) -> str:
    body = [*imports, "", "", "def main():", *read, *calls, *give, "", "", 'if __name__ == "__main__":', "    main()"]
    return "\n".join((*body, ""))


def _assign(leaf: Node) -> str:
    arguments = ", ".join(provider.output for provider in leaf.provenance)
    return f"{leaf.outputs[0].name} = {leaf.contract.signatures[0].name}({arguments})"


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
