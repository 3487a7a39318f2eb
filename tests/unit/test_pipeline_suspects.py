"""The calls of all checks as evidence: a wrong answer without contracts, from the run to audit and forgeries."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain, verify_ledger
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.config import Role
from auditcoder.records.events import EVENT, CallsRecorded, FindingsAdded, ModelCalled
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [2], 2), example(3, [], 0)),
)
KEEP = "def keep_positive(items):\n    return [i for i in items if i > 0]"
WRONG = "def keep_positive(items):\n    return [i for i in items if i > 1]"
RAISES = "def keep_positive(items):\n    return [i for i in items if i > 0] if len(items) < 2 else None"
ADD = "def add_up(kept):\n    return sum(kept)"


def script(keep: str, ensures: str = "", repaired: str = KEEP) -> Callable[[Role, str], str]:
    """Return the answers of a run on two steps, `keep_positive` (S1) wrong; no executable condition unless given."""

    def plan(last: str) -> str:
        for name, takes, gives in (("keep_positive", "items", "kept"), ("add_up", "kept", "answer")):
            if f"{name}: " in last:
                shape = "list[int]" if gives == "kept" else "int"
                promised = {"requires": "", "ensures": ensures if gives == "kept" else ""}
                return json.dumps({"takes": [takes], "gives": gives, "type": shape, **promised})
        steps = [{"name": n, "goal": f"does {n} on it", "kind": "greedy"} for n in ("keep_positive", "add_up")]
        return json.dumps({"steps": steps})

    def answer(role: Role, prompt: str) -> str:
        if role == "planner":
            return plan(prompt[prompt.rindex(TOTAL.statement) :])
        code = repaired if role == "regenerator" else ADD if "def add_up" in prompt[-2500:] else keep
        return f"```python\n{code}\n```"

    return answer


CONFIG = {"granularity": "coarse", "evidence": "all-checks"}


@pytest.fixture(scope="module")
def run(solve: Solve) -> Any:
    return solve(TOTAL, script(WRONG), **CONFIG)


@pytest.fixture(scope="module")
def facts(run: Any) -> str:
    return json.dumps([event.model_dump(mode="json") for event in run.events])


def sealed(facts: Facts) -> Ledger:
    return MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger


def test_a_wrong_answer_without_contracts_is_localized_to_its_leaf_without_a_verifier(run: Any) -> None:
    [transaction] = run.record.transactions
    found = transaction.localization
    assert (found.rule, found.implicated, found.defect, found.grade) == ("Local", ("S1",), "Impl", "medium")
    assert (transaction.decision, transaction.scope.nodes) == ("accepted", ("S1",))
    assert run.candidate.rank.full_pass
    assert {role for role, _ in run.calls} == {"planner", "generator", "regenerator"}
    [finding] = [f for e in run.events if isinstance(e, FindingsAdded) and e.source == "suspects" for f in e.findings]
    assert (finding.owners, finding.verdict, finding.evidence, finding.check) == (("S1",), "reject", "exec", "E1")
    recorded = [event.recording.check for event in run.events if isinstance(event, CallsRecorded)]
    assert recorded == ["E1", "E2", "E3"]


def test_by_default_only_the_first_failing_check_is_recorded_and_nothing_is_localized(solve: Solve) -> None:
    run = solve(TOTAL, script(WRONG), granularity="coarse", verify="never")
    [transaction] = run.record.transactions
    assert transaction.localization.abstained == "no-compatible-finding"
    assert [event.recording.check for event in run.events if isinstance(event, CallsRecorded)] == ["E1"]


@pytest.mark.parametrize(("policy", "owner"), [("executed-first", "S1"), ("paper", "S2")])
def test_an_exception_is_followed_to_the_provider_under_one_policy(solve: Solve, policy: str, owner: str) -> None:
    """The wrong step gives None against its own condition, and the next one raises."""
    journal = MemoryJournal()
    answers = script(RAISES, ensures="result is not None")
    run = solve(TOTAL, answers, journal=journal, locate=policy, k=1, **CONFIG)
    found = run.record.transactions[0].localization
    assert (found.rule, found.implicated) == ("Trace", (owner,))
    assert not [event for event in run.events if isinstance(event, FindingsAdded) and event.source == "suspects"]
    assert verify_ledger(journal.ledger).differences == ()


def test_suspects_that_hand_each_other_a_value_are_one_interface(solve: Solve) -> None:
    """Nothing clears a step that was never called with None in a passing check: either end may have to change."""
    journal = MemoryJournal()
    run = solve(TOTAL, script(RAISES), journal=journal, **CONFIG)
    found = run.record.transactions[0].localization
    assert (found.implicated, found.defect) == (("S1", "S2"), "Ifc")
    assert verify_ledger(journal.ledger).differences == ()


def test_the_run_verifies_and_resumes_from_anywhere_without_paying_twice(run: Any, facts: str, solve: Solve) -> None:
    assert verify_ledger(sealed(json.loads(facts))).verified
    cuts = [n for n, event in enumerate(run.events) if isinstance(event, CallsRecorded | FindingsAdded)]
    for kept in (*cuts, cuts[-1] + 1):
        journal = MemoryJournal(run.events[:kept])
        again = solve(TOTAL, script(WRONG), journal=journal, **CONFIG)
        assert [event.kind for event in again.events] == [event.kind for event in run.events]
        paid = sum(isinstance(event, ModelCalled) for event in run.events[:kept])
        assert len(again.calls) == len(run.calls) - paid
        assert verify_ledger(journal.ledger).verified


def test_a_second_round_says_nothing_twice_and_localizes_the_same(solve: Solve) -> None:
    """The repair is rolled back, so the same program fails again: its suspects are known and current."""
    journal = MemoryJournal()
    run = solve(TOTAL, script(WRONG, repaired=RAISES), journal=journal, k=2, **CONFIG)
    first, second = run.record.transactions
    assert (first.decision, first.localization.implicated) == ("rolled-back", ("S1",))
    assert second.localization.implicated == ("S1",)
    suspects = [e for e in run.events if isinstance(e, FindingsAdded) and e.source == "suspects"]
    assert len(suspects) == 1
    assert [e.recording.check for e in run.events if isinstance(e, CallsRecorded)] == ["E1", "E2", "E3"] * 2
    assert verify_ledger(journal.ledger).differences == ()


def test_after_an_accepted_repair_the_suspects_of_the_new_program_are_named(solve: Solve) -> None:
    """The repair mends the first check and not the last one, so the second round has another anchor."""
    examples = (*TOTAL.examples, example(4, [1, 9], 10), example(5, [9], 9))
    task, better = (
        TOTAL.model_copy(update={"examples": examples}),
        WRONG.replace("if i > 1", "if i != 9 or len(items) < 2"),
    )
    journal = MemoryJournal()
    run = solve(task, script(WRONG, repaired=better), journal=journal, k=2, **CONFIG)
    first, second = run.record.transactions
    assert (first.decision, first.localization.anchor, second.localization.anchor) == ("accepted", "E1", "E4")
    assert len([e for e in run.events if isinstance(e, FindingsAdded) and e.source == "suspects"]) == 2
    assert verify_ledger(journal.ledger).differences == ()


def nth(facts: Facts, kind: str, number: int = 0) -> dict[str, Any]:
    return [fact for fact in facts if fact["kind"] == kind][number]


def drop(kind: str, number: int = 0) -> Callable[[Facts], object]:
    return lambda facts: facts.remove(nth(facts, kind, number))


def double(kind: str, number: int = 0) -> Callable[[Facts], object]:
    return lambda facts: facts.insert(facts.index(nth(facts, kind, number)), dict(nth(facts, kind, number)))


def another_suspect(facts: Facts) -> None:
    nth(facts, "findings.added")["findings"][0]["owners"] = ["S2"]


def another_end(facts: Facts) -> None:
    """In a passing check the cleared step gave something else than in the failing one."""
    call = next(c for c in nth(facts, "calls.recorded", 1)["recording"]["calls"] if c["unit"] == "add_up")
    call["result"] = 7


FORGERIES: dict[str, tuple[str, Callable[[Facts], object]]] = {
    "suspects left out": ("V10", drop("findings.added")),
    "suspects named twice": ("V10", double("findings.added")),
    "another suspect": ("V10", another_suspect),
    "suspects that accept": ("V10", lambda facts: nth(facts, "findings.added")["findings"][0].update(verdict="accept")),
    "suspects of a run that did not want them": ("V10", lambda facts: facts[0]["config"].pop("evidence")),
    "a call that ended otherwise": ("V10", another_end),
    "calls of a check that is not wanted": ("V9", lambda facts: facts[0]["config"].pop("evidence")),
    "calls of a check twice": ("V9", double("calls.recorded", 1)),
    "calls of another check left out": ("V11", drop("calls.recorded", 2)),
    "calls of the anchor left out": ("V11", drop("calls.recorded")),
}


@pytest.mark.parametrize(("check", "change"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_fact_fails_its_check(facts: str, check: str, change: Callable[[Facts], object]) -> None:
    forged: Facts = json.loads(facts)
    change(forged)
    ledger = sealed(forged)
    found = verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger)))
    assert check in {each.value for each in found.failed}, found.differences
    assert not found.verified
