"""The most upstream executed violation stays, along slot paths only."""

from __future__ import annotations

import pytest

from auditcoder.core.anchor import Anchor
from auditcoder.core.case import Case
from auditcoder.core.index import Index
from auditcoder.core.preference import prefer
from auditcoder.core.versions import Active
from auditcoder.records.code import Assembly
from auditcoder.records.execution import CheckResult
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Node, Provider, Slot, TaskGraph
from auditcoder.records.task import Check, Expected, ProgramInput
from auditcoder.sandbox.predicates import MeteredEvaluator

CHECK = Check(id="Q1", input=ProgramInput(stdin=""), expected=Expected(stdout="1"))
ANCHOR = Anchor(CHECK, CheckResult(check="Q1", outcome="wrong-answer"))


def node(name: str, *sources: tuple[str, str], gives: tuple[str, ...] = ("out",)) -> Node:
    """Return a node whose inputs `in0`, `in1`, ... come from these (node, output) pairs."""
    return Node(
        id=name,
        parent="" if name == "S0" else "S0",
        goal="g",
        executor="simulation",
        kind="orchestrator" if name == "S0" else "leaf",
        inputs=tuple(Slot(name=f"in{i}") for i in range(len(sources))),
        outputs=tuple(Slot(name=slot) for slot in gives),
        provenance=tuple(Provider(slot=f"in{i}", node=n, output=o) for i, (n, o) in enumerate(sources)),
    )


def graph(*nodes: Node) -> TaskGraph:
    return TaskGraph(nodes=nodes, order=tuple(item.id for item in nodes if item.kind == "leaf"))


CHAIN = graph(
    node("S0", ("S3", "out")), node("S1", ("task", "x")), node("S2", ("S1", "out")), node("S3", ("S2", "out"))
)
FORK = graph(
    node("S0", ("S2", "out"), ("S3", "out")),
    node("S1", ("task", "x"), gives=("left", "right")),
    node("S2", ("S1", "left")),
    node("S3", ("S1", "right")),
)
HANDED = graph(
    node("S0", ("S1", "out"), gives=("order", "answer")), node("S1", ("S0", "order")), node("S2", ("task", "x"))
)


def kept(given: TaskGraph, *violations: str) -> list[str]:
    """Return which of the executed violations, given as `node` or `node.slot`, stay."""
    active = Active(given, {}, Assembly(program="", digest="d", units=(), lines=()))
    index = Index(active=active, anchor=ANCHOR, findings=(), recording=None, evaluator=MeteredEvaluator())
    cases = [Case(violated(name), index) for name in violations]
    return [case.finding.id for case in prefer(cases, "executed-first").kept]


def violated(name: str) -> Finding:
    owners = tuple(part.partition(".")[0] for part in name.split("+"))
    return Finding(
        id=name,
        owners=owners,
        verdict="reject",
        obligation=Obligation(kind="semantic", predicate="goal", slot=name.partition(".")[2]),
        evidence="exec",
        versions=tuple(Versions(code="", contract="") for _ in owners),
        check="Q1",
    )


UPSTREAM: dict[str, tuple[TaskGraph, list[str], list[str]]] = {
    "next-in-the-chain": (CHAIN, ["S1", "S2"], ["S1"]),
    "through-a-node-without-violation": (CHAIN, ["S3", "S1"], ["S1"]),
    "whole-chain": (CHAIN, ["S3", "S2", "S1", "S0"], ["S1"]),
    "only-the-named-slot-flows": (FORK, ["S1.left", "S2", "S3"], ["S1.left", "S3"]),
    "input-slot-flows-everywhere": (FORK, ["S1.in0", "S2", "S3"], ["S1.in0"]),
    "siblings-are-independent": (FORK, ["S2", "S3"], ["S2", "S3"]),
    "given-down-and-taken-back": (HANDED, ["S0", "S1"], ["S0", "S1"]),
    "given-down-and-taken-back-beside-another": (HANDED, ["S0", "S1", "S2"], ["S0", "S1", "S2"]),
    "one-owner-twice": (CHAIN, ["S2.in0", "S2.out"], ["S2.in0", "S2.out"]),
    "shared-owner-beside-one-downstream": (CHAIN, ["S1+S2", "S2+S3"], ["S1+S2"]),
    "shared-owner-is-no-consequence-of-itself": (CHAIN, ["S2+S3", "S3"], ["S2+S3", "S3"]),
}


@pytest.mark.parametrize(("given", "violations", "expected"), UPSTREAM.values(), ids=UPSTREAM.keys())
def test_upstream(given: TaskGraph, violations: list[str], expected: list[str]) -> None:
    assert kept(given, *violations) == expected
    assert kept(given, *violations[::-1]) == expected[::-1]
