"""Findings made from execution, and the versions that decide whether they still speak."""

from __future__ import annotations

import pytest

from auditcoder.core.anchor import Anchor
from auditcoder.core.case import LocateInputs
from auditcoder.core.costs import Metric, dominant_owner, owner_shares
from auditcoder.core.evidence import (
    Judgement,
    finding_from_measurement,
    findings_from_checks,
    judged_finding,
)
from auditcoder.core.rules import resource
from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.versions import is_current
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Measurement, Outcome, UnitCost
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Contract, Node, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.task import Check, Expected, ProgramInput, checks_hash
from auditcoder.records.values import decode

CHECKS = (
    Check(id="E1", input=ProgramInput(stdin="1"), expected=Expected(stdout="1")),
    Check(id="B1", origin="boundary", input=ProgramInput(stdin="2"), expected=Expected(stdout="2")),
    Check(id="B2", origin="boundary", input=ProgramInput(stdin="3"), expected=Expected()),
)


def node(name: str, parent: str = "", provider: str = "", goal: str = "keeps all") -> Node:
    return Node(
        id=name,
        parent=parent,
        goal=name,
        executor="simulation",
        kind="leaf",
        contract=Contract(postconditions=(Predicate(id="goal", text=goal, slots=("out",)),)),
        inputs=(Slot(name="value"),),
        outputs=(Slot(name="out"),),
        provenance=(Provider(slot="value", node=provider or "task", output="out"),),
    )


def state(*owners: str, outcomes: tuple[Outcome, ...] = ("pass", "pass", "pass")) -> RunState:
    names = owners or ("S0",)
    codes = {name: NodeCode(node=name, source=f"# {name}", digest=sha256_text(f"# {name}")) for name in names}
    units = tuple(CodeUnit(name=f"f_{n}", kind="function", owner=n, text=n, digest=sha256_text(n)) for n in names)
    nodes = tuple(node(name, parent="" if name == "S0" else "S0") for name in names)
    results = tuple(CheckResult(check=c.id, outcome=o) for c, o in zip(CHECKS, outcomes, strict=True))
    return RunState(
        graph=TaskGraph(nodes=nodes, order=names),
        codes=in_node_order(codes),
        assembly=Assembly(program="p", digest="d", units=units, lines=()),
        report=ExecutionReport(program="d", results=results),
        checks_hash=checks_hash(CHECKS),
    )


SOLE: dict[str, tuple[Outcome, str, str]] = {
    "pass": ("pass", "accept", "semantic"),
    "wrong-answer": ("wrong-answer", "reject", "semantic"),
    "runtime-error": ("runtime-error", "reject", "semantic"),
    "output-limit": ("output-limit", "reject", "semantic"),
    "policy-reject": ("policy-reject", "reject", "semantic"),
    "timeout": ("timeout", "reject", "resource"),
    "memory": ("memory", "reject", "resource"),
}


@pytest.mark.parametrize(("outcome", "verdict", "kind"), SOLE.values(), ids=SOLE.keys())
def test_sole_owner_answers_for_a_check(outcome: Outcome, verdict: str, kind: str) -> None:
    given = state(outcomes=("harness-error", outcome, "harness-error"))
    (found,) = findings_from_checks(given, CHECKS, start=6)
    assert (found.id, found.owners, found.check, found.evidence) == ("F7", ("S0",), "B1", "exec")
    assert (found.verdict, found.obligation.kind) == (verdict, kind)
    assert decode(found.witness) == {"outcome": outcome, "detail": ""}
    assert is_current(found, given.graph, given.code_map)


def test_sandbox_failures_and_passing_input_only_checks_say_nothing() -> None:
    given = state(outcomes=("pass", "harness-error", "pass"))
    assert [item.check for item in findings_from_checks(given, CHECKS, start=0)] == ["E1"]


def test_a_crash_on_an_input_only_check_is_a_rejection() -> None:
    given = state(outcomes=("pass", "pass", "runtime-error"))
    found = findings_from_checks(given, CHECKS, start=0)
    assert [(item.id, item.check, item.verdict) for item in found] == [
        ("F1", "E1", "accept"), ("F2", "B1", "accept"), ("F3", "B2", "reject"),
    ]  # fmt: skip


def test_with_several_owners_an_end_to_end_result_names_nobody() -> None:
    assert findings_from_checks(state("S0", "S1", outcomes=("wrong-answer",) * 3), CHECKS, start=0) == ()


@pytest.mark.parametrize("observed", ["x" * 9000, {"t": "int", "v": hex(10**5000)}, {"t": "set", "v": [[1]]}, "\ud800"])
def test_no_observed_value_makes_the_witness_fail_or_grow(observed: object) -> None:
    given = state(outcomes=("wrong-answer", "pass", "pass"))
    first = given.report.results[0].model_copy(update={"observed": observed, "has_observed": True})
    report = given.report.model_copy(update={"results": (first, *given.report.results[1:])})
    found = findings_from_checks(given.model_copy(update={"report": report}), CHECKS, start=0)
    assert len(decode(found[0].witness)["observed"]) <= 400


def test_judged_finding_carries_the_verdict_and_the_active_versions() -> None:
    given = state("S0", "S1")
    judgement = Judgement(
        owners=("S1",),
        verdict="reject",
        obligation=Obligation(kind="semantic", predicate="goal"),
        condition="value > 1",
        reason="drops one",
        check="E1",
    )
    found = judged_finding(judgement, given.active, start=2)
    assert (found.id, found.evidence, found.condition, found.reason) == ("F3", "judg", "value > 1", "drops one")
    assert found.witness is None
    assert is_current(found, given.graph, given.code_map)


# --- currency --------------------------------------------------------------------------------------------------------


def provided(goal: str = "keeps all", provider_goal: str = "keeps all", source: str = "S1") -> TaskGraph:
    nodes = (node("S0"), node("S1", "S0", goal=provider_goal), node("S2", "S0", source, goal))
    return TaskGraph(nodes=nodes, order=("S1", "S2"))


def codes(**sources: str) -> dict[str, NodeCode]:
    given = {"S1": "a = 1", "S2": "b = 2", **sources}
    return {name: NodeCode(node=name, source=text, digest="") for name, text in given.items()}


CURRENCY: dict[str, tuple[TaskGraph, dict[str, NodeCode], bool]] = {
    "unchanged": (provided(), codes(), True),
    "own-code": (provided(), codes(S2="b = 3"), False),
    "own-contract": (provided(goal="keeps most"), codes(), False),
    "providers-contract": (provided(provider_goal="keeps most"), codes(), False),
    "other-provider": (provided(source="S0"), codes(), False),
    "providers-code-only": (provided(), codes(S1="a = 2"), True),
    "owner-left-the-graph": (TaskGraph(nodes=(node("S0"), node("S1", "S0")), order=("S1",)), codes(), False),
}


@pytest.mark.parametrize(("graph", "active", "expected"), CURRENCY.values(), ids=CURRENCY.keys())
def test_currency_follows_from_content(graph: TaskGraph, active: dict[str, NodeCode], expected: bool) -> None:
    assert is_current(_judged_on_s2(), graph, active) is expected


def test_a_rollback_makes_a_finding_current_again() -> None:
    found = _judged_on_s2()
    assert not is_current(found, provided(), codes(S2="b = 3"))
    assert is_current(found, provided(), codes(S2="b = 2"))


def _judged_on_s2() -> Finding:
    units = (CodeUnit(name="b", kind="block", owner="S2", text="b = 2", digest=""),)
    active = Assembly(program="", digest="", units=units, lines=())
    judgement = Judgement(("S2",), "reject", Obligation(kind="semantic", predicate="goal"))
    return judged_finding(judgement, RunState(
        graph=provided(), codes=in_node_order(codes()), assembly=active,
        report=ExecutionReport(program="", results=()), checks_hash="",
    ).active, start=0)  # fmt: skip


# --- measurements ----------------------------------------------------------------------------------------------------

DOMINANCE: dict[str, tuple[dict[str, float], Metric, str]] = {
    "alone": ({"f_S1": 1.0}, "cpu", "S1"),
    "most": ({"f_S1": 0.7, "f_S2": 0.3}, "cpu", "S1"),
    "exactly-half-and-twice-the-next": ({"f_S1": 2.0, "f_S2": 1.0, "f_S0": 1.0}, "cpu", "S1"),
    "memory": ({"f_S1": 10.0, "f_S2": 90.0}, "memory", "S2"),
    "below-half": ({"f_S1": 0.45, "f_S2": 0.2, "f_S0": 0.2, "g": 0.15}, "cpu", ""),
    "not-twice-the-next": ({"f_S1": 0.6, "f_S2": 0.31}, "cpu", ""),
    "unowned-code-dominates": ({"g": 0.9, "f_S1": 0.1}, "cpu", ""),
    "nothing-was-measured": ({"f_S1": 0.0}, "cpu", ""),
    "no-units": ({}, "cpu", ""),
}


def measured(costs: dict[str, float]) -> Measurement:
    units = tuple(UnitCost(unit=unit, cpu_seconds=cost, peak_mb=cost) for unit, cost in costs.items())
    return Measurement(check="E1", costs=units, complete=False)


@pytest.mark.parametrize(("costs", "metric", "owner"), DOMINANCE.values(), ids=DOMINANCE.keys())
def test_dominant_owner(costs: dict[str, float], metric: Metric, owner: str) -> None:
    given = state("S0", "S1", "S2")
    dominant = dominant_owner(measured(costs), given.assembly, metric)
    assert (dominant.owner if dominant else "") == owner
    result = CheckResult(check="E1", outcome="timeout")
    found = finding_from_measurement(measured(costs), result, metric, given.active, start=0)
    assert (found.owners if found else ()) == ((owner,) if owner else ())
    if found is not None:
        assert (found.verdict, found.obligation.kind, found.check) == ("reject", "resource", "E1")


def test_self_times_of_an_owner_add_up_and_peaks_do_not() -> None:
    units = tuple(CodeUnit(name=n, kind="function", owner=n[:2], text=n, digest="") for n in ("S1a", "S1b", "S2a"))
    assembly = Assembly(program="", digest="", units=units, lines=())
    costs = measured({"S1a": 3.0, "S1b": 3.0, "S2a": 4.0})
    assert [(s.owner, round(s.share, 3)) for s in owner_shares(costs, assembly, "cpu")] == [("S1", 0.6), ("S2", 0.4)]
    assert [(s.owner, round(s.share, 3)) for s in owner_shares(costs, assembly, "memory")] == [
        ("S2", 0.571), ("S1", 0.429),
    ]  # fmt: skip


WHOLE: dict[str, tuple[dict[str, float], float, str]] = {
    "all-of-it": ({"f_S1": 2.0}, 2.0, "S1"),
    "twice-the-rest": ({"f_S1": 2.0}, 3.0, "S1"),
    "less-than-twice-the-rest": ({"f_S1": 2.0}, 3.1, ""),
    "a-small-part": ({"f_S1": 0.1, "f_S2": 0.01}, 2.0, ""),
    "unowned-units-and-the-rest-add-up": ({"f_S1": 2.0, "g": 0.6}, 3.2, ""),
    "an-advisory-run-may-take-longer": ({"f_S1": 5.0, "f_S2": 1.0}, 2.0, "S1"),
}


@pytest.mark.parametrize("metric", ["cpu", "memory"])
@pytest.mark.parametrize(("costs", "whole", "owner"), WHOLE.values(), ids=WHOLE.keys())
def test_what_the_measurement_does_not_cover_is_nobodys(
    costs: dict[str, float], whole: float, owner: str, metric: Metric
) -> None:
    given = state("S0", "S1", "S2")
    result = CheckResult(check="E1", outcome="timeout", cpu_seconds=whole, peak_mb=whole)
    shares = owner_shares(measured(costs), given.assembly, metric, whole)
    assert sum(item.share for item in shares) == pytest.approx(1.0)
    found = finding_from_measurement(measured(costs), result, metric, given.active, start=0)
    assert (found.owners if found else ()) == ((owner,) if owner else ())


@pytest.mark.parametrize(("outcome", "used"), [("timeout", "cpu_seconds"), ("memory", "peak_mb")])
@pytest.mark.parametrize(("cost", "owner"), [(0.3, ""), (1.9, "S1")])
def test_the_rule_shares_out_what_the_anchor_used(outcome: Outcome, used: str, cost: float, owner: str) -> None:
    given = state("S0", "S1", "S2")
    result = CheckResult.model_validate({"check": "E1", "outcome": outcome, used: 2.0})
    inputs = LocateInputs(
        active=given.active, report=given.report, checks=CHECKS, measurement=measured({"f_S1": cost, "f_S2": 0.01})
    )
    assert resource(Anchor(CHECKS[0], result), inputs).owner == owner


def test_a_verdict_on_another_check_says_nothing_about_a_measurement() -> None:
    given = state("S0", "S1", "S2")
    other = CheckResult(check="B1", outcome="timeout")
    assert finding_from_measurement(measured({"f_S1": 1.0}), other, "cpu", given.active, start=0) is None


def test_a_judgement_on_an_unknown_node_is_refused() -> None:
    judgement = Judgement(("S9",), "reject", Obligation(kind="resource"))
    with pytest.raises(KeyError):
        judged_finding(judgement, state().active, start=0)
