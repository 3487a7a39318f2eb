"""Which calls are recorded to localize a failure, and that suspects are made of exactly those."""

from __future__ import annotations

import pytest

from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.wanted import MOST_RECORDED, wanted_recordings, wanted_suspects
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.config import EvidenceScope
from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome, RecordedCall, Recording
from auditcoder.records.graph import Node, Provider, Slot, TaskGraph
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task, checks_hash

OUTCOMES: dict[str, Outcome] = {
    "p": "pass",
    "w": "wrong-answer",
    "o": "output-limit",
    "r": "runtime-error",
    "t": "timeout",
    "m": "memory",
    "g": "policy-reject",
    "h": "harness-error",
    "i": "pass",
}
"""`i` is a passing check that gives an input only and compares nothing."""
TASK = Task(
    id="t",
    statement="s",
    entry=EntryPoint(kind="program"),
    examples=(Check(id="E1", input=ProgramInput(stdin=""), expected=Expected(stdout="")),),
)


def checks(letters: str) -> tuple[Check, ...]:
    return tuple(
        Check(
            id=f"{letter}{number}",
            origin="boundary",
            input=ProgramInput(stdin=""),
            expected=Expected() if letter == "i" else Expected(stdout=""),
        )
        for number, letter in enumerate(letters, start=1)
    )


def state(letters: str, *, owners: str = "S0 S1 S2", dependent: bool = False) -> RunState:
    names = owners.split()
    codes = {name: NodeCode(node=name, source=f"# {name}", digest=sha256_text(f"# {name}")) for name in names}
    nodes = tuple(
        Node(
            id=name, parent="" if name == "S0" else "S0", goal="g", executor="simulation", kind="leaf",
            inputs=(Slot(name="x"),), outputs=(Slot(name="y"),),
            provenance=(Provider(slot="x", node="task", output="x"),),
        )
        for name in names
    )  # fmt: skip
    results = tuple(CheckResult(check=each.id, outcome=OUTCOMES[each.id[0]]) for each in checks(letters))
    return RunState(
        graph=TaskGraph(nodes=nodes, order=tuple(names)),
        codes=in_node_order(codes),
        assembly=Assembly(
            program="p",
            digest="d",
            units=tuple(CodeUnit(name=f"f{n}", kind="function", owner=n, text=n, digest="") for n in names),
            lines=(),
        ),
        report=ExecutionReport(program="d", results=results, state_dependent=dependent),
        checks_hash=checks_hash(checks(letters)),
    )


TABLE: dict[str, tuple[str, EvidenceScope, str]] = {
    "nothing failed": ("pp", "all-checks", ""),
    "the anchor alone by default": ("pwp", "anchor", "w2"),
    "the anchor first, then the order of Q": ("pwpr", "all-checks", "w2 p1 p3 r4"),
    "too much output is a wrong answer": ("po", "all-checks", "o2 p1"),
    "costly checks are not recorded": ("wtmp", "all-checks", "w1 p4"),
    "a costly anchor is measured": ("twp", "all-checks", ""),
    "what never ran is not recorded": ("wghp", "all-checks", "w1 p4"),
    "a refused program is not run": ("gp", "all-checks", ""),
    "a check that compares nothing clears nobody": ("wip", "all-checks", "w1 p3"),
    "failing and passing checks share the places": (
        "w" * 30 + "p" * 30,
        "all-checks",
        " ".join((*(f"w{number}" for number in range(1, 13)), *(f"p{number}" for number in range(31, 43)))),
    ),
    "places that passing checks leave are for failing ones": (
        "wp" + "w" * 30,
        "all-checks",
        " ".join(("w1", "p2", *(f"w{number}" for number in range(3, 25)))),
    ),
    "the cap counts the anchor": (
        "p" * 30 + "w",
        "all-checks",
        " ".join(("w31", *(f"p{number}" for number in range(1, MOST_RECORDED)))),
    ),
}


@pytest.mark.parametrize(("letters", "evidence", "expected"), TABLE.values(), ids=TABLE)
def test_wanted_recordings(letters: str, evidence: EvidenceScope, expected: str) -> None:
    assert " ".join(wanted_recordings(state(letters), checks(letters), evidence)) == expected


def test_where_one_node_owns_all_or_results_depend_on_a_state_the_anchor_is_enough() -> None:
    for given in (state("pwp", owners="S0"), state("pwp", dependent=True)):
        assert wanted_recordings(given, checks("pwp"), "all-checks") == ("w2",)


def recordings(**calls: str) -> dict[str, Recording]:
    return {
        check: Recording(check=check, calls=tuple(RecordedCall(unit=f"f{name}") for name in owners.split()))
        for check, owners in calls.items()
    }


def suspected(letters: str, evidence: EvidenceScope, **calls: str) -> list[tuple[str, ...]]:
    found = wanted_suspects(TASK, state(letters), checks(letters), evidence, recordings(**calls), ())
    return [finding.owners for finding in found]


def test_suspects_need_every_recording_that_is_wanted_and_use_no_other() -> None:
    whole = {"w1": "S0 S1", "p2": "S0 S2", "w3": "S1"}
    assert suspected("wpw", "all-checks", **whole) == [("S1",)]
    assert suspected("wpw", "all-checks", **whole, x9="S2") == [("S1",)]
    assert suspected("wpw", "all-checks", w1="S0 S1", p2="S0 S2") == []
    assert suspected("wpw", "anchor", **whole) == []
    assert suspected("wpw", "anchor", w1="S1") == []
    assert suspected("twp", "all-checks", **whole) == []
