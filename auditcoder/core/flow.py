"""Where a value goes in the slot graph, node by node."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.records.graph import TaskGraph


def consumers_of(graph: TaskGraph, slots: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the nodes that values of these (node, slot) pairs flow into, directly or through other nodes.

    Inside a node every input may flow to every output: provenance says nothing finer.
    """
    outputs = {node.id: tuple(slot.name for slot in node.outputs) for node in graph.nodes}
    waiting = [source for node, slot in slots for source in _leaving(node, slot, outputs)]
    seen, reached = set(waiting), set[str]()
    while waiting:
        source = waiting.pop()
        for node in graph.nodes:
            if any((provider.node, provider.output) == source for provider in node.provenance):
                reached.add(node.id)
                fresh = [(node.id, name) for name in outputs[node.id] if (node.id, name) not in seen]
                seen.update(fresh)
                waiting.extend(fresh)
    return frozenset(reached)


def _leaving(node: str, slot: str, outputs: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    names = outputs.get(node, ())
    return [(node, slot)] if slot in names else [(node, name) for name in names]
