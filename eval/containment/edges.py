"""Who provides for whom, without circles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx


def without_circles(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the (provider, consumer) edges in their order, each left out that would close a circle."""
    kept = nx.DiGraph()
    result: list[tuple[str, str]] = []
    for provider, consumer in edges:
        kept.add_nodes_from((provider, consumer))
        if provider != consumer and not nx.has_path(kept, consumer, provider):
            kept.add_edge(provider, consumer)
            result.append((provider, consumer))
    return tuple(result)


def providers_first(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return nodes so that every provider stands before its consumers, else in their order; edges have no circle."""
    placed: list[str] = []
    needs = {node: {first for first, second in edges if second == node and first in nodes} for node in nodes}
    while len(placed) < len(nodes):
        placed.append(next(node for node in nodes if node not in placed and needs[node] <= set(placed)))
    return tuple(placed)
