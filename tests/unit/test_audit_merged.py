"""The audit of programs that are put together from several answers: honest ones hold, and each forgery is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.verify import verify_ledger
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs import methods as programs_methods
from auditcoder.programs.baselines.direct import Direct
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.replaying import replay_run
from auditcoder.records.base import sha256_text
from auditcoder.records.events import EVENT
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_method_mgdebugger import FAULTS, PARTS, TOTAL, Script, source

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]
FIXES = {"positive": [PARTS["positive"]], "double": [FAULTS["double"] + "  # 1", FAULTS["double"] + "  # 2"]}


@pytest.fixture(scope="module")
def ledger(solve: Solve) -> Ledger:
    journal = MemoryJournal()
    script = Script(trees=(source("positive", "double"),), fixes=FIXES)
    solve(TOTAL, script, method="mgdebugger", k=2, options=(("attempts", 2), ("passes", 1)), journal=journal)
    return journal.ledger


def facts_of(ledger: Ledger) -> Facts:
    return [json.loads(entry.raw)["event"] for entry in ledger.entries]


def found(facts: Facts) -> set[str]:
    sealed = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    return {str(difference.check) for difference in verify_ledger(sealed).differences}


def of(facts: Facts, kind: str, what: str = "", *, last: bool = True) -> dict[str, Any]:
    fitting = [fact for fact in facts if fact["kind"] == kind and what in (fact.get("what"), fact.get("how"), "")]
    return fitting[-1 if last else 0]


def test_a_merged_program_verifies_replays_and_runs_again(ledger: Ledger, executor: SandboxExecutor) -> None:
    assert [str(difference) for difference in verify_ledger(ledger).differences] == []
    assert replay_run(ledger).compared == len(ledger.events)
    assert execute_again(ledger, executor).differences == ()
    assert PARTS["positive"] in of(facts_of(ledger), "code.written", "merged")["code"]["source"]


def merged_as(change: Callable[[str], str]) -> Callable[[Facts], None]:
    def forge(facts: Facts) -> None:
        code = of(facts, "code.written", "merged")["code"]
        code["source"] = change(code["source"])
        code["digest"] = sha256_text(code["source"])

    return forge


def probed_as(what: str, old: str, new: str, *, last: bool = True) -> Callable[[Facts], None]:
    def forge(facts: Facts) -> None:
        probe = of(facts, "program.probed", what, last=last)
        assert old in probe["program"]
        probe["program"] = probe["program"].replace(old, new)

    return forge


def other_check(facts: Facts) -> None:
    of(facts, "program.probed", "function positive", last=False)["checks"][0]["expected"]["value"] = [1]


def other_entry(facts: Facts) -> None:
    of(facts, "program.probed", "function double")["entry"]["name"] = "more"


def other_verdict(facts: Facts) -> None:
    for result in of(facts, "program.probed", "function positive")["report"]["results"]:
        result["outcome"] = "wrong-answer"
    for result in of(facts, "program.probed", "function positive", last=False)["report"]["results"]:
        result["outcome"] = "pass"


def unanswered_fix(facts: Facts) -> None:
    probe = of(facts, "program.probed", "function positive")
    facts.remove(facts[facts.index(probe) - 1])


def tried_again(facts: Facts) -> None:
    probe = of(facts, "program.probed", "function positive")
    facts.insert(facts.index(probe) + 1, probe)


def tree_again(facts: Facts) -> None:
    tree = facts.index(of(facts, "program.probed", "tree"))
    behind = facts.index(of(facts, "program.probed", "function positive")) + 1
    facts[behind:behind] = facts[tree - 1 : tree + 1]


def without_round(facts: Facts) -> None:
    facts.remove(of(facts, "round.started"))


def other_order(facts: Facts) -> None:
    probe = of(facts, "program.probed", "function positive", last=False)
    behind = facts.index(of(facts, "program.probed", "function double", last=False)) + 1
    facts.insert(behind, probe)


def another_method(facts: Facts) -> None:
    facts[0]["config"].update(method="pycapsule", options=[])
    of(facts, "attempt.started")["reason"] = "method pycapsule"


FORGED: list[tuple[str, Callable[[Facts], None]]] = [
    ("a version that passes fewer checks", merged_as(lambda text: text.replace(PARTS["positive"], FAULTS["positive"]))),
    ("an earlier version of as many checks", merged_as(lambda text: text.replace("# 2", "# 1"))),
    ("a program that nobody wrote", merged_as(lambda text: text.replace("number + 1", "number + 2"))),
    ("a function that nobody wrote", probed_as("function positive", "item > 0", "item > -1")),
    ("a function that is not in the tree", probed_as("function double", "number + 1", "number + 2", last=False)),
    ("a tree that nobody wrote", probed_as("tree", "number + 1", "number + 2")),
    ("a check that nobody derived", other_check),
    ("another function is called", other_entry),
    ("other verdicts, and so another best version", other_verdict),
    ("a fix without an answer", unanswered_fix),
    ("a fix that is run twice", tried_again),
    ("a tree in the middle of a pass", tree_again),
    ("a pass without a round", without_round),
    ("a function that is taken up again", other_order),
    ("a method that puts nothing together", another_method),
]


@pytest.mark.parametrize(("what", "forge"), FORGED, ids=[row[0] for row in FORGED])
def test_a_forgery_is_found(ledger: Ledger, what: str, forge: Callable[[Facts], None]) -> None:
    facts = facts_of(ledger)
    forge(facts)
    assert facts != facts_of(ledger)
    assert "V5" in found(facts), what


def test_a_program_that_is_put_together_outside_a_round_is_in_the_wrong_place(ledger: Ledger) -> None:
    facts = facts_of(ledger)
    without_round(facts)
    assert "V2" in found(facts)


class Merger(Direct):
    """Puts a program together on its own authority."""

    def solve(self, run: MethodRun) -> str:
        run.write(lambda refused: self.programmer(run.task, refused))
        run.start_round("feedback")
        run.merge(source())
        return ""


def test_a_program_that_another_method_puts_together_is_found(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs_methods, "METHODS", {"direct": Merger})
    journal = MemoryJournal()
    run = solve(TOTAL, Script(), method="direct", journal=journal)
    assert run.candidate.rank.full_pass
    assert {str(each.check) for each in verify_ledger(journal.ledger).differences} == {"V5"}
