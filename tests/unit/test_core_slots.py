from __future__ import annotations

import pytest

from auditcoder.core.slots import reaches, slot_graph
from auditcoder.records.graph import ROOT, TASK, Node, NodeKind, Provider, Slot, TaskGraph


def node(
    node_id: str, parent: str, kind: NodeKind, inputs: dict[str, tuple[str, str]], outputs: tuple[str, ...]
) -> Node:
    return Node(
        id=node_id,
        parent=parent,
        goal=node_id,
        executor="graph",
        kind=kind,
        inputs=tuple(Slot(name=name) for name in inputs),
        outputs=tuple(Slot(name=name) for name in outputs),
        provenance=tuple(Provider(slot=name, node=source, output=out) for name, (source, out) in inputs.items()),
    )


GRAPH = TaskGraph(
    nodes=(
        node(ROOT, "", "orchestrator", {"stdin": (TASK, "stdin"), "best": ("S2", "best")}, ("stdout", "log")),
        node("S1", ROOT, "leaf", {"stdin": (TASK, "stdin")}, ("items", "unused")),
        node("S2", ROOT, "structural", {"items": ("S1", "items")}, ("best",)),
        node("S2_S1", "S2", "leaf", {"items": ("S2", "items")}, ("best", "trace")),
    ),
    order=("S1", "S2_S1"),
)


def test_edges_are_provenance_flow_inside_nodes_and_results_handed_on() -> None:
    edges = set(slot_graph(GRAPH).edges)
    assert {
        ((TASK, "stdin"), ("S1", "stdin")),
        (("S1", "stdin"), ("S1", "items")),
        (("S1", "items"), ("S2", "items")),
        (("S2", "items"), ("S2_S1", "items")),
        (("S2_S1", "best"), ("S2", "best")),
        (("S2", "best"), (ROOT, "best")),
        ((ROOT, "best"), (ROOT, "stdout")),
    } <= edges
    assert (("S2_S1", "trace"), ("S2", "best")) not in edges


@pytest.mark.parametrize(
    ("where", "slot", "observable", "answer"),
    [
        ("S1", "items", "stdout", True),
        ("S1", "stdin", "stdout", True),
        (TASK, "stdin", "stdout", True),
        ("S2_S1", "best", "stdout", True),
        (ROOT, "stdout", "stdout", True),
        (ROOT, "log", "stdout", False),
        (ROOT, "log", "", True),
        (ROOT, "log", "result", True),
        ("S1", "unused", "stdout", False),
        ("S2_S1", "trace", "stdout", False),
        ("S2_S1", "", "stdout", True),
        ("S1", "nothing", "stdout", False),
        ("S9", "x", "stdout", False),
        ("S9", "", "stdout", False),
    ],
)
def test_reaches(where: str, slot: str, observable: str, answer: bool) -> None:
    assert reaches(GRAPH, where, slot, observable) is answer


def test_a_graph_without_a_root_reaches_nothing() -> None:
    assert not reaches(TaskGraph(nodes=GRAPH.nodes[1:2], order=("S1",)), "S1", "items")
