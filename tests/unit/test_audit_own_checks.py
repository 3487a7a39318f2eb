"""The audit of checks that a method writes itself: what may be frozen, when, and which suites a decision counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.core.suites import suites_passed
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import EVENT
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.task import Check, Expected, FunctionInput
from tests.unit.test_method_agentcoder import CRASH, EASY, HARD, TOTAL, WRONG, ZERO, Script
from tests.unit.test_method_codecor import CRASH as WORSE
from tests.unit.test_method_codecor import WRONG as BETTER
from tests.unit.test_method_codecor import Script as Pool

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]
SMALL = (("m", 2), ("mode", "resample"), ("n", 2))


def ledger_of(solve: Solve, script: Script, **config: Any) -> Ledger:
    journal = MemoryJournal()
    solve(TOTAL, script, method="agentcoder", journal=journal, **config)
    return journal.ledger


def found(ledger: Ledger) -> set[str]:
    differences = verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger))).differences
    return {str(difference.check) for difference in differences}


def forged(ledger: Ledger, forge: Callable[[Facts], object]) -> Ledger:
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    forge(facts)
    return MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger


def places(facts: Facts, kind: str) -> list[int]:
    return [number for number, fact in enumerate(facts) if fact["kind"] == kind]


def first(facts: Facts, kind: str) -> dict[str, Any]:
    return facts[places(facts, kind)[0]]


def as_an_example(facts: Facts) -> None:
    first(facts, "checks.frozen")["checks"][0]["origin"] = "example"


def without_a_source(facts: Facts) -> None:
    first(facts, "checks.frozen")["derivations"].pop()


def example_first(facts: Facts) -> None:
    event = first(facts, "checks.frozen")
    event["checks"].insert(0, facts[0]["task"]["examples"][0])


def frozen_again(facts: Facts) -> None:
    """A second suite in a round of revisions, where there must be one for the whole run."""
    facts.insert(places(facts, "round.started")[0] + 1, first(facts, "checks.frozen"))


def another_check(facts: Facts) -> None:
    first(facts, "checks.frozen")["checks"][0]["expected"]["value"] = 4


def enough(facts: Facts) -> None:
    first(facts, "run.finished")["reason"] = "enough suites pass whole"


def repeats(facts: Facts) -> None:
    first(facts, "run.finished")["reason"] = "every program repeats its error"


FORGED: list[tuple[str, Callable[[Facts], object]]] = [
    ("V3", another_check),
    ("V4", as_an_example),
    ("V4", without_a_source),
    ("V4", example_first),
    ("V2", frozen_again),
    ("V20", enough),
    ("V20", repeats),
]


@pytest.mark.parametrize(("check", "forge"), FORGED, ids=[forge.__name__ for _, forge in FORGED])
def test_a_forged_suite_is_found(solve: Solve, check: str, forge: Callable[[Facts], object]) -> None:
    ledger = ledger_of(solve, Script((WRONG,), (CRASH, WRONG)), k=2)
    assert found(ledger) == set()
    assert check in found(forged(ledger, forge))


def test_the_examples_are_left_out_only_by_the_methods_that_do(solve: Solve) -> None:
    ledger = ledger_of(solve, Script((WRONG,)), k=1)

    def included(facts: Facts) -> None:
        facts[0]["config"]["options"] = [["include_examples", True]]

    def other(facts: Facts) -> None:
        facts[0]["config"] |= {"method": "pycapsule"}

    assert "V4" in found(forged(ledger, included))
    assert "V4" in found(forged(ledger, other))


def test_codecor_runs_the_examples_first_and_keeps_the_program_that_passes_most(solve: Solve) -> None:
    journal = MemoryJournal()
    solve(TOTAL, Pool((BETTER, WORSE)), method="codecor", k=0, journal=journal)
    ledger = journal.ledger
    assert found(ledger) == set()

    def left_out(facts: Facts) -> None:
        event = first(facts, "checks.frozen")
        event["checks"] = event["checks"][1:]

    def latest(facts: Facts) -> None:
        facts[places(facts, "candidate.ranked")[-1]]["active"] = True

    assert "V20" in found(forged(ledger, repeats))  # nothing repeats where no round was made
    assert "V20" in found(forged(ledger, enough))
    assert "V4" in found(forged(ledger, left_out))
    assert "V15" in found(forged(ledger, latest))


def test_a_check_that_the_designer_never_wrote_is_found_by_replaying(solve: Solve) -> None:
    def sealed(facts: Facts) -> None:
        first(facts, "checks.frozen")["derivations"][0][1] = "written by the model, everyday: another"

    ledger = forged(ledger_of(solve, Script((WRONG,)), k=1), sealed)
    assert found(ledger) == set()  # nothing in it contradicts itself
    assert replay_run(ledger).differences != ()


def second_freeze(facts: Facts) -> int:
    return places(facts, "checks.frozen")[1]


def behind_code(facts: Facts) -> None:
    """New suites once the code of the epoch is known."""
    event = facts.pop(second_freeze(facts))
    facts.insert(places(facts, "code.written")[2] + 1, event)


def twice(facts: Facts) -> None:
    facts.insert(second_freeze(facts), facts[second_freeze(facts)])


def without_a_round(facts: Facts) -> None:
    facts.pop(places(facts, "round.started")[0])


def in_an_adaptive_run(facts: Facts) -> None:
    facts[0]["config"]["adaptive"] = True


def in_feedback(facts: Facts) -> None:
    facts[0]["config"]["options"] = []


def taken_by_the_second(facts: Facts) -> None:
    numbers = places(facts, "candidate.ranked")
    facts[numbers[-1]]["active"] = True


def not_by_the_first_of_the_epoch(facts: Facts) -> None:
    facts[places(facts, "candidate.ranked")[2]]["active"] = False


EPOCHS: list[tuple[str, Callable[[Facts], object]]] = [
    ("V2", behind_code),
    ("V2", twice),
    ("V2", without_a_round),
    ("V2", in_an_adaptive_run),
    ("V2", in_feedback),
    ("V15", taken_by_the_second),
    ("V15", not_by_the_first_of_the_epoch),
    ("V20", enough),
]


@pytest.mark.parametrize(("check", "forge"), EPOCHS, ids=[forge.__name__ for _, forge in EPOCHS])
def test_a_forged_epoch_is_found(solve: Solve, check: str, forge: Callable[[Facts], object]) -> None:
    ledger = ledger_of(solve, Script((WRONG, ZERO, CRASH, CRASH)), k=1, options=SMALL)
    assert found(ledger) == set()
    assert check in found(forged(ledger, forge))


def test_a_bar_that_is_higher_than_what_passes_is_found(solve: Solve) -> None:
    script = Script((WRONG,), suites=(EASY, HARD))
    ledger = ledger_of(solve, script, k=1, options=(("bar", 1), *SMALL))
    assert fold_ledger(ledger).reason == "enough suites pass whole"
    assert found(ledger) == set()

    def higher(facts: Facts) -> None:
        facts[0]["config"]["options"][0][1] = 2

    assert "V20" in found(forged(ledger, higher))


def test_a_suite_passes_when_every_check_of_it_does() -> None:
    def check(name: str, note: str) -> Check:
        return Check(id=name, input=FunctionInput(), expected=Expected(value=1, has_value=True), note=note)

    def report(*passed: str) -> ExecutionReport:
        results = [CheckResult(check=name, outcome="pass" if name in passed else "timeout") for name in "abc"]
        return ExecutionReport(program="", results=tuple(results))

    checks = (check("a", "suite 1"), check("b", "suite 1"), check("c", "suite 2"), check("d", "suite 3"))
    assert suites_passed(report("a", "b", "c"), checks) == 2
    assert suites_passed(report("a", "c"), checks) == 1
    assert suites_passed(report("a"), checks) == 0
    assert suites_passed(report("a", "b", "c"), ()) == 0
