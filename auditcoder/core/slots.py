"""The slot graph: which values flow into which (paper 3.1, core.md sections 1 and 4)."""

from __future__ import annotations

import networkx as nx

from auditcoder.core.graph import children
from auditcoder.records.graph import ROOT, TaskGraph


def slot_graph(graph: TaskGraph) -> nx.DiGraph:
    """Return the directed graph over (node, slot) pairs; the task's own inputs are pairs of the node `task`.

    Edges: a provider's slot to the input that it provides; inside a node every input to every output, as provenance
    says nothing finer; a child's output to the parent's output of the same name, which hands it on.
    """
    links = nx.DiGraph()
    for node in graph.nodes:
        links.add_nodes_from((node.id, slot.name) for slot in (*node.inputs, *node.outputs))
        for provider in node.provenance:
            links.add_edge((provider.node, provider.output), (node.id, provider.slot))
        links.add_edges_from(
            ((node.id, given.name), (node.id, made.name))
            for given in node.inputs
            for made in node.outputs
            if given.name != made.name
        )
        _add_handed_on(links, graph, node.id)
    return links


def _add_handed_on(links: nx.DiGraph, graph: TaskGraph, node_id: str) -> None:
    own = {slot.name for slot in graph.node(node_id).outputs}
    for child in children(graph, node_id):
        for slot in graph.node(child).outputs:
            if slot.name in own:
                links.add_edge((child, slot.name), (node_id, slot.name))


def reaches(graph: TaskGraph, node: str, slot: str, observable: str = "") -> bool:
    """Return whether a slot's value can influence what a failing check observes.

    Args:
        graph: The task graph.
        node: Node id of the slot.
        slot: Its name; empty for any slot of the node.
        observable: An output of the root (`stdout`, `result`, `state`, `files`); empty, or a name that the root does
            not have, for any output of the root.
    """
    links = slot_graph(graph)
    outputs = [(ROOT, made.name) for each in graph.nodes if each.id == ROOT for made in each.outputs]
    goals = [goal for goal in outputs if goal[1] == observable] or outputs
    starts = [(node, slot)] if slot else [each for each in links if each[0] == node]
    return any(nx.has_path(links, start, goal) for start in starts for goal in goals if start in links)
