"""Who is left as a suspect, as a table over recorded runs; and the proposal for rule Trace."""

from __future__ import annotations

import pytest

from auditcoder.core.versions import Active
from auditcoder.eval.containment.classes import split_class
from auditcoder.eval.containment.endless import endless_finding
from auditcoder.eval.containment.reach import providers_of
from auditcoder.eval.containment.runs import Run, called_owners
from auditcoder.eval.containment.suspects import suspect_findings, suspects_of
from auditcoder.eval.containment.upstream import moved_upstream
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.localization import Localization, TurnedAway

SPLIT = split_class(
    "class Box:\n"
    "    def __init__(self):\n        self.a = 1\n        self.b = 2\n"
    "    def low(self, x):\n        return x\n"
    "    def high(self, x):\n        return self.low(x) + self.a\n"
    "    def peer(self):\n        return self.a\n"
    "    def alone(self):\n        return self.b\n",
    "Box",
    {},
)
ACTIVE: Active = SPLIT.layout.active(SPLIT.graph, SPLIT.parts)
UNIT = {"S0": "Box.__init__", "S1": "Box.low", "S2": "Box.high", "S3": "Box.peer", "S4": "Box.alone"}


def run(number: int, calls: str, *, fails: bool, complete: bool = True) -> Run:
    """`calls`: owners, each with the argument of its call where there is one, as in `S0 S1=2`."""
    made = [item.partition("=") for item in calls.split()]
    recorded = tuple(RecordedCall(unit=UNIT[owner], args=(value or str(number),)) for owner, _, value in made)
    recording = Recording(check=f"c{number}", calls=recorded, complete=complete)
    return Run(f"c{number}", "WA" if fails else None, recording, called_owners(recording, ACTIVE.assembly))


def runs(*lines: tuple[str, str]) -> list[Run]:
    return [run(number, calls, fails=how == "fails") for number, (how, calls) in enumerate(lines, start=1)]


TABLE = [
    ("nothing failed", [("passes", "S0 S1")], (), ()),
    ("only one took part", [("fails", "S1")], ("S1",), ("S1",)),
    (
        "what all failing runs have in common",
        [("fails", "S0 S1 S2"), ("fails", "S0 S1 S3")],
        ("S0", "S1"),
        ("S0", "S1"),
    ),
    (
        "cleared: it works without the other in two runs",
        [("fails", "S0 S1 S2"), ("passes", "S1 S0"), ("passes", "S1"), ("passes", "S3 S0")],
        ("S0", "S1", "S2"),
        ("S2",),
    ),
    ("one run clears nobody", [("fails", "S1 S2"), ("passes", "S1")], ("S1", "S2"), ("S1", "S2")),
    (
        "the root is not cleared while nobody else read what the suspect reads",
        [("fails", "S0 S4"), ("passes", "S0 S3"), ("passes", "S0 S3")],
        ("S0", "S4"),
        ("S0", "S4"),
    ),
    (
        "the root is cleared when another read it",
        [("fails", "S0 S2"), ("passes", "S0 S3"), ("passes", "S0 S3")],
        ("S0", "S2"),
        ("S2",),
    ),
    (
        "cleared: without state, and all its calls are known from a passing run",
        [("fails", "S1=7 S2"), ("passes", "S1=7 S2"), ("passes", "S1=8 S2")],
        ("S1", "S2"),
        ("S2",),
    ),
    (
        "a call that every run makes clears nothing",
        [("fails", "S1=7 S2"), ("passes", "S1=7 S2"), ("passes", "S1=7 S3")],
        ("S1", "S2"),
        ("S1", "S2"),
    ),
    (
        "known calls of a method with state clear nothing",
        [("fails", "S1 S2=7"), ("passes", "S1 S2=7"), ("passes", "S1 S2=8")],
        ("S1", "S2"),
        ("S1", "S2"),
    ),
    (
        "when everybody would be cleared, nobody is",
        [("fails", "S1 S2"), *[("passes", "S1")] * 2, *[("passes", "S2")] * 2],
        ("S1", "S2"),
        ("S1", "S2"),
    ),
]


@pytest.mark.parametrize(("what", "lines", "common", "left"), TABLE, ids=[row[0] for row in TABLE])
def test_suspects(what: str, lines: list[tuple[str, str]], common: tuple[str, ...], left: tuple[str, ...]) -> None:
    assert tuple(suspects_of(runs(*lines), ACTIVE)) == (common, left)


def test_calls_of_a_cut_recording_are_not_all_its_calls() -> None:
    passing = [run(2, "S1=7 S2", fails=False), run(3, "S1=8 S2", fails=False)]
    cut = [run(1, "S1=7 S2", fails=True, complete=False), *passing]
    assert suspects_of(cut, ACTIVE).left == ("S1", "S2")


def test_a_sole_suspect_is_a_rejection_of_its_contract() -> None:
    (finding,) = suspect_findings(runs(("fails", "S1")), ACTIVE, "c1", start=4)
    assert (finding.id, finding.owners, finding.obligation.kind, finding.check) == ("F5", ("S1",), "semantic", "c1")


def test_two_suspects_are_joined_by_their_interface() -> None:
    (finding,) = suspect_findings(runs(("fails", "S1 S2")), ACTIVE, "c1", start=0)
    assert finding.owners == ("S1", "S2")
    assert finding.obligation == Obligation(kind="interface", slot="low()", provider="S1", consumer="S2")


def test_suspects_that_no_interface_joins_are_no_finding() -> None:
    assert suspect_findings(runs(("fails", "S1 S4")), ACTIVE, "c1", start=0) == ()
    assert suspect_findings(runs(("fails", "S1 S2 S4")), ACTIVE, "c1", start=0) == ()


def test_more_than_three_suspects_are_no_finding() -> None:
    assert suspect_findings(runs(("fails", "S0 S1 S2 S3")), ACTIVE, "c1", start=0) == ()


def test_a_call_that_never_ended_is_its_owners() -> None:
    calls = [
        RecordedCall(unit="Box.high", exception="<unfinished>"),
        *[RecordedCall(unit="Box.low", result=1)] * 3,
    ]
    finding = endless_finding(Recording(check="c1", calls=tuple(calls), complete=False), ACTIVE, start=0)
    assert finding is not None
    assert (finding.owners, finding.obligation.kind) == (("S2",), "resource")
    assert endless_finding(Recording(check="c1", calls=tuple(calls[1:])), ACTIVE, start=0) is None


def test_providers_are_found_through_others_and_the_root_is_always_one() -> None:
    assert providers_of("S2", ACTIVE.graph) == {"S0", "S1"}
    assert providers_of("S1", ACTIVE.graph) == {"S0"}


def traced(owner: str, *passed_over: str) -> Localization:
    away = tuple(TurnedAway(finding=name, clause="preference", reason="Trace") for name in passed_over)
    return Localization(policy="paper", anchor="c1", failure="RE", rule="Trace", implicated=(owner,), defect="Impl",
                        grade="high", turned_away=away)  # fmt: skip


def broken(name: str, owner: str, check: str = "c1") -> Finding:
    return Finding(
        id=name,
        owners=(owner,),
        verdict="reject",
        obligation=Obligation(kind="semantic", predicate="contract"),
        evidence="exec",
        versions=(Versions(code="", contract=""),),
        check=check,
    )


@pytest.mark.parametrize(
    ("findings", "implicated"),
    [
        ([broken("F1", "S1")], ("S1",)),
        ([broken("F1", "S3")], ("S2",)),
        ([broken("F1", "S1", check="c2")], ("S2",)),
        ([broken("F1", "S1"), broken("F2", "S2")], ("S2",)),
        ([broken("F1", "S0"), broken("F2", "S1")], ("S2",)),
        ([], ("S2",)),
    ],
    ids=["provider", "no provider", "another run", "its own too", "two that compete", "nothing"],
)
def test_a_traced_exception_moves_to_the_provider_that_explains_it(
    findings: list[Finding], implicated: tuple[str, ...]
) -> None:
    found = traced("S2", *(finding.id for finding in findings))
    assert moved_upstream(found, findings, ACTIVE.graph).implicated == implicated
