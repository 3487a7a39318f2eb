"""Which sets of findings tell one story, and of which class; grades of the evidence behind it."""

from __future__ import annotations

import pytest

from auditcoder.core.coherence import coherent_class
from auditcoder.core.grade import grade_of
from auditcoder.records.finding import EvidenceKind, Finding, Obligation, Versions
from auditcoder.records.graph import Node, PlanningDecision, TaskGraph
from auditcoder.records.localization import Applicability, Grade, Rule, Support


def graph() -> TaskGraph:
    """S0 over S1 (with S1_S1, S1_S2) and S2; D1 split the root, D2 split S1, D3 is another decision about S1."""
    parents = {"S0": "", "S1": "S0", "S1_S1": "S1", "S1_S2": "S1", "S2": "S0"}
    nodes = tuple(
        Node(id=name, parent=above, goal="g", executor="simulation", kind="orchestrator" if name == "S0" else "leaf")
        for name, above in parents.items()
    )
    where = {"D1": "S0", "D2": "S1", "D3": "S1"}
    return TaskGraph(
        nodes=nodes,
        order=("S1_S1", "S1_S2", "S2"),
        decisions=tuple(PlanningDecision(id=name, node=place, statement="s") for name, place in where.items()),
    )


def make(owners: str, obligation: Obligation, *, name: str = "F1", evidence: EvidenceKind = "judg") -> Finding:
    names = tuple(owners.split())
    versions = tuple(Versions(code="", contract="") for _ in names)
    return Finding(id=name, owners=names, verdict="reject", obligation=obligation, evidence=evidence, versions=versions)


def semantic(owners: str) -> Finding:
    return make(owners, Obligation(kind="semantic", predicate="goal"))


def resource(owners: str) -> Finding:
    return make(owners, Obligation(kind="resource"))


def commitment(owners: str, decision: str) -> Finding:
    return make(owners, Obligation(kind="commitment", decision=decision))


def interface(owners: str, provider: str, consumer: str) -> Finding:
    return make(owners, Obligation(kind="interface", provider=provider, consumer=consumer))


CLASSES: dict[str, tuple[list[Finding], str | None]] = {
    "one-owner": ([semantic("S2")], "Impl"),
    "one-owner-twice": ([semantic("S2"), resource("S2")], "Impl"),
    "two-owners": ([semantic("S2"), semantic("S1")], None),
    "one-finding-on-two-owners": ([semantic("S1 S2")], None),
    "no-findings": ([], None),
    "interface-of-one-owner": ([interface("S2", "S1", "S2")], "Ifc"),
    "interface-with-its-consumers-own-defect": ([interface("S2", "S1", "S2"), semantic("S2")], "Ifc"),
    "interface-joins-its-ends": ([interface("S1 S2", "S1", "S2")], "Ifc"),
    "interface-joins-two-single-findings": ([interface("S2", "S1", "S2"), semantic("S1")], "Ifc"),
    "chain-of-interfaces": (
        [interface("S1_S1 S1", "S1_S1", "S1"), interface("S1 S2", "S1", "S2"), interface("S2 S0", "S2", "S0")],
        "Ifc"),
    "interface-does-not-reach-a-third": ([interface("S1 S2", "S1", "S2"), semantic("S0")], None),
    "two-separate-interfaces": ([interface("S1 S2", "S1", "S2"), interface("S1_S1 S1_S2", "S1_S1", "S1_S2")], None),
    "interface-to-a-node-outside-joins-nothing": ([interface("S1", "S0", "S1"), interface("S2", "S0", "S2")], None),
    "interface-to-outside-breaks-nothing": ([interface("S1 S2", "S1", "S2"), interface("S2", "S2", "S0")], "Ifc"),
    "commitment-of-its-own-branch": ([commitment("S1", "D2")], "Cmt"),
    "commitment-covers-findings-below": ([commitment("S1", "D2"), semantic("S1_S2")], "Cmt"),
    "commitment-outranks-interface": ([commitment("S1_S1", "D2"), interface("S1_S1 S1_S2", "S1_S1", "S1_S2")], "Cmt"),
    "one-decision-named-twice": ([commitment("S1_S1", "D2"), commitment("S1_S2", "D2")], "Cmt"),
    "two-decisions-at-one-node": ([commitment("S1", "D2"), commitment("S1", "D3")], None),
    "owner-outside-the-branch": ([commitment("S1", "D2"), semantic("S2")], None),
    "commitment-made-elsewhere": ([commitment("S2", "D2")], None),
    "unknown-decision": ([commitment("S1", "D9")], None),
}  # fmt: skip


@pytest.mark.parametrize(("findings", "expected"), CLASSES.values(), ids=CLASSES.keys())
def test_class(findings: list[Finding], expected: str | None) -> None:
    assert coherent_class(findings, graph()) == expected
    assert coherent_class(findings[::-1], graph()) == expected


GRADES: dict[str, tuple[Rule, EvidenceKind, Applicability, Grade]] = {
    "trace": ("Trace", "judg", "asserted", "high"),
    "resource": ("Resource", "judg", "asserted", "medium"),
    "executed-observed": ("Local", "exec", "observed", "medium"),
    "executed-asserted": ("Local", "exec", "asserted", "low"),
    "judged-observed": ("Local", "judg", "observed", "low"),
    "judged-asserted": ("Local", "judg", "asserted", "low"),
}


@pytest.mark.parametrize(("rule", "evidence", "applicability", "grade"), GRADES.values(), ids=GRADES.keys())
def test_grade(rule: Rule, evidence: EvidenceKind, applicability: Applicability, grade: Grade) -> None:
    finding = make("S2", Obligation(kind="semantic", predicate="goal"), evidence=evidence)
    support = (Support(finding="F1", applicability=applicability),)
    assert grade_of(rule, support, (finding,)) == grade


def test_one_witnessed_finding_among_judged_ones_makes_it_medium() -> None:
    findings = (semantic("S2"), make("S2", Obligation(kind="resource"), name="F2", evidence="exec"))
    support = (Support(finding="F1", applicability="asserted"), Support(finding="F2", applicability="observed"))
    assert grade_of("Local", support, findings) == "medium"
    assert grade_of("Local", support[:1], findings) == "low"
