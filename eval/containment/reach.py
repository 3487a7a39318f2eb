"""From whom a node takes something, directly or not."""

from __future__ import annotations

from auditcoder.records.graph import ROOT, TaskGraph


def providers_of(node: str, graph: TaskGraph) -> frozenset[str]:
    """Return every node that a node takes something from; always the root, which makes the object or hands values down.

    Raises:
        KeyError: the graph has no such node.
    """
    known = {other.id for other in graph.nodes}
    found, waiting = {ROOT}, [node]
    while waiting:
        for provider in graph.node(waiting.pop()).provenance:
            if provider.node in known and provider.node not in found:
                found.add(provider.node)
                waiting.append(provider.node)
    return frozenset(found)
