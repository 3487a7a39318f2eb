"""Which violations are consequences of others: the spread over the slot graph equals the definition, pair by pair."""

from __future__ import annotations

from typing import Any

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.core.obligations import constrained_slots
from auditcoder.core.slots import slot_graph
from auditcoder.core.upstream import consequences
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Node, Provider, Slot, TaskGraph

NAMES = ("S0", "S1", "S2", "S3", "S4")
SLOTS = ("in0", "in1", "a", "b")


@st.composite
def plans(draw: st.DrawFn) -> TaskGraph:
    """Return a plan with any providers, circles included."""
    nodes = []
    for place, name in enumerate(NAMES[: draw(st.integers(2, 5))]):
        sources = draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(SLOTS)), max_size=2))
        nodes.append(
            Node(
                id=name,
                parent=draw(st.sampled_from(NAMES[:place])) if place else "",
                goal="g",
                executor="simulation",
                kind="orchestrator",
                inputs=(Slot(name="in0"), Slot(name="in1")),
                outputs=(Slot(name="a"), Slot(name="b")),
                provenance=tuple(Provider(slot=f"in{i}", node=n, output=o) for i, (n, o) in enumerate(sources)),
            )
        )
    return TaskGraph(nodes=tuple(nodes), order=())


@st.composite
def violations(draw: st.DrawFn, graph: TaskGraph) -> list[Finding]:
    names = [node.id for node in graph.nodes]
    found = []
    for number in range(draw(st.integers(1, 6))):
        owners = tuple(draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)))
        slot = draw(st.sampled_from(["", *SLOTS]))
        found.append(
            Finding(
                id=f"F{number}",
                owners=owners,
                verdict="reject",
                obligation=Obligation(kind="semantic", predicate="p", slot=slot),
                evidence="exec",
                versions=tuple(Versions(code="", contract="") for _ in owners),
            )
        )
    return found


def feeds(first: Finding, second: Finding, graph: TaskGraph, links: Any) -> bool:
    """Return whether what the first constrains flows into an owner of the second that is not its own."""
    starts = [slot for slot in constrained_slots(first, {node.id: node for node in graph.nodes}) if slot in links]
    reached = {node for start in starts for node, _ in nx.descendants(links, start)}
    return bool(reached & (set(second.owners) - set(first.owners)))


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_a_violation_is_explained_by_one_that_feeds_it_and_is_not_fed_by_it(data: st.DataObject) -> None:
    graph = data.draw(plans())
    findings = data.draw(violations(graph))
    links = slot_graph(graph)
    expected = tuple(
        any(feeds(other, each, graph, links) and not feeds(each, other, graph, links) for other in findings)
        for each in findings
    )
    assert consequences(findings, {node.id: node for node in graph.nodes}, links) == expected
