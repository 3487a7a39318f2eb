"""Who is left as a suspect, as a table over recorded runs: on a class, whose methods touch its attributes or not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

from auditcoder.core.cause import providers_of
from auditcoder.core.runs import Run, called_owners, run_of
from auditcoder.core.suspects import breached_owners, stateful_owners, suspect_findings, suspects_of
from auditcoder.core.versions import Active, versions_of
from auditcoder.eval.containment.classes import owners_of_fields, split_class
from auditcoder.records.code import CodeUnit
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.finding import Finding, Obligation, Versions

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
STATEFUL = owners_of_fields(ACTIVE.graph)
UNIT = {"S0": "Box.__init__", "S1": "Box.low", "S2": "Box.high", "S3": "Box.peer", "S4": "Box.alone"}


def run(number: int, calls: str, *, fails: bool, complete: bool = True) -> Run:
    """`calls`: owners, each with the argument of its call where there is one, as in `S0 S1=2`."""
    made = [item.partition("=") for item in calls.split()]
    recorded = tuple(RecordedCall(unit=UNIT[owner], args=(value or str(number),)) for owner, _, value in made)
    recording = Recording(check=f"c{number}", calls=recorded, complete=complete)
    return run_of(recording, "wrong-answer" if fails else "pass", ACTIVE.assembly)


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
    assert tuple(suspects_of(runs(*lines), ACTIVE, STATEFUL)) == (common, left)


def test_calls_of_a_cut_recording_are_not_all_its_calls() -> None:
    passing = [run(2, "S1=7 S2", fails=False), run(3, "S1=8 S2", fails=False)]
    cut = [run(1, "S1=7 S2", fails=True, complete=False), *passing]
    assert suspects_of(cut, ACTIVE, STATEFUL).left == ("S1", "S2")


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


def test_providers_are_found_through_others_and_the_root_is_always_one() -> None:
    assert providers_of("S2", ACTIVE.graph) == {"S0", "S1"}
    assert providers_of("S1", ACTIVE.graph) == {"S0"}


def test_by_default_the_owners_of_methods_touch_state_and_functions_do_not() -> None:
    assert stateful_owners(ACTIVE) == set(UNIT)
    units = tuple(unit.model_copy(update={"kind": "function"}) for unit in ACTIVE.assembly.units)
    assert stateful_owners(ACTIVE._replace(assembly=ACTIVE.assembly.model_copy(update={"units": units}))) == set()
    known = runs(("fails", "S1=7 S2"), ("passes", "S1=7 S2"), ("passes", "S1=8 S2"))
    assert suspects_of(known, ACTIVE).left == ("S1", "S2")


def test_the_owner_of_the_entry_block_takes_part_in_every_run() -> None:
    block = CodeUnit(name="<entry>", kind="block", owner="S4", text="", digest="")
    script = ACTIVE.assembly.model_copy(update={"units": (*ACTIVE.assembly.units, block)})
    calls = Recording(check="c1", calls=(RecordedCall(unit="Box.low"), RecordedCall(unit="strange")))
    assert called_owners(calls, script) == {"S1", "S4"}
    assert called_owners(calls, ACTIVE.assembly) == {"S1"}


def broken(owner: str = "S1", check: str = "c1", **fields: Any) -> Finding:
    given = {
        "id": "F1",
        "owners": (owner,),
        "verdict": "reject",
        "obligation": Obligation(kind="semantic", predicate="contract"),
        "evidence": "exec",
        "versions": (versions_of(ACTIVE.graph, ACTIVE.codes, owner),),
        "check": check,
    }
    return Finding.model_validate({**given, **fields})


@pytest.mark.parametrize(
    ("finding", "named"),
    [
        (broken(), 0),
        (broken("S2"), 1),
        (broken(check="c2"), 1),
        (broken(verdict="accept"), 1),
        (broken(evidence="judg"), 1),
        (broken(obligation=Obligation(kind="resource")), 1),
        (broken(versions=(Versions(code="", contract=""),)), 1),
    ],
    ids=["its contract broke", "no suspect", "another run", "kept", "judged", "time", "an older version"],
)
def test_suspects_are_not_named_where_their_contract_was_seen_broken(finding: Finding, named: int) -> None:
    given = runs(("fails", "S1"), ("passes", "S2"))
    assert len(suspect_findings(given, ACTIVE, "c1", [finding], start=1)) == named
    assert bool(breached_owners([finding], ACTIVE, "c1") & {"S1"}) is not bool(named)


@settings(max_examples=60, deadline=None)
@examples(st.permutations(range(6)))
def test_the_order_of_the_checks_does_not_matter(order: list[int]) -> None:
    given = runs(
        ("fails", "S0 S1=7 S2"), ("fails", "S0 S1=7 S2 S3"), ("passes", "S1=7 S2"), ("passes", "S1=8 S2"),
        ("passes", "S0 S3"), ("passes", "S0 S3"),
    )  # fmt: skip
    expected = suspect_findings(given, ACTIVE, "c1", start=0, stateful=STATEFUL)
    assert expected
    assert suspect_findings([given[place] for place in order], ACTIVE, "c1", start=0, stateful=STATEFUL) == expected
