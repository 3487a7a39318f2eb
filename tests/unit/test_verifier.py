"""Which obligation an answer of the verifier names."""

from __future__ import annotations

import pytest

from auditcoder.programs.render import contract_text
from auditcoder.programs.verifier import obligation_of
from auditcoder.records.finding import Obligation
from auditcoder.records.graph import Contract, Node, PlanningDecision, Predicate, Slot

NODE = Node(
    id="S1",
    parent="S0",
    goal="Add up.",
    executor="greedy",
    kind="leaf",
    outputs=(Slot(name="sum_of_all", type="int"),),
    contract=Contract(
        preconditions=(Predicate(id="pre1", text="len(items) > 0", slots=("items",)),),
        postconditions=(
            Predicate(id="goal", text="Add up.", slots=("sum_of_all",)),
            Predicate(id="post1", text="result > 0", slots=("sum_of_all",)),
        ),
    ),
)
DECISIONS = (PlanningDecision(id="D2", node="S1", statement="S1 `add_up` is computed by greedy"),)
COMMITMENT = Obligation(kind="commitment", decision="D2")
RESOURCE = Obligation(kind="resource")


def semantic(predicate: str) -> Obligation:
    return Obligation(kind="semantic", predicate=predicate, slot="sum_of_all")


NAMED: dict[str, tuple[str, bool, Obligation]] = {
    "a-postcondition": ("post1", False, semantic("post1")),
    "the-goal": ("goal", False, semantic("goal")),
    "nothing-known": ("whatever", False, semantic("goal")),
    "a-precondition-is-no-promise": ("pre1", False, semantic("goal")),
    "its-own-decision": ("D2", False, COMMITMENT),
    "a-decision-elsewhere": ("D1", False, semantic("goal")),
    "costly": ("post1", True, RESOURCE),
    "costly-and-its-own-decision": ("D2", True, COMMITMENT),
}


@pytest.mark.parametrize(("named", "costly", "expected"), NAMED.values(), ids=NAMED.keys())
def test_the_named_obligation(named: str, costly: bool, expected: Obligation) -> None:
    assert obligation_of(named, NODE, DECISIONS, costly=costly) == expected


def test_decisions_are_shown_as_the_approach_and_only_where_they_are_given() -> None:
    assert contract_text(NODE, DECISIONS).endswith("- D2 (approach): S1 `add_up` is computed by greedy")
    assert "approach" not in contract_text(NODE)
