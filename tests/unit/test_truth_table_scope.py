"""Truth table of SelectScope (core.md section 5): one row per class, per way to a scope, and per abstention.

The plan of all rows, leaves with the function that they own:

    S0 main
    ├── S1 branch with the function `pack` over S1_S1 `cut`, S1_S2 `fold`, S1_S3 `bind`
    ├── S2 branch with the function `send` over S2_S1 `route`; `main` also calls `route`, so it is not supported
    ├── S3 groups S3_S1 `note` and owns no code; it has no signature
    ├── S4 `total`
    └── S5 groups S5_S1 `tidy` and owns no code; its contract names `tidy`, so its branch is supported
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.core.abstention import Abstention
from auditcoder.core.branch import support
from auditcoder.core.scope import select_scope
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Contract, Node, PlanningDecision, Provider, Slot, TaskGraph
from auditcoder.records.localization import DefectClass, Localization, OpenSlot, Scope, Support
from auditcoder.records.task import FunctionSignature

# node: (parent, kind, function of its contract, inputs as {slot: provider.output}, outputs)
PLAN: dict[str, tuple[str, str, str, dict[str, str], str]] = {
    "S0": ("", "orchestrator", "", {"raw": "task.raw", "kept": "S4.kept"}, "out"),
    "S1": ("S0", "orchestrator", "pack", {"text": "task.raw"}, "packed"),
    "S1_S1": ("S1", "leaf", "cut", {"text": "S1.text"}, "parts"),
    "S1_S2": ("S1", "leaf", "fold", {"parts": "S1_S1.parts"}, "folded"),
    "S1_S3": ("S1", "leaf", "bind", {"folded": "S1_S2.folded", "again": "S1_S1.parts"}, "packed"),
    "S2": ("S0", "orchestrator", "send", {"packed": "S1.packed"}, "sent"),
    "S2_S1": ("S2", "leaf", "route", {"packed": "S2.packed"}, "sent"),
    "S3": ("S0", "structural", "", {"sent": "S2.sent"}, "noted"),
    "S3_S1": ("S3", "leaf", "note", {"sent": "S3.sent"}, "noted"),
    "S4": ("S0", "leaf", "total", {"noted": "S3.noted", "packed": "S1.packed"}, "kept"),
    "S5": ("S0", "structural", "tidy", {"kept": "S4.kept"}, "tidied"),
    "S5_S1": ("S5", "leaf", "tidy", {"kept": "S5.kept"}, "tidied"),
}
DECISIONS = {"D0": "S0", "D1": "S1", "D2": "S2", "D4": "S4"}
CODE: dict[str, tuple[str, str]] = {
    IMPORTS: ("S0", "import math"),
    "main": ("S0", "def main(raw):\n    return total(note(send(pack(raw)))) + route(raw)"),
    "cut": ("S1_S1", "def cut(text):\n    return text.split()"),
    "_trim": ("S1_S1", "def _trim(text):\n    return text.strip()"),
    "fold": ("S1_S2", "def fold(parts):\n    return parts"),
    "bind": ("S1_S3", "def bind(folded, again):\n    return math.prod(folded)"),
    "pack": ("S1", "def pack(text):\n    return bind(fold(cut(text)), cut(text))"),
    "route": ("S2_S1", "def route(packed):\n    return packed"),
    "send": ("S2", "def send(packed):\n    return route(packed)"),
    "note": ("S3_S1", "def note(sent):\n    return sent"),
    "total": ("S4", "def total(noted):\n    return noted"),
    "tidy": ("S5_S1", "def tidy(kept):\n    return kept"),
}


def node(name: str) -> Node:
    parent, kind, function, inputs, output = PLAN[name]
    sources = {slot: source.split(".") for slot, source in inputs.items()}
    return Node.model_validate(
        {
            "id": name,
            "parent": parent,
            "goal": "g",
            "executor": "simulation",
            "kind": kind,
            "contract": Contract(signatures=(FunctionSignature(name=function),) if function else ()),
            "inputs": tuple(Slot(name=slot) for slot in inputs),
            "outputs": (Slot(name=output),),
            "provenance": tuple(Provider(slot=slot, node=n, output=o) for slot, (n, o) in sources.items()),
        }
    )


GRAPH = TaskGraph(
    nodes=tuple(node(name) for name in PLAN),
    order=tuple(name for name, (_, kind, *_rest) in PLAN.items() if kind == "leaf"),
    decisions=tuple(PlanningDecision(id=name, node=at, statement="s") for name, at in DECISIONS.items()),
)
PROGRAM = Assembly(
    program="p",
    digest="d",
    units=tuple(
        CodeUnit(
            name=name,
            kind="block" if name.startswith("<") else "function",
            owner=owner,
            text=text,
            digest=sha256_text(text),
        )
        for name, (owner, text) in CODE.items()
    ),
    lines=(),
)


def pair(provider: str, consumer: str, slot: str = "") -> Obligation:
    return Obligation(kind="interface", provider=provider, consumer=consumer, slot=slot)


def commitment(decision: str) -> Obligation:
    return Obligation(kind="commitment", decision=decision)


SEMANTIC = Obligation(kind="semantic", predicate="goal")


class Row(NamedTuple):
    """A localization (class, implicated nodes, supporting obligations) and the scope that it must get."""

    defect: DefectClass | None
    implicated: str
    obligations: tuple[Obligation, ...] = ()
    action: str = ""
    nodes: str = ""
    units: str = ""
    branch: str = ""
    open_slots: tuple[str, ...] = ()
    """`provider.output -> consumer.slot`."""
    abstained: Abstention | None = None
    note: str = ""
    """Part of the recorded notes."""


def all_of_s1(defect: DefectClass, implicated: str, *obligations: Obligation) -> Row:
    return Row(
        defect, implicated, obligations, "replan", "S1 S1_S1 S1_S2 S1_S3", "cut _trim fold bind pack", branch="S1"
    )


ROWS: dict[str, Row] = {
    # --- Impl: the one node
    "impl-regenerates-all-units-of-the-owner": Row("Impl", "S1_S1", (SEMANTIC,), "regenerate", "S1_S1", "cut _trim"),
    "impl-of-an-orchestrator-leaves-its-children": Row("Impl", "S1", (), "regenerate", "S1", "pack"),
    "impl-of-the-root-includes-its-blocks": Row("Impl", "S0", (), "regenerate", "S0", f"{IMPORTS} main"),
    "impl-of-a-group-replans-its-supported-branch": Row(
        "Impl", "S5", (), "replan", "S5 S5_S1", "tidy", branch="S5"),
    "impl-of-a-group-whose-branch-is-not-supported": Row(
        "Impl", "S3", (), abstained=Abstention.OWNS_NO_CODE, note="S3 has no contract with a signature"),
    # --- Ifc: a branch that holds the pairs
    "ifc-replans-the-branch-around-siblings": all_of_s1("Ifc", "S1_S1 S1_S2", pair("S1_S1", "S1_S2")),
    "ifc-of-one-owner-looks-at-both-ends": all_of_s1("Ifc", "S1_S2", pair("S1_S1", "S1_S2")),
    "ifc-of-a-branch-root-with-its-child": all_of_s1("Ifc", "S1_S1", pair("S1", "S1_S1")),
    "ifc-branch-may-hold-more-than-three": all_of_s1(
        "Ifc", "S1 S1_S1 S1_S2 S1_S3", pair("S1", "S1_S1"), pair("S1_S1", "S1_S2"), pair("S1_S2", "S1_S3")),
    # --- Ifc: the pair itself, with its shared slots open
    "ifc-pair-that-only-the-root-holds": Row(
        "Ifc", "S1 S4", (pair("S1", "S4"),), "regenerate", "S1 S4", "pack total",
        open_slots=("S1.packed -> S4.packed",)),
    "ifc-pair-in-a-branch-that-is-not-supported": Row(
        "Ifc", "S2 S2_S1", (pair("S2", "S2_S1"),), "regenerate", "S2 S2_S1", "route send",
        open_slots=("S2.packed -> S2_S1.packed",), note="`main` of S0 uses `route`, which the branch does not expose"),
    "ifc-two-pairs-of-three-nodes": Row(
        "Ifc", "S0 S1 S4", (pair("S4", "S0"), pair("S1", "S4")), "regenerate", "S0 S1 S4",
        f"{IMPORTS} main pack total", open_slots=("S4.kept -> S0.kept", "S1.packed -> S4.packed")),
    "ifc-named-by-the-slot-of-the-consumer": Row(
        "Ifc", "S4", (pair("S1", "S4", "packed"),), "regenerate", "S1 S4", "pack total",
        open_slots=("S1.packed -> S4.packed",)),
    "ifc-named-by-the-slot-of-the-provider": Row(
        "Ifc", "S4 S0", (pair("S4", "S0", "kept"),), "regenerate", "S0 S4", f"{IMPORTS} main total",
        open_slots=("S4.kept -> S0.kept",)),
    "ifc-one-pair-named-twice-opens-its-slot-once": Row(
        "Ifc", "S1 S4", (pair("S1", "S4", "packed"), pair("S1", "S4")), "regenerate", "S1 S4", "pack total",
        open_slots=("S1.packed -> S4.packed",)),
    "ifc-of-four-nodes": Row(
        "Ifc", "S0 S1 S2 S4", (pair("S1", "S2"), pair("S1", "S4"), pair("S4", "S0")),
        abstained=Abstention.TOO_MANY_NODES, note="S0, S1, S2, S4"),
    "ifc-with-a-node-without-code": Row(
        "Ifc", "S2 S3", (pair("S2", "S3"),), abstained=Abstention.OWNS_NO_CODE, note="S3 owns no code"),
    # --- Cmt: the branch of the decision
    "cmt-replans-the-branch-of-the-decision": all_of_s1("Cmt", "S1", commitment("D1")),
    "cmt-whole-branch-though-one-node-is-implicated": all_of_s1("Cmt", "S1_S3", commitment("D1")),
    "cmt-at-a-leaf": Row("Cmt", "S4", (commitment("D4"),), "replan", "S4", "total", branch="S4"),
    "cmt-with-a-branch-that-is-not-supported": Row(
        "Cmt", "S2", (commitment("D2"),), abstained=Abstention.UNSUPPORTED_BRANCH, note="uses `route`"),
    "cmt-at-a-root-without-a-signature": Row(
        "Cmt", "S4", (commitment("D0"), SEMANTIC), abstained=Abstention.UNSUPPORTED_BRANCH,
        note="S0 has no contract with a signature"),
    # --- nothing to select by
    "abstained-localization": Row(None, "", abstained=Abstention.NOT_LOCALIZED),
    "impl-of-two-nodes": Row("Impl", "S1 S4", (SEMANTIC,), abstained=Abstention.NO_SCOPE_RULE),
    "ifc-without-an-interface": Row("Ifc", "S4", (SEMANTIC,), abstained=Abstention.NO_SCOPE_RULE),
    "ifc-provided-by-the-task": Row("Ifc", "S1", (pair("task", "S1"),), abstained=Abstention.NO_SCOPE_RULE),
    "cmt-without-a-decision": Row("Cmt", "S4", (SEMANTIC,), abstained=Abstention.NO_SCOPE_RULE),
    "cmt-of-an-unknown-decision": Row("Cmt", "S4", (commitment("D9"),), abstained=Abstention.NO_SCOPE_RULE),
    "no-class": Row(None, "S4", (SEMANTIC,), abstained=Abstention.NO_SCOPE_RULE),
}  # fmt: skip


def select(row: Row) -> Scope:
    """Return the scope of a row; one more finding names a pair, but does not support the localization."""
    findings = tuple(finding(f"F{i}", each) for i, each in enumerate((*row.obligations, pair("S4", "S0")), start=1))
    localization = Localization(
        policy="paper",
        anchor="Q1",
        implicated=tuple(row.implicated.split()),
        defect=row.defect,
        supporting=tuple(Support(finding=each.id, applicability="observed") for each in findings[:-1]),
        abstained="" if row.implicated else "competing-explanations",
    )
    return select_scope(localization, GRAPH, PROGRAM, findings)


def finding(name: str, obligation: Obligation) -> Finding:
    versions = (Versions(code="", contract=""),)
    return Finding(id=name, owners=("S4",), verdict="reject", obligation=obligation, evidence="judg", versions=versions)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_scope(row: Row) -> None:
    scope = select(row)
    shown = tuple(f"{each.provider}.{each.output} -> {each.consumer}.{each.slot}" for each in scope.open_slots)
    assert (scope.defect, scope.action or "", scope.branch, scope.abstained) == (
        row.defect, row.action, row.branch, row.abstained.value if row.abstained else "",
    )  # fmt: skip
    assert (" ".join(scope.nodes), " ".join(scope.units), shown) == (row.nodes, row.units, row.open_slots)
    assert row.note in " ".join(scope.notes)
    assert (bool(row.action), scope.expansions) == (row.abstained is None, ())


def test_an_open_slot_is_a_record_of_both_ends() -> None:
    scope = select(ROWS["ifc-named-by-the-slot-of-the-provider"])
    assert scope.open_slots == (OpenSlot(provider="S4", output="kept", consumer="S0", slot="kept"),)


def changed(name: str, **fields: object) -> TaskGraph:
    """Return the plan of all rows with one node changed."""
    nodes = tuple(each.model_copy(update=fields) if each.id == name else each for each in GRAPH.nodes)
    return GRAPH.model_copy(update={"nodes": nodes})


def scope_of_pair(graph: TaskGraph, slot: str = "") -> Scope:
    """Return the scope when the one supporting finding names the pair of S1 and S4."""
    localization = Localization(
        policy="paper",
        anchor="Q1",
        implicated=("S4",),
        defect="Ifc",
        supporting=(Support(finding="F1", applicability="asserted"),),
    )
    return select_scope(localization, graph, PROGRAM, (finding("F1", pair("S1", "S4", slot)),))


@pytest.mark.parametrize(
    ("named", "opened"), [("", ["packed", "more"]), ("more", ["more"]), ("packed", ["packed"]), ("m", ["more"])]
)
def test_a_pair_opens_the_slot_that_is_named_or_all_that_it_shares(named: str, opened: list[str]) -> None:
    given = (*GRAPH.node("S4").provenance, Provider(slot="more", node="S1", output="m"))
    scope = scope_of_pair(changed("S4", provenance=given), named)
    assert [each.slot for each in scope.open_slots] == opened


def test_the_whole_plan_is_no_proper_branch_even_when_it_is_supported() -> None:
    whole = changed("S0", contract=Contract(signatures=(FunctionSignature(name="main"),)))
    assert support("S0", whole, PROGRAM) == ""
    assert scope_of_pair(whole).action == "regenerate"


def test_the_order_of_findings_does_not_matter() -> None:
    row = ROWS["ifc-two-pairs-of-three-nodes"]
    assert select(row) == select(row._replace(obligations=row.obligations[::-1]))


def test_every_class_and_every_reason_has_a_row() -> None:
    assert {row.defect for row in ROWS.values()} == {"Impl", "Ifc", "Cmt", None}
    by_scope = {row.abstained for row in ROWS.values()} - {None}
    by_locate = {
        Abstention.NOTHING_FAILED, Abstention.OTHER_PROGRAM, Abstention.HARNESS_ERROR,
        Abstention.NO_COMPATIBLE_FINDING, Abstention.COMPETING,
    }  # fmt: skip
    assert by_scope == set(Abstention) - by_locate


def test_every_abstention_has_a_sentence() -> None:
    texts = [reason.text for reason in Abstention]
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(texts)
