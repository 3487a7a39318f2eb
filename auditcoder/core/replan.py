"""A branch planned again below its root, whose external contract stays (paper 3.4, core.md sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auditcoder.core.graph import subtree
from auditcoder.core.plan import returned
from auditcoder.core.steps import Bench, PlannedStep, Vet, decisions_of, leaves_of, numbered
from auditcoder.records.graph import ROOT, TASK, Node, Provider, Slot, TaskGraph


def ids_of(graph: TaskGraph) -> frozenset[str]:
    """Return every id that a graph gives out: of nodes and of planning decisions."""
    return frozenset((*(node.id for node in graph.nodes), *(decision.id for decision in graph.decisions)))


def splice(
    graph: TaskGraph, branch_root: str, steps: Sequence[PlannedStep], used_ids: Collection[str], vet: Vet
) -> TaskGraph:
    """Return the graph with everything below a branch root replaced by one leaf a step.

    The branch root keeps its id, parent, goal, contract, budget, and the slots that cross its border; its own code
    becomes linking. New leaves take what it takes and what earlier siblings give. Below the root of the whole graph the
    last result comes back to it as an input, as in every plan; below another branch root the last leaf makes the
    branch's own output. Nothing outside changes, and no id or name of the graph is given out again.

    Args:
        graph: The plan.
        branch_root: The node to plan again; it may be a leaf.
        steps: The new steps, first to last; at least one.
        used_ids: Ids of nodes and decisions that were ever given out, rolled-back plans included.
        vet: Says why an expression is refused.

    Raises:
        KeyError: the graph has no such node.
        ValueError: there is no step.
    """
    if not steps:
        raise ValueError("a branch is planned again with at least one step")
    root = graph.node(branch_root)
    inside = frozenset(subtree(graph, branch_root)) - {branch_root}
    taken = ids_of(graph).union(used_ids)
    leaves = leaves_of(steps, _bench(graph, root, inside, taken, vet), last=_handed_on(root))
    revised = _revised_root(root, inside, leaves)
    fresh = decisions_of(branch_root, leaves, numbered("D", taken))
    return TaskGraph(
        nodes=tuple(_placed(graph, revised, inside, leaves)),
        order=_order(graph, inside | {branch_root}, leaves),
        decisions=(*(d for d in graph.decisions if d.node != branch_root and d.node not in inside), *fresh),
    )


def external(node: Node, inside: Collection[str]) -> tuple[tuple[Slot, ...], tuple[Provider, ...]]:
    """Return the inputs of a branch root that come from outside its branch, with their providers."""
    inner = {provider.slot for provider in node.provenance if provider.node in inside}
    inputs = tuple(slot for slot in node.inputs if slot.name not in inner)
    return inputs, tuple(provider for provider in node.provenance if provider.slot not in inner)


def _handed_on(root: Node) -> Slot | None:
    """Return the output that the last leaf makes in the branch root's stead; the whole graph's root makes its own."""
    return root.outputs[0] if root.id != ROOT and root.outputs else None


def _bench(graph: TaskGraph, root: Node, inside: frozenset[str], taken: frozenset[str], vet: Vet) -> Bench:
    provider = TASK if root.id == ROOT else root.id
    inputs, _ = external(root, inside)
    return Bench(
        parent=root.id,
        ids=numbered("S" if root.id == ROOT else f"{root.id}_S", taken),
        available={slot.name: (provider, slot) for slot in inputs},
        used=_names(graph),
        vet=vet,
        budget=root.budget,
        ancestors=frozenset({TASK, root.id}),
    )


def _names(graph: TaskGraph) -> set[str]:
    """Return every public name and every slot name of a graph, of what is taken out of it as well."""
    functions = {signature.name for node in graph.nodes for signature in node.contract.signatures}
    return functions | {slot.name for node in graph.nodes for slot in (*node.inputs, *node.outputs)}


def _revised_root(root: Node, inside: frozenset[str], leaves: Sequence[Node]) -> Node:
    inputs, provenance = external(root, inside)
    back = returned(leaves) if root.id == ROOT else ()
    depends = tuple(leaf.id for leaf in leaves) if root.id == ROOT else ()
    return root.model_copy(
        update={
            "kind": "orchestrator",
            "executor": "orchestration",
            "inputs": (*inputs, *(slot for _, slot in back)),
            "provenance": (
                *provenance, *(Provider(slot=slot.name, node=node, output=slot.name) for node, slot in back)
            ),
            "depends_on": (*(node for node in root.depends_on if node not in inside), *depends),
        }
    )  # fmt: skip


def _placed(graph: TaskGraph, root: Node, inside: frozenset[str], leaves: Sequence[Node]) -> list[Node]:
    placed: list[Node] = []
    for node in graph.nodes:
        if node.id == root.id:
            placed += [root, *leaves]
        elif node.id not in inside:
            placed.append(node)
    return placed


def _order(graph: TaskGraph, branch: frozenset[str], leaves: Sequence[Node]) -> tuple[str, ...]:
    """Put the new leaves where the first old one stood: behind the providers of the branch, before its consumers."""
    place = next((number for number, leaf in enumerate(graph.order) if leaf in branch), len(graph.order))
    rest = [leaf for leaf in graph.order[place:] if leaf not in branch]
    return (*graph.order[:place], *(leaf.id for leaf in leaves), *rest)
