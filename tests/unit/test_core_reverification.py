"""Which frozen nodes an accepted repair touched: one row per rule of core/reverification.py."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.core.reverification import Reverification, changed_nodes, reverification
from auditcoder.core.versions import Active
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.graph import Contract, LocalCheck, Node, NodeKind, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Expansion, Scope
from auditcoder.records.task import FunctionSignature


def node(
    name: str, *providers: str, parent: str = "S0", kind: NodeKind = "leaf", depends: tuple[str, ...] = ()
) -> Node:
    """Return a node; S3 has an executable predicate, S4 an executable local check, S5 both."""
    post = (Predicate(id="post1", text="p", expression="result > 0"),) if name in ("S3", "S5") else ()
    local = (LocalCheck(id="L1", text="c", expected=1, has_expected=True),) if name in ("S4", "S5") else ()
    return Node(
        id=name,
        parent="" if name == "S0" else parent,
        goal=name,
        executor="simulation",
        kind=kind,
        contract=Contract(signatures=(FunctionSignature(name=f"f_{name}"),), postconditions=post),
        inputs=tuple(Slot(name=f"from_{source}") for source in providers),
        outputs=(Slot(name="out"),),
        provenance=tuple(Provider(slot=f"from_{source}", node=source, output="out") for source in providers),
        depends_on=depends,
        local_checks=local,
    )


def program(nodes: tuple[Node, ...], **versions: str) -> Active:
    texts = {each.id: versions.get(each.id, "v1") for each in nodes if each.owns_code}
    codes = {name: NodeCode(node=name, source=text, digest=sha256_text(text)) for name, text in texts.items()}
    units = tuple(CodeUnit(name=f"f_{name}", kind="function", owner=name, text="", digest="") for name in texts)
    graph = TaskGraph(nodes=nodes, order=tuple(each.id for each in nodes if each.kind == "leaf"))
    return Active(graph, codes, Assembly(program="", digest="", units=units, lines=()))


CHAIN = (node("S0", depends=("S1", "S2", "S3", "S4", "S5"), kind="orchestrator"), node("S1"), node("S2", "S1"),
         node("S3", "S2"), node("S4", depends=("S2",)), node("S5", "S1", "S2"))  # fmt: skip
BRANCH = (node("S0", kind="orchestrator"), node("S1", kind="orchestrator"), node("S1_S1", parent="S1"),
          node("S3", "S1"), node("S4", "S0"))  # fmt: skip
GROWN = (*BRANCH, node("S1_S2", parent="S1"))


class Row(NamedTuple):
    before: tuple[Node, ...]
    after: tuple[Node, ...]
    versions: dict[str, str]
    scope: Scope
    expected: Reverification


def found(*nodes: str, monitored: tuple[str, ...] = (), checked: tuple[str, ...] = ()) -> Reverification:
    return Reverification(nodes, monitored, checked)


def renegotiated(graph: tuple[Node, ...], name: str) -> tuple[Node, ...]:
    contract = Contract(signatures=(FunctionSignature(name=f"f_{name}", returns="str"),))
    return tuple(each.model_copy(update={"contract": contract}) if each.id == name else each for each in graph)


ROWS: dict[str, Row] = {
    "direct-consumers-by-provenance-and-depends-on": Row(
        CHAIN, CHAIN, {"S2": "v2"}, Scope(nodes=("S2",)),
        found("S0", "S3", "S4", "S5", monitored=("S3", "S5"), checked=("S4", "S5")),
    ),
    "indirect-consumers-are-not-touched": Row(
        CHAIN, CHAIN, {"S1": "v2"}, Scope(nodes=("S1",)), found("S0", "S2", "S5", monitored=("S5",), checked=("S5",))
    ),
    "same-code-came-back": Row(CHAIN, CHAIN, {}, Scope(nodes=("S2",)), found()),
    "contract-alone-changed": Row(
        CHAIN, renegotiated(CHAIN, "S1"), {}, Scope(nodes=("S1", "S2")),
        found("S0", "S5", monitored=("S5",), checked=("S5",)),
    ),
    "pair-is-not-frozen": Row(
        CHAIN, CHAIN, {"S1": "v2", "S2": "v2"}, Scope(nodes=("S1", "S2")),
        found("S0", "S3", "S4", "S5", monitored=("S3", "S5"), checked=("S4", "S5")),
    ),
    "expanded-owner-is-not-frozen-and-provides": Row(
        CHAIN, CHAIN, {"S1": "v2", "S2": "v3"},
        Scope(nodes=("S1",), expansions=(Expansion(unit="f_S2", owner="S2", reason="call site"),)),
        found("S0", "S3", "S4", "S5", monitored=("S3", "S5"), checked=("S4", "S5")),
    ),
    "leaf-inside-a-providing-branch": Row(
        BRANCH, BRANCH, {"S1_S1": "v2"}, Scope(nodes=("S1_S1",)), found("S3", monitored=("S3",))
    ),
    "replanned-branch-with-a-new-node": Row(
        BRANCH, GROWN, {}, Scope(nodes=("S1", "S1_S1"), branch="S1"), found("S3", monitored=("S3",))
    ),
    "replanned-branch-with-a-node-gone": Row(
        GROWN, BRANCH, {}, Scope(nodes=("S1", "S1_S1", "S1_S2"), branch="S1"), found("S3", monitored=("S3",))
    ),
    "an-ancestor-provides-only-itself": Row(
        BRANCH, BRANCH, {"S0": "v2"}, Scope(nodes=("S0",)), found("S4", checked=("S4",))
    ),
    "whole-program-replanned": Row(CHAIN, CHAIN, {"S2": "v2"}, Scope(nodes=("S0",), branch="S0"), found()),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_touched_nodes(row: Row) -> None:
    before, after = program(row.before), program(row.after, **row.versions)
    assert reverification(before, after, row.scope) == row.expected


def test_nothing_changed_nothing_touched() -> None:
    assert changed_nodes(program(CHAIN), program(CHAIN)) == frozenset()
