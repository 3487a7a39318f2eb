"""Localization in detail: rules, compatible findings, witness conditions, contradiction; see also the truth table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.core.abstention import Abstention
from auditcoder.core.case import LocateInputs
from auditcoder.core.locate import locate
from auditcoder.core.versions import Active, versions_of
from auditcoder.core.witness import call_witness
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode, UnitKind
from auditcoder.records.execution import (
    CheckResult,
    ExecutionReport,
    Frame,
    Measurement,
    Outcome,
    RecordedCall,
    Recording,
    UnitCost,
)
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Budget, Contract, Node, PlanningDecision, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Localization, Support
from auditcoder.records.task import Check, Expected, FunctionSignature, Parameter, ProgramInput
from auditcoder.sandbox.predicates import MeteredEvaluator

SOURCES = {
    "S0": "def main():\n    print(total(parse(input())))\n",
    "S1": "def parse(text):\n    return _ints(text)\n\ndef _ints(text):\n    return [int(t) for t in text.split()]\n",
    "S2": "def total(xs):\n    return sum(xs[1:])\n",
    "S3": "def log(xs):\n    return None\n",
}
UNITS: tuple[tuple[str, UnitKind, str], ...] = (
    ("main", "function", "S0"),
    ("parse", "function", "S1"),
    ("_ints", "function", "S1"),
    ("total", "function", "S2"),
    ("log", "function", "S3"),
    ("<entry>", "block", "S0"),
)


def node(node_id: str, name: str, takes: str, gives: str, source: str, **fields: Any) -> Node:
    contract = Contract(
        signatures=(FunctionSignature(name=name, parameters=(Parameter(name=takes),)),),
        preconditions=(Predicate(id="pre1", text="not empty", slots=(takes,)),),
        postconditions=(
            Predicate(id="goal", text="does its part", slots=(gives,)),
            Predicate(id="post1", text="keeps all", slots=(gives,)),
        ),
    )
    kept = {"parent": "S0", "kind": "leaf", "contract": contract, **fields}
    return Node.model_validate(
        {
            "id": node_id,
            "goal": name,
            "executor": "simulation",
            "inputs": (Slot(name=takes),),
            "outputs": (Slot(name=gives),),
            "provenance": (Provider(slot=takes, node=source, output=takes),),
            **kept,
        }
    )


def plan() -> TaskGraph:
    """Parse (S1) feeds total (S2), which feeds the root; log (S3) feeds nobody. D1 splits all, D2 is about S2 only."""
    root = node("S0", "main", "answer", "stdout", "S2", parent="", kind="orchestrator")
    leaves = (
        node("S1", "parse", "text", "xs", "task"),
        node("S2", "total", "xs", "answer", "S1", budget=Budget(time="O(n)")),
        node("S3", "log", "xs", "noted", "S1"),
    )
    decisions = (
        PlanningDecision(id="D1", node="S0", statement="split"),
        PlanningDecision(id="D2", node="S2", statement="sum once"),
    )
    return TaskGraph(nodes=(root, *leaves), order=("S1", "S2", "S3"), decisions=decisions)


def program() -> Assembly:
    """Every unit has ten lines: `main` 1 to 10, `parse` 11 to 20, `_ints` 21 to 30, `total` 31 to 40, ..."""
    units = tuple(CodeUnit(name=n, kind=k, owner=o, text=n, digest=sha256_text(n)) for n, k, o in UNITS)
    lines = tuple(
        LineOwner(first=10 * i + 1, last=10 * i + 10, unit=unit.name, owner=unit.owner) for i, unit in enumerate(units)
    )
    return Assembly(program="p", digest="digest", units=units, lines=lines)


ACTIVE = Active(plan(), {n: NodeCode(node=n, source=s, digest=sha256_text(s)) for n, s in SOURCES.items()}, program())
CHECKS = tuple(
    Check(id=name, input=ProgramInput(stdin="1 2\n"), expected=Expected(stdout="3\n")) for name in ("Q1", "Q2", "Q3")
)
CALLS = (
    RecordedCall(unit="main", args=()),
    RecordedCall(unit="parse", args=("1 2 3",), result=[1, 2, 3]),
    RecordedCall(unit="_ints", args=("1 2 3",), result=[1, 2, 3]),
    RecordedCall(unit="total", args=([1, 2, 3],), result=5),
)
RECORDING = Recording(check="Q2", calls=CALLS)
SEEN = "len(xs) == 3"


def finding(finding_id: str = "F1", owners: str | tuple[str, ...] = "S2", **fields: Any) -> Finding:
    names = (owners,) if isinstance(owners, str) else owners
    known = [name for name in names if name in {item.id for item in ACTIVE.graph.nodes}]
    given = {
        "id": finding_id,
        "owners": names,
        "verdict": "reject",
        "obligation": Obligation(kind="semantic", predicate="post1"),
        "evidence": "judg",
        "versions": tuple(versions_of(ACTIVE.graph, ACTIVE.codes, name) for name in known),
        **fields,
    }
    return Finding.model_validate(given)


def executed(finding_id: str = "F1", owners: str | tuple[str, ...] = "S2", **fields: Any) -> Finding:
    return finding(finding_id, owners, **{"evidence": "exec", "check": "Q2", **fields})


def obligation(kind: str, **fields: str) -> Obligation:
    return Obligation.model_validate({"kind": kind, **fields})


def interface(provider: str = "S1", consumer: str = "S2") -> Obligation:
    return obligation("interface", provider=provider, consumer=consumer)


def report(outcome: Outcome = "wrong-answer", frames: tuple[int, ...] = ()) -> ExecutionReport:
    """Q1 passes, Q2 fails as said, Q3 fails with a wrong answer."""
    lines = tuple(Frame(line=line, function="f") for line in frames)
    results = (
        CheckResult(check="Q1", outcome="pass"),
        CheckResult(check="Q2", outcome=outcome, frames=lines),
        CheckResult(check="Q3", outcome="wrong-answer"),
    )
    return ExecutionReport(program="digest", results=results)


def run(*findings: Finding, outcome: Outcome = "wrong-answer", **fields: Any) -> Localization:
    given = {"active": ACTIVE, "checks": CHECKS, "recording": RECORDING, **fields}
    given.setdefault("report", report(outcome))
    return locate(LocateInputs(findings=findings, **given), MeteredEvaluator())


def costs(*, check: str = "Q2", **seconds: float) -> Measurement:
    unit_costs = tuple(UnitCost(unit=name, cpu_seconds=value, peak_mb=value) for name, value in seconds.items())
    return Measurement(check=check, costs=unit_costs, complete=False)


# --- rules and their priority ----------------------------------------------------------------------------------------

RULES: dict[str, tuple[Callable[[], Localization], str, str, str, str]] = {
    # name: (run, rule, implicated, failure, grade)
    "trace-takes-the-innermost-frame": (
        lambda: run(report=report("runtime-error", (3, 12, 25))), "Trace", "S1", "RE", "high"),
    "trace-goes-out-to-the-next-owned-line": (
        lambda: run(report=report("runtime-error", (3, 35, 999))), "Trace", "S2", "RE", "high"),
    "trace-resolves-a-module-level-block": (
        lambda: run(report=report("runtime-error", (55,))), "Trace", "S0", "RE", "high"),
    "trace-of-a-refused-program": (
        lambda: run(report=report("policy-reject", (35,))), "Trace", "S2", "RE", "high"),
    "trace-before-local": (
        lambda: run(finding("F1", "S2"), report=report("runtime-error", (12,))), "Trace", "S1", "RE", "high"),
    "runtime-error-without-frames-is-local": (
        lambda: run(finding(), outcome="runtime-error"), "Local", "S2", "RE", "low"),
    "frames-of-a-wrong-answer-do-not-count": (
        lambda: run(finding(), report=report("wrong-answer", (12,))), "Local", "S2", "WA", "low"),
    "resource-time": (
        lambda: run(outcome="timeout", measurement=costs(total=0.6, parse=0.3)), "Resource", "S2", "TLE", "medium"),
    "resource-memory": (
        lambda: run(outcome="memory", measurement=costs(parse=90.0, total=10.0)), "Resource", "S1", "MLE", "medium"),
    "resource-adds-an-owners-units": (
        lambda: run(outcome="timeout", measurement=costs(parse=0.4, _ints=0.3, total=0.3)),
        "Resource", "S1", "TLE", "medium"),
    "resource-before-local": (
        lambda: run(finding("F1", "S1", obligation=obligation("commitment", decision="D1")), outcome="timeout",
                    measurement=costs(total=1.0)),
        "Resource", "S2", "TLE", "medium"),
    "time-without-measurement-is-local": (
        lambda: run(finding(obligation=obligation("resource")), outcome="timeout"), "Local", "S2", "TLE", "low"),
    "local-judged": (lambda: run(finding()), "Local", "S2", "WA", "low"),
    "local-judged-observed": (lambda: run(finding(condition="len(xs) > 2")), "Local", "S2", "WA", "low"),
    "local-executed-observed": (lambda: run(executed()), "Local", "S2", "WA", "medium"),
    "local-executed-asserted": (lambda: run(executed(check="Q3")), "Local", "S2", "WA", "low"),
    "too-much-output-is-a-wrong-answer": (lambda: run(finding(), outcome="output-limit"), "Local", "S2", "WA", "low"),
}  # fmt: skip


@pytest.mark.parametrize("row", RULES.values(), ids=RULES.keys())
def test_rule(row: tuple[Callable[[], Localization], str, str, str, str]) -> None:
    make, rule, implicated, failure, grade = row
    found = make()
    assert (found.abstained, found.anchor, found.rule, found.implicated) == ("", "Q2", rule, (implicated,))
    assert (found.failure, found.grade, found.defect) == (failure, grade, "Impl")


def test_without_a_dominant_owner_it_is_left_to_local() -> None:
    given = executed("F1", "S1", obligation=obligation("resource"))
    found = run(given, outcome="timeout", measurement=costs(total=0.5, parse=0.5))
    assert (found.rule, found.implicated) == ("Local", ("S1",))


def test_measurement_of_another_check_is_not_used() -> None:
    found = run(outcome="timeout", measurement=costs(check="Q3", total=1.0))
    assert found.abstained == Abstention.NO_COMPATIBLE_FINDING
    assert "Resource: the anchor was not measured" in found.notes


def test_rule_keeps_findings_on_its_owner_and_turns_the_others_away() -> None:
    found = run(finding("F1", "S1"), finding("F2", "S2"), report=report("runtime-error", (12,)))
    assert found.supporting == (Support(finding="F1", applicability="asserted"),)
    assert [(item.finding, item.clause) for item in found.turned_away] == [("F2", "preference")]


def test_a_commitment_on_the_traced_owner_does_not_change_the_class() -> None:
    commitment = finding("F1", "S1", obligation=obligation("commitment", decision="D1"))
    found = run(commitment, report=report("runtime-error", (12,)))
    assert (found.rule, found.defect, found.supporting) == ("Trace", "Impl", ())


def test_findings_are_listed_by_number_whatever_their_order() -> None:
    seen, weaker, accept = {"condition": SEEN}, finding("F2"), finding("F9", verdict="accept")
    found = run(finding("F10", **seen), accept, weaker, finding("F3", **seen))
    assert [item.finding for item in found.supporting] == ["F3", "F10"]
    assert [item.finding for item in found.turned_away] == ["F2", "F9"]


def test_every_rule_that_was_tried_is_noted_in_order() -> None:
    assert run(finding()).notes == (
        "Trace: does not apply to WA",
        "Resource: does not apply to WA",
        "Local: 1 compatible findings on S2",
    )


# --- compatible findings ---------------------------------------------------------------------------------------------

COMPATIBLE: dict[str, tuple[Finding, Outcome]] = {
    "postcondition": (finding(), "wrong-answer"),
    "goal": (finding(obligation=obligation("semantic", predicate="goal")), "runtime-error"),
    "judged-contract-with-slot": (
        finding(obligation=obligation("semantic", predicate="contract", slot="answer")), "wrong-answer"),
    "executed-whole-contract": (
        executed(obligation=obligation("semantic", predicate="contract")), "wrong-answer"),
    "interface-at-the-consumer": (finding(obligation=interface()), "wrong-answer"),
    "interface-at-the-provider": (finding(owners="S1", obligation=interface()), "wrong-answer"),
    "commitment-explains-an-answer": (
        finding(obligation=obligation("commitment", decision="D2")), "wrong-answer"),
    "commitment-explains-time": (finding(obligation=obligation("commitment", decision="D2")), "timeout"),
    "budget": (finding(obligation=obligation("resource")), "memory"),
    "measured-without-a-budget": (executed(owners="S1", obligation=obligation("resource")), "timeout"),
    "executed-cost-of-a-dead-end": (executed(owners="S3", obligation=obligation("resource")), "timeout"),
}  # fmt: skip


@pytest.mark.parametrize("row", COMPATIBLE.values(), ids=COMPATIBLE.keys())
def test_compatible_finding_localizes(row: tuple[Finding, Outcome]) -> None:
    given, outcome = row
    found = run(given, outcome=outcome)
    assert (found.abstained, found.turned_away, found.implicated) == ("", (), given.owners)


# --- witness condition -----------------------------------------------------------------------------------------------

OPAQUE = Recording(check="Q2", calls=(RecordedCall(unit="total", args=({"t": "opaque", "v": "x.Y"},)),))
CUT_INSIDE = Recording(check="Q2", calls=(RecordedCall(unit="total", args=([1, {"t": "cut", "v": ""}],)),))
MALFORMED = Recording(check="Q2", calls=(RecordedCall(unit="total", args=({"t": "nonsense"},)),))
WITNESS: dict[str, tuple[str, Finding, Recording | None]] = {
    "arguments-satisfy-it": ("observed", finding(condition="len(xs) == 3"), RECORDING),
    "one-of-several-calls": (
        "observed", finding(condition="xs == []"),
        Recording(check="Q2", calls=(*CALLS, RecordedCall(unit="total", args=([],))))),
    "observed-in-a-cut-recording": (
        "observed", finding(condition="len(xs) == 3"), RECORDING.model_copy(update={"complete": False})),
    "tagged-values-are-decoded": (
        "observed", finding(condition="xs == (1, 2)"),
        Recording(check="Q2", calls=(RecordedCall(unit="total", args=({"t": "tuple", "v": [1, 2]},)),))),
    "executed-on-the-anchor": ("observed", executed(), None),
    "no-condition": ("asserted", finding(), RECORDING),
    "no-recording": ("asserted", finding(condition="len(xs) > 9"), None),
    "recording-of-another-check": (
        "asserted", finding(condition="len(xs) > 9"), RECORDING.model_copy(update={"check": "Q3"})),
    "cut-recording": (
        "asserted", finding(condition="len(xs) > 9"), RECORDING.model_copy(update={"complete": False})),
    "unknown-name": ("asserted", finding(condition="length > 9"), RECORDING),
    "no-python": ("asserted", finding(condition="when the list is long"), RECORDING),
    "refused": ("asserted", finding(condition="__import__('os')"), RECORDING),
    "value-not-carried-over": ("asserted", finding(condition="xs == 7"), OPAQUE),
    "value-cut-inside": ("asserted", finding(condition="len(xs) > 9"), CUT_INSIDE),
    "malformed-value": ("asserted", finding(condition="len(xs) > 9"), MALFORMED),
    "missing-argument": (
        "asserted", finding(condition="len(xs) > 9"),
        Recording(check="Q2", calls=(RecordedCall(unit="total", args=()),))),
    "helpers-have-other-parameters": (
        "incompatible", finding(owners="S1", condition="text == 'x'"),
        Recording(check="Q2", calls=(CALLS[1], RecordedCall(unit="_ints", args=("x",))))),
    "complete-recording-without-such-a-call": ("incompatible", finding(condition="len(xs) > 9"), RECORDING),
    "complete-recording-without-any-call": ("incompatible", finding(condition="True"), Recording(check="Q2")),
}  # fmt: skip


@pytest.mark.parametrize("row", WITNESS.values(), ids=WITNESS.keys())
def test_witness_condition(row: tuple[str, Finding, Recording | None]) -> None:
    applicability, given, recording = row
    found = run(given, recording=recording)
    if applicability == "incompatible":
        assert [item.clause for item in found.turned_away] == ["witness"]
    else:
        assert [item.applicability for item in found.supporting] == [applicability]


def test_owner_without_contract_functions_can_only_be_asserted() -> None:
    units = tuple(unit for unit in ACTIVE.assembly.units if unit.name != "total")
    active = ACTIVE._replace(assembly=ACTIVE.assembly.model_copy(update={"units": units}))
    found = run(finding(condition="False"), active=active)
    assert found.supporting == (Support(finding="F1", applicability="asserted"),)


# --- contradicted by executed evidence -------------------------------------------------------------------------------

HELD = call_witness(CALLS[3])
OTHER = call_witness(RecordedCall(unit="total", args=([9],), result=9))
CONTRADICTION: dict[str, tuple[Finding, tuple[Finding, ...], bool]] = {
    "accept-of-the-whole-run": (finding(), (executed("F2", verdict="accept"),), True),
    "accept-of-every-satisfying-call": (
        finding(condition="len(xs) == 3"), (executed("F2", verdict="accept", witness=HELD),), True),
    "accept-of-another-call": (
        finding(condition="len(xs) == 3"), (executed("F2", verdict="accept", witness=OTHER),), False),
    "accept-of-one-call-says-nothing-without-condition": (
        finding(), (executed("F2", verdict="accept", witness=HELD),), False),
    "accept-on-another-check": (finding(), (executed("F2", verdict="accept", check="Q1"),), False),
    "accept-of-another-obligation": (
        finding(), (executed("F2", verdict="accept", obligation=obligation("semantic", predicate="goal")),), False),
    "accept-on-another-owner": (finding(), (executed("F2", "S1", verdict="accept"),), False),
    "judged-accept": (finding(), (finding("F2", verdict="accept", check="Q2"),), False),
    "superseded-accept": (
        finding(),
        (executed("F2", verdict="accept", versions=(versions_of(ACTIVE.graph, {}, "S2"),)),), False),
    "executed-reject-and-accept-on-one-witness": (
        executed(witness=HELD), (executed("F2", verdict="accept", witness=HELD),), True),
    "executed-reject-and-accept-on-two-witnesses": (
        executed(witness=HELD), (executed("F2", verdict="accept", witness=OTHER),), False),
    "executed-reject-and-accept-on-two-checks": (
        executed(witness=HELD), (executed("F2", verdict="accept", witness=HELD, check="Q1"),), False),
}  # fmt: skip


@pytest.mark.parametrize("row", CONTRADICTION.values(), ids=CONTRADICTION.keys())
def test_contradiction(row: tuple[Finding, tuple[Finding, ...], bool]) -> None:
    given, others, contradicted = row
    found = run(given, *others)
    clauses = {item.finding: item.clause for item in found.turned_away}
    assert clauses.get("F1", "") == ("contradicted" if contradicted else "")
    assert found.implicated == (() if contradicted else ("S2",))


def test_an_accepted_call_does_not_cover_another_that_satisfies_the_condition_too() -> None:
    twice = Recording(check="Q2", calls=(*CALLS, RecordedCall(unit="total", args=([9, 9, 9],), result=18)))
    found = run(finding(condition="len(xs) == 3"), executed("F2", verdict="accept", witness=HELD), recording=twice)
    assert (found.implicated, [item.finding for item in found.supporting]) == (("S2",), ["F1"])


# --- policies and abstentions ----------------------------------------------------------------------------------------


def test_policies_can_disagree_and_the_policy_is_recorded() -> None:
    findings = (executed("F1", "S1"), finding("F2", condition=SEEN))
    first, paper = run(*findings), run(*findings, policy="paper")
    assert (first.policy, first.implicated) == ("executed-first", ("S1",))
    assert (paper.policy, paper.abstained) == ("paper", Abstention.COMPETING)


PASSED = ExecutionReport(program="digest", results=tuple(CheckResult(check=c.id, outcome="pass") for c in CHECKS))
ABSTENTIONS: dict[str, tuple[Callable[[], Localization], Abstention, str]] = {
    "every-check-passed": (lambda: run(finding(), report=PASSED), Abstention.NOTHING_FAILED, ""),
    "no-checks": (lambda: run(finding(), report=PASSED, checks=()), Abstention.NOTHING_FAILED, ""),
    "report-of-another-program": (
        lambda: run(finding(), report=report().model_copy(update={"program": "other"})),
        Abstention.OTHER_PROGRAM, ""),
    "sandbox-failed-on-the-anchor": (lambda: run(finding(), outcome="harness-error"), Abstention.HARNESS_ERROR, "Q2"),
    "no-verdict-on-the-anchor": (
        lambda: run(finding(), report=ExecutionReport(program="digest", results=())), Abstention.HARNESS_ERROR, "Q1"),
    "no-findings": (lambda: run(), Abstention.NO_COMPATIBLE_FINDING, "Q2"),
    "competing": (lambda: run(finding("F1"), finding("F2", "S1")), Abstention.COMPETING, "Q2"),
}  # fmt: skip


@pytest.mark.parametrize("row", ABSTENTIONS.values(), ids=ABSTENTIONS.keys())
def test_abstention(row: tuple[Callable[[], Localization], Abstention, str]) -> None:
    make, reason, anchor = row
    found = make()
    assert (found.abstained, found.anchor) == (reason.value, anchor)
    assert (found.rule, found.implicated, found.defect, found.supporting) == (None, (), None, ())
