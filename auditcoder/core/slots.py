"""The slot graph: which values flow into which (paper 3.1, core.md sections 1 and 4)."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.task import CheckInput

SlotPair = tuple[str, str]
"""Node id and slot name."""
_OBSERVED = {"program": "stdout", "function": "result", "files": "files"}
"""Slot of the root that a check observes, by the kind of its input."""


def slot_graph(graph: TaskGraph) -> nx.DiGraph:
    """Return the directed graph over (node, slot) pairs; the task's own inputs are pairs of the node `task`.

    Edges: a provider's slot to the input that it provides; inside a node every input to every output, as provenance
    says nothing finer; a child's output to the parent's output of the same name, which hands it on.
    """
    links = nx.DiGraph()
    made = {node.id: {slot.name for slot in node.outputs} for node in reversed(graph.nodes)}
    for node in graph.nodes:
        links.add_nodes_from((node.id, slot.name) for slot in (*node.inputs, *node.outputs))
        links.add_edges_from(((each.node, each.output), (node.id, each.slot)) for each in node.provenance)
        links.add_edges_from(
            ((node.id, taken.name), (node.id, given.name))
            for taken in node.inputs
            for given in node.outputs
            if taken.name != given.name
        )
        handed_on = made.get(node.parent, set()) if node.parent != node.id else set()
        links.add_edges_from(
            ((node.id, slot.name), (node.parent, slot.name)) for slot in node.outputs if slot.name in handed_on
        )
    return links


def observables(graph: TaskGraph, check: CheckInput) -> tuple[SlotPair, ...]:
    """Return the outputs of the root that a check observes [R].

    A program's `stdout`, a function's `result`, a script's `files`. For a class every output of the root: whatever its
    methods return, and the state that they read. Every output, too, where the root has none of that name.
    """
    outputs = [(node.id, slot.name) for node in graph.nodes if node.id == ROOT for slot in node.outputs]
    named = [pair for pair in outputs if pair[1] == _OBSERVED.get(check.kind)]
    return tuple(named or outputs)


def reaching(links: nx.DiGraph, goals: Iterable[SlotPair]) -> frozenset[SlotPair]:
    """Return every slot whose value can influence one of the goals, these included."""
    found: set[SlotPair] = set()
    for goal in goals:
        if goal in links:
            found.add(goal)
            found |= nx.ancestors(links, goal)
    return frozenset(found)
