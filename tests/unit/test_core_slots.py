from __future__ import annotations

import pytest

from auditcoder.core.slots import observables, reaching, slot_graph
from auditcoder.records.graph import ROOT, TASK, Node, NodeKind, Provider, Slot, TaskGraph
from auditcoder.records.task import CallsInput, CheckInput, FilesInput, FunctionInput, ProgramInput, UnittestInput


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
    ("where", "slot", "answer"),
    [
        ("S1", "items", True),
        ("S1", "stdin", True),
        (TASK, "stdin", True),
        ("S2_S1", "best", True),
        (ROOT, "stdout", True),
        (ROOT, "log", False),
        ("S1", "unused", False),
        ("S2_S1", "trace", False),
        ("S1", "nothing", False),
        ("S9", "x", False),
    ],
)
def test_reaching(where: str, slot: str, answer: bool) -> None:
    assert ((where, slot) in reaching(slot_graph(GRAPH), [(ROOT, "stdout")])) is answer


def test_several_goals_and_unknown_ones() -> None:
    links = slot_graph(GRAPH)
    assert reaching(links, [(ROOT, "log"), (ROOT, "nothing")]) == {
        (ROOT, "log"), (ROOT, "stdin"), (ROOT, "best"), (TASK, "stdin"), ("S2_S1", "best"), ("S2", "best"),
        ("S2_S1", "items"), ("S2", "items"), ("S1", "items"), ("S1", "stdin"),
    }  # fmt: skip
    assert reaching(links, []) == frozenset()


def test_a_node_that_names_itself_as_parent_hands_nothing_on() -> None:
    own = node("S1", "S1", "leaf", {}, ("items",))
    assert list(slot_graph(TaskGraph(nodes=(own,), order=("S1",))).edges) == []


@pytest.mark.parametrize(
    ("outputs", "given", "observed"),
    [
        (("stdout", "log"), ProgramInput(stdin=""), ["stdout"]),
        (("result", "log"), FunctionInput(), ["result"]),
        (("files", "log"), FilesInput(), ["files"]),
        (("state", "size"), CallsInput(), ["state", "size"]),
        (("state", "size"), UnittestInput(source=""), ["state", "size"]),
        (("answer", "log"), ProgramInput(stdin=""), ["answer", "log"]),
        ((), ProgramInput(stdin=""), []),
    ],
    ids=["program", "function", "script", "class", "class-unittest", "no-output-of-that-name", "no-output"],
)
def test_what_a_check_observes(outputs: tuple[str, ...], given: CheckInput, observed: list[str]) -> None:
    graph = TaskGraph(nodes=(node(ROOT, "", "leaf", {}, outputs),), order=(ROOT,))
    assert observables(graph, given) == tuple((ROOT, name) for name in observed)


def test_a_graph_without_a_root_observes_nothing() -> None:
    assert observables(TaskGraph(nodes=GRAPH.nodes[1:2], order=("S1",)), ProgramInput(stdin="")) == ()
