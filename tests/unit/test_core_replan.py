"""A branch planned again: what is replaced, what is kept, and what the code of its root is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditcoder.core.graph import integrity
from auditcoder.core.linking import called, is_linked, linked_branch, linked_root
from auditcoder.core.plan import PlannedStep, build_graph, single_owner_graph
from auditcoder.core.replan import external, ids_of, splice
from auditcoder.core.review import review_plan
from auditcoder.records.graph import ROOT, TASK, Node, PlanningDecision, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(
    name="best", parameters=(Parameter(name="n", type="int"), Parameter(name="items", type="list[int]")), returns="int"
)
TASK_F = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="best", signature=SIGNATURE))


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


GRAPH = build_graph(
    TASK_F,
    (
        PlannedStep("clean", "cleans the items", "string", ("items",), "kept", "list[int]"),
        PlannedStep("rank", "ranks what is kept", "greedy", ("kept", "n"), "ranked", "list[int]", "n > 0"),
        PlannedStep("pick", "picks the best one", "simulation", ("ranked",), "answer", "int"),
    ),
    accept_all,
)
NEW = (
    PlannedStep("pairs", "pairs them up", "simulation", ("kept",), "paired", "list[tuple[int, int]]"),
    PlannedStep("order", "orders the pairs", "data-structure", ("paired", "n"), "ordered", "dict[str, int]"),
)


def spliced(branch: str = "S2", steps: Sequence[PlannedStep] = NEW, used: Sequence[str] = ()) -> TaskGraph:
    return splice(GRAPH, branch, steps, used, accept_all)


def test_every_leaf_of_a_plan_has_a_planning_decision() -> None:
    assert GRAPH.decisions == (
        PlanningDecision(id="D1", node="S0", statement="Split into clean, then rank, then pick"),
        PlanningDecision(id="D2", node="S1", statement="S1 `clean` is computed by string"),
        PlanningDecision(id="D3", node="S2", statement="S2 `rank` is computed by greedy"),
        PlanningDecision(id="D4", node="S3", statement="S3 `pick` is computed by simulation"),
    )


def test_a_leaf_becomes_an_orchestrator_with_one_leaf_a_step() -> None:
    graph = spliced()
    assert [node.id for node in graph.nodes] == ["S0", "S1", "S2", "S2_S1", "S2_S2", "S3"]
    assert graph.order == ("S1", "S2_S1", "S2_S2", "S3")
    assert integrity(graph) == ()
    assert review_plan(graph, TASK_F) == ()
    old, new = GRAPH.node("S2"), graph.node("S2")
    assert new == old.model_copy(update={"kind": "orchestrator", "executor": "orchestration"})


def test_new_leaves_take_what_the_branch_takes_and_give_its_result() -> None:
    first, last = (spliced().node(node) for node in ("S2_S1", "S2_S2"))
    assert [(p.slot, p.node) for p in first.provenance] == [("kept", "S2")]
    assert [(p.slot, p.node) for p in last.provenance] == [("paired", "S2_S1"), ("n", "S2")]
    assert (first.depends_on, last.depends_on) == ((), ("S2_S1",))
    assert last.outputs == GRAPH.node("S2").outputs
    assert last.contract.signatures[0].render() == "order(paired: list[tuple[int, int]], n: int) -> list[int]"
    assert first.budget == last.budget == GRAPH.node("S2").budget


def test_decisions_of_the_branch_are_made_anew() -> None:
    decisions = {decision.id: (decision.node, decision.statement) for decision in spliced().decisions}
    assert decisions == {
        "D1": ("S0", "Split into clean, then rank, then pick"),
        "D2": ("S1", "S1 `clean` is computed by string"),
        "D4": ("S3", "S3 `pick` is computed by simulation"),
        "D5": ("S2", "Split into pairs, then order"),
        "D6": ("S2_S1", "S2_S1 `pairs` is computed by simulation"),
        "D7": ("S2_S2", "S2_S2 `order` is computed by data-structure"),
    }


def test_no_id_that_was_ever_given_out_comes_again() -> None:
    graph = spliced(used=("S2_S1", "S2_S3", "D5", "D8"))
    assert ids_of(graph) - ids_of(GRAPH) == {"S2_S2", "S2_S4", "D6", "D7", "D9"}


def test_names_are_fresh_against_the_whole_plan_also_of_what_is_removed() -> None:
    steps = (
        PlannedStep("rank", "like the branch", "greedy", ("kept",), "answer"),
        PlannedStep("best", "like the entry", "greedy", ("answer",), "kept"),
    )
    graph = spliced(steps=steps)
    assert [graph.node(n).contract.signatures[0].name for n in ("S2_S1", "S2_S2")] == ["step_rank", "step_best"]
    assert graph.node("S2_S1").outputs[0].name == "new_answer"
    assert [slot.name for slot in graph.node("S2_S2").inputs] == ["new_answer"]


def test_the_root_is_planned_again_with_its_entry_signature() -> None:
    steps = (
        PlannedStep("total_of", "adds them up", "numerical", ("items",), "total", "int"),
        PlannedStep("scale", "scales by n", "numerical", ("n",), "scaled", "int"),
        PlannedStep("join_up", "joins both", "numerical", ("total", "scaled"), "joined", "int"),
    )
    graph = spliced(ROOT, steps)
    assert [node.id for node in graph.nodes] == ["S0", "S4", "S5", "S6"]
    assert graph.order == ("S4", "S5", "S6")
    root = graph.node(ROOT)
    assert root.contract == GRAPH.node(ROOT).contract
    assert [(p.slot, p.node) for p in root.provenance] == [("n", TASK), ("items", TASK), ("joined", "S6")]
    assert root.depends_on == ("S4", "S5", "S6")
    assert {p.node for p in graph.node("S4").provenance} == {TASK}
    assert {d.node for d in graph.decisions} == {"S0", "S4", "S5", "S6"}
    assert (integrity(graph), review_plan(graph, TASK_F)) == ((), ())


def test_an_undivided_program_is_planned_from_its_root() -> None:
    graph = splice(single_owner_graph(TASK_F), ROOT, NEW[1:], (ROOT,), accept_all)
    assert [(node.id, node.kind) for node in graph.nodes] == [("S0", "orchestrator"), ("S1", "leaf")]
    assert integrity(graph) == ()


def test_a_branch_with_parts_loses_all_of_them() -> None:
    once = spliced()
    twice = splice(once, "S2", NEW[:1], ids_of(once), accept_all)
    assert [node.id for node in twice.nodes] == ["S0", "S1", "S2", "S2_S3", "S3"]
    below = splice(once, "S2_S2", NEW[1:], ids_of(once), accept_all)
    assert [node.id for node in below.nodes][3:6] == ["S2_S1", "S2_S2", "S2_S2_S1"]
    assert integrity(twice) == integrity(below) == ()


def test_a_branch_needs_a_step_and_a_root_that_exists() -> None:
    with pytest.raises(ValueError, match="at least one step"):
        spliced(steps=())
    with pytest.raises(KeyError):
        spliced("S9")


def test_the_code_of_a_branch_root_is_linking() -> None:
    graph = spliced()
    assert linked_branch(graph, graph.node("S2")) == (
        "def rank(kept: list[int], n: int) -> list[int]:\n"
        "    paired = pairs(kept)\n"
        "    ranked = order(paired, n)\n"
        "    return ranked\n"
    )
    assert linked_root(TASK_F, graph) == (
        "def best(n: int, items: list[int]) -> int:\n"
        "    kept = clean(items)\n"
        "    ranked = rank(kept, n)\n"
        "    answer = pick(ranked)\n"
        "    return answer\n"
    )


def test_a_structural_node_is_called_through() -> None:
    group = Node(id="S4", parent="S0", goal="group", executor="orchestration", kind="structural")
    moved = GRAPH.node("S2").model_copy(update={"parent": "S4"})
    nodes = tuple(moved if node.id == "S2" else node for node in (*GRAPH.nodes, group))
    graph = GRAPH.model_copy(update={"nodes": nodes})
    assert [node.id for node in called(graph, graph.node(ROOT))] == ["S1", "S2", "S3"]
    assert linked_root(TASK_F, graph) == linked_root(TASK_F, GRAPH)


LINKED: dict[str, tuple[TaskGraph, str, str, bool]] = {
    "root": (GRAPH, ROOT, linked_root(TASK_F, GRAPH), True),
    "branch": (spliced(), "S2", linked_branch(spliced(), spliced().node("S2")), True),
    "written-by-a-model": (GRAPH, ROOT, "def best(n, items):\n    return pick(rank(clean(items), n))\n", False),
    "a-leaf": (GRAPH, "S1", "def clean(items):\n    return items\n", False),
    "undivided": (single_owner_graph(TASK_F), ROOT, "def best(n, items):\n    return 0\n", False),
}


@pytest.mark.parametrize(("graph", "node", "source", "expected"), LINKED.values(), ids=LINKED.keys())
def test_linked_code_is_recognised(graph: TaskGraph, node: str, source: str, expected: bool) -> None:
    assert is_linked(TASK_F, graph, graph.node(node), source) is expected


def test_what_comes_from_outside_is_told_from_what_comes_back() -> None:
    inputs, provenance = external(GRAPH.node(ROOT), {"S1", "S2", "S3"})
    assert [slot.name for slot in inputs] == ["n", "items"]
    assert {provider.node for provider in provenance} == {TASK}
