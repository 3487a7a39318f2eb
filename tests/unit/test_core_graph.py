from __future__ import annotations

import pytest

from auditcoder.core.graph import ancestors, children, depth, integrity, leaves, subtree, topological_order
from auditcoder.records.graph import ROOT, TASK, Node, NodeKind, PlanningDecision, Provider, Slot, TaskGraph


def node(
    node_id: str,
    parent: str = ROOT,
    kind: NodeKind = "leaf",
    takes: tuple[str, ...] = (),
    gives: str = "",
    **more: object,
) -> Node:
    """`takes` are texts `slot<provider.output`."""
    provenance = []
    for text in takes:
        slot, _, source = text.partition("<")
        provider, _, output = source.partition(".")
        provenance.append(Provider(slot=slot, node=provider, output=output))
    return Node.model_validate(
        {
            "id": node_id,
            "parent": "" if node_id == ROOT else parent,
            "goal": f"Do {node_id}.",
            "executor": "simulation",
            "kind": kind,
            "inputs": [Slot(name=provider.slot) for provider in provenance],
            "outputs": [Slot(name=gives or f"out_{node_id}")],
            "provenance": provenance,
            **more,
        }
    )


def graph(*nodes: Node, order: tuple[str, ...] = (), decisions: tuple[PlanningDecision, ...] = ()) -> TaskGraph:
    listed = order or tuple(each.id for each in nodes if each.kind == "leaf")
    return TaskGraph(nodes=nodes, order=listed, decisions=decisions)


ROOT_NODE = node(ROOT, kind="orchestrator", takes=("a<S1.out_S1",))
FIRST = node("S1", takes=("n<task.n",))
SECOND = node("S2", takes=("x<S1.out_S1",))
BRANCH = (
    node("S2", kind="orchestrator", takes=("x<S1.out_S1",)),
    node("S2_S1", "S2", takes=("x<S2.x",)),
    node("S2_S2", "S2", takes=("y<S2_S1.out_S2_S1",)),
)

SOUND = {
    "chain": graph(ROOT_NODE, FIRST, SECOND),
    "single-owner": graph(node(ROOT, kind="leaf", takes=("n<task.n",))),
    "root-alone": graph(node(ROOT, kind="orchestrator")),
    "branch-takes-its-parents-input": graph(ROOT_NODE, FIRST, *BRANCH),
    "root-provides-and-consumes": graph(
        node(ROOT, kind="orchestrator", takes=("r<S1.out_S1",)), node("S1", takes=("v<S0.out_S0",))
    ),
}


@pytest.mark.parametrize("sound", list(SOUND.values()), ids=list(SOUND))
def test_sound_graphs_break_no_rule(sound: TaskGraph) -> None:
    assert integrity(sound) == ()


BROKEN = {
    "two-nodes-one-id": (graph(ROOT_NODE, FIRST, FIRST, order=("S1",)), "S1", "unique-id"),
    "no-root": (graph(FIRST), "", "root"),
    "two-roots": (graph(ROOT_NODE, FIRST, node("S2", "")), "S2", "root"),
    "unknown-parent": (graph(ROOT_NODE, FIRST, node("S2", "S9")), "S2", "parent"),
    "parent-circle": (
        graph(ROOT_NODE, FIRST, node("S2", "S3", "structural"), node("S3", "S2", "structural")),
        "S2",
        "parent-cycle",
    ),
    "own-parent": (graph(ROOT_NODE, FIRST, node("S2", "S2")), "S2", "parent-cycle"),
    "slot-twice": (graph(ROOT_NODE, FIRST, node("S2", outputs=[Slot(name="r"), Slot(name="r")])), "S2", "slot"),
    "two-providers": (graph(ROOT_NODE, FIRST, node("S2", takes=("n<task.n", "n<S1.out_S1"))), "S2", "slot"),
    "provider-for-no-input": (graph(ROOT_NODE, FIRST, node("S2", takes=("n<task.n",), inputs=[])), "S2", "slot"),
    "unknown-provider": (graph(ROOT_NODE, FIRST, node("S2", takes=("x<S9.y",))), "S2", "provider"),
    "unknown-output": (graph(ROOT_NODE, FIRST, node("S2", takes=("x<S1.y",))), "S2", "provider"),
    "input-of-a-stranger": (graph(ROOT_NODE, FIRST, node("S2", takes=("x<S1.n",))), "S2", "provider"),
    "self-provenance": (graph(ROOT_NODE, FIRST, node("S2", takes=("x<S2.out_S2",))), "S2", "provider"),
    "depends-on-itself": (graph(ROOT_NODE, FIRST, node("S2", depends_on=("S2",))), "S2", "depends-on"),
    "depends-on-nobody": (graph(ROOT_NODE, FIRST, node("S2", depends_on=("S7",))), "S2", "depends-on"),
    "circle": (
        graph(ROOT_NODE, node("S1", takes=("x<S2.out_S2",)), node("S2", takes=("x<S1.out_S1",))),
        "S1",
        "cycle",
    ),
    "circle-through-a-branch": (
        graph(ROOT_NODE, node("S1", takes=("x<S2_S2.out_S2_S2",)), *BRANCH, order=("S1", "S2_S1", "S2_S2")),
        "S1",
        "cycle",
    ),
    "leaf-missing-in-order": (graph(ROOT_NODE, FIRST, SECOND, order=("S1",)), "S2", "order"),
    "leaf-twice-in-order": (graph(ROOT_NODE, FIRST, order=("S1", "S1")), "S1", "order"),
    "order-lists-a-stranger": (graph(ROOT_NODE, FIRST, order=("S1", "S5")), "S5", "order"),
    "order-lists-an-orchestrator": (graph(ROOT_NODE, FIRST, order=("S1", "S0")), "S0", "order"),
    "consumer-first": (graph(ROOT_NODE, FIRST, SECOND, order=("S2", "S1")), "S2", "order"),
    "branch-before-its-provider": (
        graph(ROOT_NODE, FIRST, *BRANCH, order=("S2_S1", "S1", "S2_S2")),
        "S2_S1",
        "order",
    ),
    "decision-about-nobody": (
        graph(ROOT_NODE, FIRST, decisions=(PlanningDecision(id="D1", node="S9", statement="x"),)),
        "S9",
        "decision",
    ),
    "decision-id-twice": (
        graph(ROOT_NODE, FIRST, decisions=(PlanningDecision(id="D1", node="S1", statement="x"),) * 2),
        "",
        "decision",
    ),
}


@pytest.mark.parametrize(("broken", "where", "rule"), list(BROKEN.values()), ids=list(BROKEN))
def test_each_broken_rule_names_node_and_rule(broken: TaskGraph, where: str, rule: str) -> None:
    found = integrity(broken)
    assert (where, rule) in {(violation.node, violation.rule) for violation in found}
    assert all(violation.message for violation in found)


def test_a_circle_of_parents_is_reported_and_never_walked_forever() -> None:
    circle = BROKEN["parent-circle"][0]
    assert ancestors(circle, "S2") == ("S3",)
    assert sorted(topological_order(circle)) == ["S0", "S1", "S2", "S3"]


def test_walks_over_a_branch() -> None:
    sample = SOUND["branch-takes-its-parents-input"]
    assert children(sample, ROOT) == ("S1", "S2")
    assert subtree(sample, "S2") == ("S2", "S2_S1", "S2_S2")
    assert leaves(sample, "S2") == ("S2_S1", "S2_S2")
    assert ancestors(sample, "S2_S1") == ("S2", ROOT)
    assert [depth(sample, node_id) for node_id in (ROOT, "S2", "S2_S2")] == [0, 1, 2]
    assert subtree(sample, "S9") == ()


def test_topological_order_is_by_dependency_then_number_then_parents_last() -> None:
    nodes = [node(f"S{number}") for number in (10, 2, 1)]
    late = node("S3", takes=("x<S10.out_S10",))
    assert topological_order(graph(node(ROOT, kind="orchestrator"), late, *nodes)) == ("S1", "S2", "S10", "S3", ROOT)
    assert topological_order(SOUND["branch-takes-its-parents-input"]) == ("S1", "S2_S1", "S2_S2", "S2", ROOT)


def test_the_task_is_a_provider_of_everything() -> None:
    assert TASK == "task"
    assert integrity(graph(ROOT_NODE, node("S1", takes=("a<task.whatever",)))) == ()
