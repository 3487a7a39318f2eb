from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.core.plan import PlannedStep, build_graph, single_owner_graph
from auditcoder.core.review import MAX_LEAVES, review_plan
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(name="solve", parameters=(Parameter(name="n", type="int"),), returns="int")
TASK = Task(
    id="t",
    statement="Do it.",
    entry=EntryPoint(kind="function", name="solve", signature=SIGNATURE),
    prelude="def given(x):\n    return x\n",
)
PROGRAM = Task(id="p", statement="Do it.", entry=EntryPoint(kind="program"))
CLASS = Task(
    id="c",
    statement="Do it.",
    entry=EntryPoint(kind="class", name="Box", methods=(FunctionSignature(name="put"),)),
)
STEPS = (
    PlannedStep("halve", "Halves the number.", "number-theory", ("n",), "half", "int"),
    PlannedStep("grow", "Grows the half.", "simulation", ("half",), "grown", "int"),
)


def plan(*steps: PlannedStep) -> TaskGraph:
    return build_graph(TASK, steps or STEPS, lambda expression, names: "")


def change(node_id: str, edit: Callable[[dict[str, Any]], Any]) -> TaskGraph:
    """Return the sample plan with one node's dump edited."""
    data = plan().model_dump(mode="json")
    edit(next(node for node in data["nodes"] if node["id"] == node_id))
    return TaskGraph.model_validate(data)


@pytest.mark.parametrize("task", [TASK, PROGRAM, CLASS], ids=["function", "program", "class"])
def test_computed_plans_have_no_complaint(task: Task) -> None:
    assert review_plan(single_owner_graph(task), task) == ()


def test_a_good_plan_of_steps_has_no_complaint() -> None:
    assert review_plan(plan(), TASK) == ()


def signature(node: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = node["contract"]["signatures"][0]
    return first


CHANGES: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "integrity-first": ("S2", lambda node: node.update(parent="S7"), "parent S7, which does not exist"),
    "entry-missing": (ROOT, lambda node: node["contract"].update(signatures=[]), "must carry the entry signature"),
    "entry-changed": (ROOT, lambda node: signature(node).update(parameters=[]), "changes the entry signature"),
    "root-without-code": (ROOT, lambda node: node.update(kind="structural"), "must own the code"),
    "root-without-output": (ROOT, lambda node: node.update(outputs=[]), "S0 has no output"),
    "no-signature": ("S1", lambda node: node["contract"].update(signatures=[]), "S1 has no function signature"),
    "same-function": ("S2", lambda node: signature(node).update(name="halve"), "both define the function `halve`"),
    "entry-name": ("S2", lambda node: signature(node).update(name="solve"), "which the task itself uses"),
    "main": ("S2", lambda node: signature(node).update(name="main"), "which the task itself uses"),
    "prelude-name": ("S2", lambda node: signature(node).update(name="given"), "which the task itself uses"),
    "builtin": ("S2", lambda node: signature(node).update(name="sum"), "which is a Python word"),
    "keyword": ("S2", lambda node: signature(node).update(name="lambda"), "which is a Python word"),
    "parameter-not-input": (
        "S2",
        lambda node: signature(node).update(parameters=[]),
        "must take exactly its inputs: half",
    ),
    "parameter-keyword": ("S2", lambda n: signature(n)["parameters"][0].update(name="if"), "that is a Python word"),
    "bad-annotation": ("S2", lambda node: signature(node).update(returns="list of int"), "is not a Python type"),
    "no-provider": ("S2", lambda node: node.update(provenance=[]), "input `half` of S2 has no provider"),
    "invented-input": ("S1", lambda node: node["provenance"][0].update(output="m"), "which provides only: n"),
    "unused-output": ("S2", lambda node: node["outputs"].append({"name": "extra"}), "nobody uses `extra` of S2"),
    "no-output": ("S2", lambda node: node.update(outputs=[]), "does not have"),
    "empty-goal": ("S2", lambda node: node.update(goal="  "), "S2 has no goal"),
    "same-goal": ("S2", lambda node: node.update(goal="halves  the NUMBER"), "S2 has the same goal as S1"),
}


@pytest.mark.parametrize(("node_id", "edit", "expected"), list(CHANGES.values()), ids=list(CHANGES))
def test_each_defect_gets_its_complaint(node_id: str, edit: Callable[[dict[str, Any]], Any], expected: str) -> None:
    complaints = review_plan(change(node_id, edit), TASK)
    assert any(expected in complaint for complaint in complaints), complaints


def test_too_many_steps_are_one_complaint() -> None:
    steps = [PlannedStep(f"step_{i}", f"Does part {i}.", "simulation", (), f"v{i}") for i in range(MAX_LEAVES + 1)]
    (complaint,) = review_plan(plan(*steps), TASK)
    assert complaint.startswith(f"the plan has {MAX_LEAVES + 1} steps; at most {MAX_LEAVES}")


def test_a_branch_needs_parts_and_a_leaf_has_none() -> None:
    hollow = change("S2", lambda node: node.update(kind="structural")).model_copy(update={"order": ("S1",)})
    assert any("S2 owns no code and groups nothing" in complaint for complaint in review_plan(hollow, TASK))
    nested = change("S2", lambda node: node.update(parent="S1"))
    assert any("S1 is a leaf but has parts (S2)" in complaint for complaint in review_plan(nested, TASK))


def test_complaints_are_the_same_in_every_run_and_not_repeated() -> None:
    broken = change("S2", lambda node: node.update(goal="", outputs=[]))
    first = review_plan(broken, TASK)
    assert first == review_plan(broken, TASK)
    assert len(set(first)) == len(first)
