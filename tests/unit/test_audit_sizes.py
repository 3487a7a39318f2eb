"""The two measures of size: which nodes a scope stands for, and which lines of a program a repair left in it."""

from __future__ import annotations

import pytest

from auditcoder.audit.metrics.changes import retained
from auditcoder.audit.metrics.regions import region
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Expansion, Scope

GRAPH = TaskGraph(
    nodes=(
        Node(id="S0", goal="g", executor="orchestration", kind="orchestrator"),
        Node(id="S1", parent="S0", goal="g", executor="simulation", kind="leaf"),
        Node(id="S2", parent="S0", goal="g", executor="simulation", kind="leaf"),
    ),
    order=("S1", "S2"),
)
BRANCH = Scope(defect="Cmt", action="replan", nodes=("S0",), branch="S0")
EXPANDED = Scope(
    defect="Ifc", action="regenerate", nodes=("S1",), expansions=(Expansion(unit="two", owner="S2", reason="r"),)
)


@pytest.mark.parametrize(
    ("scope", "nodes"),
    [
        (Scope(action="regenerate", nodes=("S1",)), {"S1"}),
        (Scope(action="regenerate", nodes=("S0",)), {"S0"}),
        (BRANCH, {"S0", "S1", "S2"}),
        (Scope(action="replan", nodes=("S0",)), {"S0", "S1", "S2"}),
        (Scope(action="replan", branch="S1"), {"S1"}),
        (EXPANDED, {"S1", "S2"}),
        (Scope(action="replan", nodes=("S1", "S9"), branch="S9"), {"S1"}),
        (Scope(), set()),
    ],
    ids=["node", "orchestrator", "branch", "branch of format 1.0", "leaf branch", "expansion", "unknown", "none"],
)  # fmt: skip
def test_the_region_of_a_scope(scope: Scope, nodes: set[str]) -> None:
    assert region(scope, GRAPH) == nodes


@pytest.mark.parametrize(
    ("before", "after", "final", "lines"),
    [
        ("a\nb\n", "a\nb\n", "a\nb\n", 0),
        ("a\nb\n", "a\nc\n", "a\nc\n", 1),
        ("a\nb\n", "a\n", "a\n", 0),
        ("a\nb\n", "a\nb\nc\n\nd\n", "a\nb\nc\n\nd\n", 2),
        ("a\n", "a\nb\nc\n", "a\nc\n", 1),
        ("a\n", "b\n", "c\n", 0),
        ("", "", "", 0),
    ],
    ids=["same", "changed", "deleted", "added", "changed again later", "all replaced later", "empty"],
)
def test_retained_lines(before: str, after: str, final: str, lines: int) -> None:
    assert retained(before, after, final) == lines
