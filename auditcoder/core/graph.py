"""Graph integrity and walks over the task graph (paper 3.1 and Table 3, core.md section 2).

Two edges carry data: provenance (`provider -> consumer`) and `depends_on`. An edge between a node and its own
ancestor is a *border* edge: an orchestrator hands values to its children and takes their results back, so such
pairs say nothing about order and are left out of the cycle and order rules.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import networkx as nx

from auditcoder.core.naming import id_key
from auditcoder.records.graph import ROOT, TASK, Node, TaskGraph


class Violation(NamedTuple):
    """One broken rule of graph integrity."""

    node: str
    """Node id; empty when the rule is about the graph as a whole."""
    rule: str
    """One of: unique-id, root, parent, parent-cycle, slot, provider, depends-on, cycle, order, decision."""
    message: str


def integrity(graph: TaskGraph) -> tuple[Violation, ...]:
    """Return every broken integrity rule, in a fixed order; none means that the graph is sound.

    Sound: every reference resolves (parents, providers and their slots, dependencies, decisions, order), the parent
    relation is acyclic with the single root `S0`, ids are unique, nothing provides for itself or in a circle, and
    the order lists every leaf exactly once, providers before consumers.
    """
    rules = (_unique_ids, _roots, _parents, _slots, _providers, _dependencies, _cycles, _order, _decisions)
    return tuple(violation for rule in rules for violation in rule(graph))


def parents(graph: TaskGraph) -> dict[str, str]:
    """Return the parent id of every node id; of two nodes with one id the first counts."""
    found: dict[str, str] = {}
    for node in graph.nodes:
        found.setdefault(node.id, node.parent)
    return found


def children(graph: TaskGraph, node_id: str) -> tuple[str, ...]:
    """Return the ids of the direct children, in id order."""
    return tuple(sorted((n.id for n in graph.nodes if n.parent == node_id and n.id != node_id), key=id_key))


def ancestors(graph: TaskGraph, node_id: str) -> tuple[str, ...]:
    """Return the ids above a node, nearest first; a cyclic parent relation ends where it closes."""
    return _chain(parents(graph), node_id)


def _chain(above: Mapping[str, str], node_id: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    current = above.get(node_id, "")
    while current and current != node_id and current not in found:
        found[current] = None
        current = above.get(current, "")
    return tuple(found)


def subtree(graph: TaskGraph, node_id: str) -> tuple[str, ...]:
    """Return a node's id and all ids below it, in id order; empty when there is no such node."""
    above = parents(graph)
    below: dict[str, list[str]] = {}
    for child, parent in above.items():
        below.setdefault(parent, []).append(child)
    inside: set[str] = set()
    waiting = [node_id] if node_id in above else []
    while waiting:
        current = waiting.pop()
        if current not in inside:
            inside.add(current)
            waiting += below.get(current, ())
    return tuple(sorted(inside, key=id_key))


def depth(graph: TaskGraph, node_id: str) -> int:
    """Return how many ancestors a node has; 0 for the root."""
    return len(ancestors(graph, node_id))


def leaves(graph: TaskGraph, node_id: str) -> tuple[str, ...]:
    """Return the leaf ids of a subtree, in id order."""
    kinds = {node.id: node.kind for node in graph.nodes}
    return tuple(inner for inner in subtree(graph, node_id) if kinds[inner] == "leaf")


def provider_edges(graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    """Return the distinct (provider, consumer) node pairs of provenance and `depends_on`, without border edges."""
    known = parents(graph)
    above = {node_id: set(_chain(known, node_id)) for node_id in known}
    pairs = set()
    for node in graph.nodes:
        for source in (*(p.node for p in node.provenance), *node.depends_on):
            if source in known and source != node.id and source not in above[node.id] and node.id not in above[source]:
                pairs.add((source, node.id))
    return tuple(sorted(pairs, key=lambda pair: (id_key(pair[0]), id_key(pair[1]))))


def leaf_edges(graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    """Return `provider_edges` between leaves: a branch provides with all its leaves and consumes with all of them."""
    inside = {node.id: leaves(graph, node.id) for node in graph.nodes}
    pairs = {
        (first, second)
        for provider, consumer in provider_edges(graph)
        for first in inside[provider]
        for second in inside[consumer]
    }
    return tuple(sorted(pairs, key=lambda pair: (id_key(pair[0]), id_key(pair[1]))))


def topological_order(graph: TaskGraph) -> tuple[str, ...]:
    """Return all node ids: providers before consumers, children before parents, else by id.

    A cycle (which `integrity` reports) is cut at its smallest id, so that the answer is total for every graph.
    """
    waiting: dict[str, set[str]] = {node.id: set() for node in graph.nodes}
    for node in graph.nodes:
        if node.parent in waiting and node.parent != node.id:
            waiting[node.parent].add(node.id)
    for provider, consumer in provider_edges(graph):
        for inner in subtree(graph, consumer):
            waiting[inner].add(provider)
    return tuple(_kahn(waiting))


def in_writing_order(graph: TaskGraph) -> tuple[Node, ...]:
    """Return the code owners, providers first, the root last: the order in which they are written and verified."""
    nodes = {node.id: node for node in graph.owners}
    return tuple(nodes[node_id] for node_id in topological_order(graph) if node_id in nodes)


def _kahn(waiting: Mapping[str, set[str]]) -> Iterator[str]:
    left = {node: set(before) for node, before in waiting.items()}
    ready = [(id_key(node), node) for node, before in left.items() if not before]
    heapq.heapify(ready)
    while left:
        key = heapq.heappop(ready) if ready else min((id_key(node), node) for node in left)
        if left.pop(key[1], None) is None:
            continue
        yield key[1]
        for node, before in left.items():
            if key[1] in before:
                before.discard(key[1])
                if not before:
                    heapq.heappush(ready, (id_key(node), node))


def _unique_ids(graph: TaskGraph) -> Iterator[Violation]:
    for node_id, count in _repeated(node.id for node in graph.nodes):
        yield Violation(node_id, "unique-id", f"node id {node_id} is used {count} times; every node needs its own id")


def _roots(graph: TaskGraph) -> Iterator[Violation]:
    roots = [node.id for node in graph.nodes if not node.parent]
    if ROOT not in roots:
        yield Violation("", "root", f"there is no root {ROOT} without a parent")
    for node_id in roots:
        if node_id != ROOT:
            yield Violation(node_id, "root", f"node {node_id} has no parent; only {ROOT} may be a root")


def _parents(graph: TaskGraph) -> Iterator[Violation]:
    above = parents(graph)
    for node in graph.nodes:
        if node.parent and node.parent not in above:
            yield Violation(node.id, "parent", f"node {node.id} names parent {node.parent}, which does not exist")
    for node_id in above:
        if _returns_to(node_id, above):
            yield Violation(node_id, "parent-cycle", f"node {node_id} is its own ancestor")


def _returns_to(node_id: str, above: Mapping[str, str]) -> bool:
    current, seen = above.get(node_id, ""), set[str]()
    while current and current not in seen:
        if current == node_id:
            return True
        seen.add(current)
        current = above.get(current, "")
    return False


def _slots(graph: TaskGraph) -> Iterator[Violation]:
    for node in graph.nodes:
        for side, slots in (("input", node.inputs), ("output", node.outputs)):
            for name, count in _repeated(slot.name for slot in slots):
                yield Violation(node.id, "slot", f"node {node.id} has {count} {side} slots named {name!r}")
        for name, count in _repeated(provider.slot for provider in node.provenance):
            yield Violation(node.id, "slot", f"input {name!r} of node {node.id} has {count} providers; one is allowed")
        names = {slot.name for slot in node.inputs}
        for provider in node.provenance:
            if provider.slot not in names:
                message = f"node {node.id} names a provider for {provider.slot!r}, which is not one of its inputs"
                yield Violation(node.id, "slot", message)


def _providers(graph: TaskGraph) -> Iterator[Violation]:
    known = {node.id: node for node in reversed(graph.nodes)}
    for node in graph.nodes:
        above = ancestors(graph, node.id)
        for provider in node.provenance:
            if provider.node == TASK:
                continue
            source = known.get(provider.node)
            start = f"input {provider.slot!r} of node {node.id}"
            if provider.node == node.id:
                yield Violation(node.id, "provider", f"{start} is provided by the node itself")
            elif source is None:
                yield Violation(node.id, "provider", f"{start} comes from node {provider.node}, which does not exist")
            elif provider.output not in _exposed(source, above):
                message = f"{start} comes from slot {provider.output!r}, which node {provider.node} does not have"
                yield Violation(node.id, "provider", message)


def _exposed(source: Node, above: tuple[str, ...]) -> set[str]:
    """Outputs; an ancestor also hands its own inputs down."""
    slots = (*source.outputs, *(source.inputs if source.id in above else ()))
    return {slot.name for slot in slots}


def _dependencies(graph: TaskGraph) -> Iterator[Violation]:
    known = {node.id for node in graph.nodes}
    for node in graph.nodes:
        for other in node.depends_on:
            if other == node.id:
                yield Violation(node.id, "depends-on", f"node {node.id} depends on itself")
            elif other not in known:
                yield Violation(node.id, "depends-on", f"node {node.id} depends on {other}, which does not exist")


def _cycles(graph: TaskGraph) -> Iterator[Violation]:
    links = nx.DiGraph([*provider_edges(graph), *leaf_edges(graph)])
    loops = [sorted(part, key=id_key) for part in nx.strongly_connected_components(links) if len(part) > 1]
    for loop in sorted(loops, key=lambda part: [id_key(node) for node in part]):
        yield Violation(loop[0], "cycle", f"nodes {', '.join(loop)} provide for each other in a circle")


def _order(graph: TaskGraph) -> Iterator[Violation]:
    leaf_ids = {node.id for node in graph.nodes if node.kind == "leaf"}
    counts = Counter(graph.order)
    for node_id in sorted(counts.keys() - leaf_ids):
        yield Violation(node_id, "order", f"the order lists {node_id}, which is not a leaf")
    for node_id in sorted(leaf_ids, key=id_key):
        if counts[node_id] != 1:
            yield Violation(node_id, "order", f"the order lists leaf {node_id} {counts[node_id]} times, not once")
    place = {node_id: index for index, node_id in enumerate(graph.order)}
    for provider, consumer in leaf_edges(graph):
        if provider in place and consumer in place and place[provider] > place[consumer]:
            yield Violation(consumer, "order", f"the order puts {consumer} before its provider {provider}")


def _decisions(graph: TaskGraph) -> Iterator[Violation]:
    known = {node.id for node in graph.nodes}
    for decision_id, count in _repeated(decision.id for decision in graph.decisions):
        yield Violation("", "decision", f"decision id {decision_id} is used {count} times")
    for decision in graph.decisions:
        if decision.node not in known:
            message = f"decision {decision.id} is about node {decision.node}, which does not exist"
            yield Violation(decision.node, "decision", message)


def _repeated(values: Iterable[str]) -> list[tuple[str, int]]:
    return sorted((value, count) for value, count in Counter(values).items() if count > 1)
