"""Truth table of Locate (core.md section 4): one row per rule, clause, preference, class, grade, shift and abstention.

The plan of all rows; every node owns one function, and the failing check is Q2:

    task ──text──> S1 parse ──xs──> S2 total ──answer──> S0 main ──> stdout
    task ──more──> S4 read ───ys──────┘
                   S1 parse ──xs──> S3 log ──noted──> (nobody)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from auditcoder.core.abstention import Abstention
from auditcoder.core.case import LocateInputs
from auditcoder.core.compatible import CLAUSES
from auditcoder.core.locate import locate
from auditcoder.core.versions import Active, versions_of
from auditcoder.core.witness import call_witness
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.config import EvidenceScope
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
from auditcoder.records.localization import Localization, Policy
from auditcoder.records.task import Check, Expected, FunctionSignature, Parameter, ProgramInput
from auditcoder.sandbox.predicates import MeteredEvaluator

# node: (function, inputs as {slot: provider}, output, budget)
PLAN: dict[str, tuple[str, dict[str, str], str, str]] = {
    "S0": ("main", {"answer": "S2"}, "stdout", ""),
    "S1": ("parse", {"text": "task"}, "xs", ""),
    "S2": ("total", {"xs": "S1", "ys": "S4"}, "answer", "O(n)"),
    "S3": ("log", {"xs": "S1"}, "noted", ""),
    "S4": ("read", {"more": "task"}, "ys", ""),
}


def node(name: str) -> Node:
    function, inputs, output, budget = PLAN[name]
    parameters = tuple(Parameter(name=slot) for slot in inputs)
    return Node(
        id=name,
        parent="" if name == "S0" else "S0",
        goal="g",
        executor="simulation",
        kind="orchestrator" if name == "S0" else "leaf",
        contract=Contract(
            signatures=(FunctionSignature(name=function, parameters=parameters),),
            preconditions=tuple(Predicate(id=f"pre-{slot}", text="", slots=(slot,)) for slot in inputs),
            postconditions=tuple(Predicate(id=name, text="", slots=(output,)) for name in ("goal", "post")),
        ),
        inputs=tuple(Slot(name=slot) for slot in inputs),
        outputs=(Slot(name=output),),
        provenance=tuple(Provider(slot=slot, node=source, output=slot) for slot, source in inputs.items()),
        budget=Budget(time=budget),
    )


UNITS = tuple(CodeUnit(name=PLAN[n][0], kind="function", owner=n, text=n, digest="") for n in PLAN)
ACTIVE = Active(
    graph=TaskGraph(
        nodes=tuple(node(name) for name in PLAN),
        order=("S1", "S4", "S2", "S3"),
        decisions=(
            PlanningDecision(id="D0", node="S0", statement="split"),
            PlanningDecision(id="D2", node="S2", statement="sum once"),
        ),
    ),
    codes={name: NodeCode(node=name, source=name, digest=sha256_text(name)) for name in PLAN},
    assembly=Assembly(
        program="p",
        digest="digest",
        units=UNITS,
        lines=tuple(LineOwner(first=i, last=i, unit=u.name, owner=u.owner) for i, u in enumerate(UNITS, start=1)),
    ),
)
LINE = {name: number for number, name in enumerate(PLAN, start=1)}
CHECKS = tuple(Check(id=f"Q{i}", input=ProgramInput(stdin=""), expected=Expected(stdout="")) for i in (1, 2, 3))
CALL = RecordedCall(unit="total", args=([1, 2, 3], []), result=5)
RECORDING = Recording(check="Q2", calls=(CALL,))
SEEN, UNSEEN = "len(xs) == 3", "len(xs) > 9"


def semantic(predicate: str = "post", slot: str = "") -> Obligation:
    return Obligation(kind="semantic", predicate=predicate, slot=slot)


def interface(provider: str, consumer: str, slot: str = "") -> Obligation:
    return Obligation(
        kind="interface", provider=provider, consumer=consumer, slot=slot, predicate=f"pre-{slot}" if slot else ""
    )


def commitment(decision: str) -> Obligation:
    return Obligation(kind="commitment", decision=decision)


RESOURCE = Obligation(kind="resource")


def judged(name: str, owners: str = "S2", obligation: Obligation | None = None, **fields: Any) -> Finding:
    nodes = tuple(owners.split())
    given = {
        "id": name,
        "owners": nodes,
        "verdict": "reject",
        "obligation": obligation or semantic(),
        "evidence": "judg",
        "versions": tuple(versions_of(ACTIVE.graph, ACTIVE.codes, each) for each in nodes if each in PLAN),
        **fields,
    }
    return Finding.model_validate(given)


def executed(name: str, owners: str = "S2", obligation: Obligation | None = None, **fields: Any) -> Finding:
    return judged(name, owners, obligation, **{"evidence": "exec", "check": "Q2", **fields})


def violated(name: str, provider: str, consumer: str, slot: str, **fields: Any) -> Finding:
    """A precondition that a contract monitor saw violated in the failing run."""
    owners = f"{provider} {consumer}" if provider in PLAN else consumer
    return executed(name, owners, interface(provider, consumer, slot), **fields)


STALE = (versions_of(ACTIVE.graph, {}, "S2"),)


class Row(NamedTuple):
    """What is given, and what must be found; `away` is `finding:clause` for everything that is turned away."""

    findings: tuple[Finding, ...] = ()
    outcome: Outcome = "wrong-answer"
    frames: str = ""
    """Nodes whose lines are in the traceback, outermost first."""
    costs: tuple[tuple[str, float], ...] = ()
    policy: Policy = "executed-first"
    evidence: EvidenceScope = "anchor"
    found: str = ""
    """Rule, class, grade and implicated nodes; empty on abstention."""
    supporting: str = ""
    """`finding:applicability`."""
    away: str = ""
    abstained: Abstention | None = None
    reason: str = ""
    """Part of the reasons and notes in the record."""


NONE = Abstention.NO_COMPATIBLE_FINDING


def turned_away(clause: str, finding: Finding, reason: str, outcome: Outcome = "wrong-answer") -> Row:
    return Row((finding,), outcome, away=f"F1:{clause}", abstained=NONE, reason=reason)


def crash(*findings: Finding, frames: str = "S2", evidence: EvidenceScope = "all-checks", **expected: Any) -> Row:
    """An exception in S2, or in another node, with the calls of all checks recorded."""
    return Row(findings, "runtime-error", frames, evidence=evidence, **expected)


ACCEPT = executed("F2", verdict="accept")
ROWS: dict[str, Row] = {
    # --- rules, in their priority
    "trace": Row(outcome="runtime-error", frames="S0 S2 S1", found="Trace Impl high S1", reason="line 2 belongs"),
    "trace-before-local": Row(
        (executed("F1", "S2"), judged("F2", "S1")), "runtime-error", "S1", found="Trace Impl high S1",
        supporting="F2:asserted", away="F1:preference", reason="Trace has priority and implicates S1"),
    # --- Trace gives way to its providers
    "trace-gives-way": crash(
        executed("F1", "S1"), found="Trace Impl medium S1", supporting="F1:observed",
        reason="Trace: gives way to S1, rejected in the failing run"),
    "trace-gives-way-through-others": crash(
        executed("F1", "S1"), frames="S0", found="Trace Impl medium S1", supporting="F1:observed"),
    "trace-gives-way-to-an-interface": crash(
        executed("F1", "S1 S2", interface("S1", "S2")), frames="S0", found="Trace Ifc medium S1 S2",
        supporting="F1:observed"),
    "trace-gives-way-and-what-backed-it-is-turned-away": crash(
        executed("F1", "S1"), judged("F2", "S2"), judged("F3", "S4"), found="Trace Impl medium S1",
        supporting="F1:observed", away="F2:preference F3:preference",
        reason="executed rejections of providers of S2 in the failing run explain its exception"),
    "trace-stays-under-paper": crash(
        executed("F1", "S1"), policy="paper", found="Trace Impl high S2", away="F1:preference"),
    "trace-stays-with-evidence-on-the-anchor": crash(
        executed("F1", "S1"), evidence="anchor", found="Trace Impl high S2", away="F1:preference"),
    "trace-stays-where-its-own-contract-broke-too": crash(
        executed("F1", "S1"), executed("F2", "S2"), found="Trace Impl high S2", supporting="F2:observed",
        away="F1:preference"),
    "trace-stays-for-its-consumers": crash(
        executed("F1", "S2"), frames="S1", found="Trace Impl high S1", away="F1:preference"),
    "trace-stays-for-a-judgement": crash(
        judged("F1", "S1", check="Q2"), found="Trace Impl high S2", away="F1:preference"),
    "trace-stays-for-another-run": crash(
        executed("F1", "S1", check="Q3"), found="Trace Impl high S2", away="F1:preference"),
    "trace-stays-for-providers-that-compete": crash(
        executed("F1", "S1"), executed("F2", "S4"), found="Trace Impl high S2", away="F1:preference F2:preference"),
    "shift-before-trace-gives-way": crash(
        executed("F1", "S4"), violated("F2", "S1", "S2", "xs"), found="Trace Ifc high S1 S2",
        supporting="F2:observed", away="F1:preference"),
    "trace-without-frames-is-local": Row(
        (judged("F1"),), "runtime-error", found="Local Impl low S2", supporting="F1:asserted"),
    "resource-time": Row(
        outcome="timeout", costs=(("total", 0.6), ("parse", 0.3)), found="Resource Impl medium S2", reason="67%"),
    "resource-memory": Row(outcome="memory", costs=(("parse", 9), ("total", 1)), found="Resource Impl medium S1"),
    "resource-without-a-lead-is-local": Row(
        (executed("F1", "S1", RESOURCE),), "timeout", costs=(("parse", 0.5), ("total", 0.5)),
        found="Local Impl medium S1", supporting="F1:observed"),
    "local": Row((judged("F1"),), found="Local Impl low S2", supporting="F1:asserted"),
    # --- clauses of Compatible, in the order in which they are asked
    "current-other-code": turned_away("current", judged("F1", versions=STALE), "other versions"),
    "current-unknown-owner": turned_away("current", judged("F1", "S9"), "other versions"),
    "current-a-version-is-missing": turned_away(
        "current", judged("F1", "S1 S2", versions=(versions_of(ACTIVE.graph, ACTIVE.codes, "S1"),)), "other versions"),
    "rejecting": turned_away("rejecting", judged("F1", verdict="accept"), "it accepts"),
    "obligation-unknown-predicate": turned_away("obligation", judged("F1", obligation=semantic("p9")), "p9"),
    "obligation-none-named": turned_away("obligation", judged("F1", obligation=semantic("")), "none named"),
    "obligation-precondition": turned_away("obligation", judged("F1", obligation=semantic("pre-xs")), "pre-xs"),
    "obligation-whole-contract": turned_away("obligation", judged("F1", obligation=semantic("contract")), "neither"),
    "obligation-slot-of-another": turned_away(
        "obligation", judged("F1", obligation=semantic(slot="stdout")), "no slot stdout"),
    "obligation-no-such-pair": turned_away(
        "obligation", judged("F1", obligation=interface("S3", "S2")), "S3 provides no slot of S2"),
    "obligation-owner-is-no-end": turned_away("obligation", judged("F1", "S3", interface("S1", "S2")), "no end"),
    "obligation-the-task-provides-it": turned_away(
        "obligation", violated("F1", "task", "S1", "text"),
        "the task itself provides text of S1: nobody can be held to it"),
    "obligation-unknown-decision": turned_away("obligation", judged("F1", obligation=commitment("D9")), "D9"),
    "obligation-no-budget": turned_away("obligation", judged("F1", "S1", RESOURCE), "S1 has no", "timeout"),
    "kind-semantic-for-time": turned_away("kind", judged("F1"), "semantic obligation cannot explain TLE", "timeout"),
    "kind-interface-for-memory": turned_away(
        "kind", judged("F1", obligation=interface("S1", "S2")), "interface obligation cannot explain MLE", "memory"),
    "kind-resource-for-an-answer": turned_away(
        "kind", judged("F1", obligation=RESOURCE), "resource obligation cannot explain WA"),
    "reach": turned_away("reach", judged("F1", "S3"), "S3.noted does not reach the failing observable"),
    "witness": turned_away("witness", judged("F1", condition=UNSEEN), "no recorded call of S2 satisfies it"),
    "contradicted-by-the-whole-run": Row(
        (judged("F1"), ACCEPT), away="F1:contradicted F2:rejecting", abstained=NONE, reason="same witness: F2"),
    "contradicted-on-every-call": Row(
        (judged("F1", condition=SEEN), executed("F2", verdict="accept", witness=call_witness(CALL))),
        away="F1:contradicted F2:rejecting", abstained=NONE),
    "contradicted-on-one-witness": Row(
        (executed("F1", witness=1), executed("F2", verdict="accept", witness=1)),
        away="F1:contradicted F2:rejecting", abstained=NONE),
    # --- preference
    "observed-before-asserted": Row(
        (judged("F1", "S1"), judged("F2", condition=SEEN)), policy="paper", found="Local Impl low S2",
        supporting="F2:observed", away="F1:preference", reason="only asserted"),
    "asserted-when-none-is-observed": Row(
        (judged("F1"), executed("F2", check="Q3")), found="Local Impl low S2", supporting="F1:asserted F2:asserted"),
    "paper-keeps-judged-beside-executed": Row(
        (judged("F1", condition=SEEN), executed("F2")), policy="paper", found="Local Impl medium S2",
        supporting="F1:observed F2:observed"),
    "executed-first-drops-judged": Row(
        (judged("F1", condition=SEEN), executed("F2")), found="Local Impl medium S2", supporting="F2:observed",
        away="F1:preference", reason="this one is judged"),
    "paper-lets-a-slot-path-compete": Row(
        (executed("F1", "S1"), executed("F2", "S2")), policy="paper", away="F1:coherence F2:coherence",
        abstained=Abstention.COMPETING),
    "executed-first-keeps-the-most-upstream": Row(
        (executed("F1", "S1"), executed("F2", "S2")), found="Local Impl medium S1", supporting="F1:observed",
        away="F2:preference", reason="upstream on its slot path"),
    # --- coherence and class
    "impl": Row(
        (judged("F1"), judged("F2", obligation=semantic("goal"))), found="Local Impl low S2",
        supporting="F1:asserted F2:asserted"),
    "ifc": Row(
        (judged("F1", "S1 S2", interface("S1", "S2")),), found="Local Ifc low S1 S2", supporting="F1:asserted"),
    "ifc-of-connected-pairs": Row(
        (judged("F1", "S1 S2", interface("S1", "S2")), judged("F2", "S4 S2", interface("S4", "S2"))),
        found="Local Ifc low S1 S2 S4", supporting="F1:asserted F2:asserted"),
    "ifc-of-separate-pairs-competes": Row(
        (judged("F1", "S4", interface("S4", "S2")), judged("F2", "S0", interface("S2", "S0"))),
        away="F1:coherence F2:coherence", abstained=Abstention.COMPETING),
    "cmt": Row(
        (judged("F1", obligation=commitment("D2")), judged("F2")), found="Local Cmt low S2",
        supporting="F1:asserted F2:asserted"),
    "cmt-outside-its-branch-competes": Row(
        (judged("F1", obligation=commitment("D2")), judged("F2", "S1")), away="F1:coherence F2:coherence",
        abstained=Abstention.COMPETING),
    "cmt-explains-time": Row(
        (judged("F1", obligation=commitment("D0")),), "timeout", found="Local Cmt low S2", supporting="F1:asserted"),
    "two-owners-compete": Row(
        (judged("F1"), judged("F2", "S4")), away="F1:coherence F2:coherence", abstained=Abstention.COMPETING,
        reason="it competes with others over S2, S4"),
    # --- grades: high is `trace`, medium also `resource-time`
    "grade-executed-observed": Row((executed("F1"),), found="Local Impl medium S2", supporting="F1:observed"),
    "grade-executed-asserted": Row(
        (executed("F1", check="Q3"),), found="Local Impl low S2", supporting="F1:asserted"),
    "grade-judged-observed": Row(
        (judged("F1", condition=SEEN),), found="Local Impl low S2", supporting="F1:observed"),
    # --- precondition shift
    "shift-from-a-frame": Row(
        (violated("F1", "S1", "S2", "xs"),), "runtime-error", "S0 S2", found="Trace Ifc high S1 S2",
        supporting="F1:observed", reason="Shift: S1 gives xs to S2 against its precondition pre-xs"),
    "shift-turns-away-what-supported": Row(
        (judged("F1"), violated("F2", "S1", "S2", "xs")), "runtime-error", "S2", found="Trace Ifc high S1 S2",
        supporting="F2:observed", away="F1:shift", reason="S2 was called against its own precondition: F2"),
    "shift-over-an-interface-without-a-predicate": Row(
        (executed("F1", "S1 S2", interface("S1", "S2")), judged("F2")), "runtime-error", "S2",
        found="Trace Ifc high S1 S2", supporting="F1:observed", away="F2:shift",
        reason="Shift: S1 gives a value to S2 over a rejected interface"),
    "shift-from-time": Row(
        (violated("F1", "S1", "S2", "xs"),), "timeout", costs=(("total", 1),), found="Resource Ifc medium S1 S2",
        supporting="F1:observed"),
    "shift-from-local": Row(
        (judged("F1", obligation=RESOURCE), violated("F2", "S1", "S2", "xs")), "timeout",
        found="Local Ifc medium S1 S2", supporting="F2:observed", away="F1:shift"),
    "shift-along-several-slots": Row(
        (violated("F1", "S1", "S2", "xs"), violated("F2", "S4", "S2", "ys")), "runtime-error", "S2",
        found="Trace Ifc high S1 S2 S4", supporting="F1:observed F2:observed"),
    "no-shift-for-another-consumer": Row(
        (violated("F1", "S1", "S2", "xs"),), "runtime-error", "S1", found="Trace Impl high S1", away="F1:preference"),
    "no-shift-where-the-task-provides": Row(
        (violated("F1", "task", "S1", "text"),), "runtime-error", "S1", found="Trace Impl high S1",
        away="F1:obligation", reason="nobody can be held to it"),
    "no-shift-for-a-judgement": Row(
        (judged("F1", "S1 S2", interface("S1", "S2", "xs")),), "runtime-error", "S2", found="Trace Impl high S2",
        away="F1:preference"),
    "no-shift-for-another-run": Row(
        (violated("F1", "S1", "S2", "xs", check="Q3"),), "runtime-error", "S2", found="Trace Impl high S2",
        away="F1:preference"),
    "no-shift-for-an-old-version": Row(
        (violated("F1", "S1", "S2", "xs", versions=STALE * 2),), "runtime-error", "S2",
        found="Trace Impl high S2", away="F1:current"),
    "no-shift-for-a-kept-precondition": Row(
        (violated("F1", "S1", "S2", "xs", verdict="accept"),), "runtime-error", "S2", found="Trace Impl high S2",
        away="F1:rejecting"),
    "no-shift-against-an-accept": Row(
        (violated("F1", "S1", "S2", "xs", witness=1), violated("F2", "S1", "S2", "xs", witness=1, verdict="accept")),
        "runtime-error", "S2", found="Trace Impl high S2", away="F1:contradicted F2:rejecting"),
    "no-shift-of-a-commitment": Row(
        (judged("F1", obligation=commitment("D2")), violated("F2", "S1", "S2", "xs")), "timeout",
        found="Local Cmt low S2", supporting="F1:asserted", away="F2:kind"),
    # --- abstentions
    "nothing-failed": Row((judged("F1"),), "pass", abstained=Abstention.NOTHING_FAILED),
    "harness-error": Row((judged("F1"),), "harness-error", abstained=Abstention.HARNESS_ERROR),
    "no-compatible-finding": Row(abstained=NONE, reason="Local: none of 0 findings is compatible"),
}  # fmt: skip


def locate_row(row: Row) -> Localization:
    frames = tuple(Frame(line=LINE[name], function="f") for name in row.frames.split())
    costs = tuple(UnitCost(unit=unit, cpu_seconds=spent, peak_mb=spent) for unit, spent in row.costs)
    inputs = LocateInputs(
        active=ACTIVE,
        report=ExecutionReport(
            program="digest",
            results=(
                CheckResult(check="Q1", outcome="pass"),
                CheckResult(check="Q2", outcome=row.outcome, frames=frames),
                CheckResult(check="Q3", outcome=row.outcome),
            ),
        ),
        checks=CHECKS,
        findings=row.findings,
        recording=RECORDING,
        measurement=Measurement(check="Q2", costs=costs) if costs else None,
        policy=row.policy,
        evidence=row.evidence,
    )
    return locate(inputs, MeteredEvaluator())


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_locate(row: Row) -> None:
    found = locate_row(row)
    said = " ".join((found.rule or "", found.defect or "", found.grade or "", *found.implicated)).strip()
    assert (said, found.abstained) == (row.found, row.abstained.value if row.abstained else "")
    assert " ".join(f"{each.finding}:{each.applicability}" for each in found.supporting) == row.supporting
    assert " ".join(f"{each.finding}:{each.clause}" for each in found.turned_away) == row.away
    assert row.reason in "\n".join((*found.notes, *(each.reason for each in found.turned_away)))


def test_a_report_of_another_program_localizes_nothing() -> None:
    other = ACTIVE._replace(assembly=ACTIVE.assembly.model_copy(update={"digest": "other"}))
    report = ExecutionReport(program="digest", results=(CheckResult(check="Q1", outcome="wrong-answer"),))
    inputs = LocateInputs(active=other, report=report, checks=CHECKS, findings=(judged("F1"),))
    assert locate(inputs, MeteredEvaluator()).abstained == Abstention.OTHER_PROGRAM


def test_every_clause_rule_class_grade_and_reason_has_a_row() -> None:
    found = [locate_row(row) for row in ROWS.values()]
    clauses = {each.clause for item in found for each in item.turned_away}
    assert clauses == {name for name, _ in CLAUSES} | {"preference", "coherence", "shift"}
    assert {item.rule for item in found} == {"Trace", "Resource", "Local", None}
    assert {item.defect for item in found} == {"Impl", "Ifc", "Cmt", None}
    assert {item.grade for item in found} == {"high", "medium", "low", None}
    by_scope = {
        Abstention.NOT_LOCALIZED, Abstention.NO_SCOPE_RULE, Abstention.OWNS_NO_CODE, Abstention.TOO_MANY_NODES,
        Abstention.UNSUPPORTED_BRANCH,
    }  # fmt: skip
    here = {row.abstained for row in ROWS.values() if row.abstained} | {Abstention.OTHER_PROGRAM}
    assert here == set(Abstention) - by_scope
