"""How far a repair may change the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from auditcoder.core.graph import subtree
from auditcoder.core.plan import PlannedStep, build_graph
from auditcoder.core.plan_border import PLAN, plan_violations
from auditcoder.core.renegotiate import Settlement, renegotiated
from auditcoder.core.replan import ids_of, splice
from auditcoder.records.graph import Budget, Node, PlanningDecision, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import OpenSlot, Scope
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(name="best", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TASK = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="best", signature=SIGNATURE))


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


BEFORE = build_graph(
    TASK,
    (
        PlannedStep("clean", "cleans the items", "string", ("items",), "kept", "list[int]", "", "len(result) >= 0"),
        PlannedStep("rank", "ranks what is kept", "greedy", ("kept", "items"), "ranked", "list[int]", "len(kept) > 0"),
        PlannedStep("pick", "picks the best one", "simulation", ("ranked",), "answer", "int"),
    ),
    accept_all,
)
STEPS = (PlannedStep("pairs", "pairs them up", "simulation", ("kept",), "paired"),)
IMPL = Scope(defect="Impl", action="regenerate", nodes=("S2",))
SLOT = OpenSlot(provider="S1", output="kept", consumer="S2", slot="kept")
PAIR = Scope(defect="Ifc", action="regenerate", nodes=("S1", "S2"), open_slots=(SLOT,))
BRANCH = Scope(defect="Cmt", action="replan", nodes=("S2",), branch="S2")
WHOLE = Scope(defect="Cmt", action="replan", nodes=subtree(BEFORE, "S0"), branch="S0")
SPLICED = splice(BEFORE, "S2", STEPS, (), accept_all)
SETTLED = renegotiated(BEFORE, [Settlement(SLOT, "provider-ensures", "tuple[int, ...]")], [])


def changed(graph: TaskGraph, node_id: str, **fields: object) -> TaskGraph:
    nodes = tuple(n.model_copy(update=fields) if n.id == node_id else n for n in graph.nodes)
    return graph.model_copy(update={"nodes": nodes})


def contract(graph: TaskGraph, node_id: str, **fields: object) -> TaskGraph:
    return changed(graph, node_id, contract=graph.node(node_id).contract.model_copy(update=fields))


def with_nodes(graph: TaskGraph, change: Callable[[tuple[Node, ...]], tuple[Node, ...]]) -> TaskGraph:
    return graph.model_copy(update={"nodes": change(graph.nodes)})


POST = Predicate(id="post9", text="x", slots=("kept",))
INSIDE: dict[str, tuple[TaskGraph, Scope]] = {
    "nothing-changed": (BEFORE, IMPL),
    "pair-settled": (SETTLED, PAIR),
    "pair-accepts": (renegotiated(BEFORE, [Settlement(SLOT, "consumer-accepts")], []), PAIR),
    "pair-unchanged": (BEFORE, PAIR),
    "pair-promises-more-of-the-slot": (contract(BEFORE, "S1", postconditions=(POST,)), PAIR),
    "branch-replanned": (SPLICED, BRANCH),
    "branch-replanned-with-used-ids": (splice(BEFORE, "S2", STEPS, ("S2_S1", "D5"), accept_all), BRANCH),
    "root-replanned": (splice(BEFORE, "S0", STEPS, (), accept_all), WHOLE),
}


@pytest.mark.parametrize(("after", "scope"), INSIDE.values(), ids=INSIDE.keys())
def test_inside_the_scope(after: TaskGraph, scope: Scope) -> None:
    assert plan_violations(BEFORE, after, scope, ids_of(BEFORE)) == ()


S2 = SPLICED.node("S2")
STRANGER = Node(id="S9", parent="S0", goal="g", executor="greedy", kind="structural")
OUTSIDE: dict[str, tuple[TaskGraph, Scope, list[tuple[str, str]]]] = {
    "impl-contract": (contract(BEFORE, "S2", preconditions=()), IMPL, [("S2", "changed")]),
    "impl-settled": (SETTLED, IMPL, [("S1", "changed"), ("S2", "changed")]),
    "impl-goal": (changed(BEFORE, "S2", goal="another"), IMPL, [("S2", "changed")]),
    "impl-decision": (BEFORE.model_copy(update={"decisions": BEFORE.decisions[:3]}), IMPL, [("S3", "changed")]),
    "pair-goal": (changed(SETTLED, "S1", goal="another"), PAIR, [("S1", "changed")]),
    "pair-budget": (changed(SETTLED, "S2", budget=Budget(time="O(1)")), PAIR, [("S2", "changed")]),
    "pair-third-node": (contract(SETTLED, "S3", postconditions=()), PAIR, [("S3", "changed")]),
    "pair-another-slot-type": (
        changed(SETTLED, "S2", inputs=(Slot(name="kept"), Slot(name="items"))), PAIR, [("S2", "changed")]),
    "pair-result-of-the-consumer": (
        changed(SETTLED, "S2", outputs=(Slot(name="ranked", type="str"),)), PAIR, [("S2", "changed")]),
    "pair-precondition-elsewhere": (
        contract(SETTLED, "S2", preconditions=(Predicate(id="pre7", text="x", slots=("items",)),)), PAIR,
        [("S2", "changed")]),
    "pair-promise-of-the-consumer": (contract(SETTLED, "S2", postconditions=()), PAIR, [("S2", "changed")]),
    "pair-precondition-of-the-provider": (
        contract(SETTLED, "S1", preconditions=(POST,)), PAIR, [("S1", "changed")]),
    "pair-invariant": (contract(SETTLED, "S1", invariants=(POST,)), PAIR, [("S1", "changed")]),
    "pair-function-name": (
        contract(SETTLED, "S1", signatures=(FunctionSignature(name="other"),)), PAIR, [("S1", "changed")]),
    "pair-node-added": (with_nodes(SETTLED, lambda n: (*n, STRANGER)), PAIR, [("S9", "added")]),
    "branch-contract": (contract(SPLICED, "S2", preconditions=()), BRANCH, [("S2", "changed")]),
    "branch-goal": (changed(SPLICED, "S2", goal="another"), BRANCH, [("S2", "changed")]),
    "branch-provider": (
        changed(SPLICED, "S2", provenance=(Provider(slot="kept", node="task", output="items"), *S2.provenance[1:])),
        BRANCH, [("S2", "changed")]),
    "branch-output-type": (
        changed(SPLICED, "S2", outputs=(Slot(name="ranked", type="str"),)), BRANCH, [("S2", "changed")]),
    "branch-budget": (changed(SPLICED, "S2", budget=Budget(time="O(1)")), BRANCH, [("S2", "changed")]),
    "branch-neighbour": (changed(SPLICED, "S3", executor="graph"), BRANCH, [("S3", "changed")]),
    "branch-removes-a-neighbour": (
        with_nodes(SPLICED, lambda n: tuple(x for x in n if x.id != "S1")).model_copy(
            update={"order": ("S2_S1", "S3"), "decisions": SPLICED.decisions[2:]}),
        BRANCH,
        [("S1", "removed"), ("S0", "changed"), ("S2", "changed"), ("S1", "changed")]),
    "branch-adds-a-neighbour": (with_nodes(SPLICED, lambda n: (*n, STRANGER)), BRANCH, [("S9", "added")]),
    "branch-decision-elsewhere": (
        SPLICED.model_copy(
            update={"decisions": (*SPLICED.decisions, PlanningDecision(id="D9", node="S3", statement="x"))}),
        BRANCH, [("S3", "added")]),
    "branch-order-elsewhere": (
        SPLICED.model_copy(update={"order": ("S3", "S1", "S2_S1")}), BRANCH, [("S0", "changed"), ("S3", "changed")]),
    "branch-missing-in-the-order": (
        SPLICED.model_copy(update={"order": ("S1", "S3")}), BRANCH, [("S2_S1", "changed")]),
}  # fmt: skip


@pytest.mark.parametrize(("after", "scope", "expected"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_outside_the_scope(after: TaskGraph, scope: Scope, expected: list[tuple[str, str]]) -> None:
    found = plan_violations(BEFORE, after, scope, ids_of(BEFORE))
    assert {item.unit for item in found} == {PLAN}
    assert set(expected) <= {(item.owner, item.change) for item in found}


@pytest.mark.parametrize("used", ["S2_S1", "D5", "D6"])
def test_an_id_that_was_given_out_before_is_a_violation(used: str) -> None:
    assert plan_violations(BEFORE, SPLICED, BRANCH, {*ids_of(BEFORE), used}) != ()
