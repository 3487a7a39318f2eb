"""The variants of AuditCoder: what each leaves out, what it records, and that its record verifies and replays."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain, verify_ledger
from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT
from auditcoder.core.whole import WHOLE, program_text
from auditcoder.errors import ConfigError
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.replaying import replay_run
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import RunConfig
from auditcoder.records.events import EVENT, Event, ModelCalled, RunResumed
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
Script = Callable[[str, str], str]
Facts = list[dict[str, Any]]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [], 0)),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    return sum(items)"
WORSE = "def total(items):\n    return 17"
CRASH = "def total(items):\n    return items[0] + sum(i for i in items[1:] if i > 0)"
KEEP = "def keep_positive(items):\n    return [i for i in items if i > 0]"
KEEP_ALL = "def keep_positive(items):\n    return list(items)"
ADD = "def add_up(kept):\n    return sum(kept)"


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def plan(prompt: str) -> str:
    last = prompt[prompt.rindex(TOTAL.statement) :]
    if "keep_positive: " in last:
        return json.dumps({"takes": ["items"], "gives": "kept", "type": "list[int]", "requires": "", "ensures": ""})
    if "add_up: " in last:
        return json.dumps({"takes": ["kept"], "gives": "answer", "type": "int", "requires": "", "ensures": ""})
    names = ("keep_positive", "add_up")
    return json.dumps({"steps": [{"name": n, "goal": f"does {n} on it", "kind": "greedy"} for n in names]})


def planned(keep: str, later: str) -> Script:
    """Return a script that plans two steps, writes them, and answers every regeneration with `later`."""

    def answer(role: str, prompt: str) -> str:
        if role == "generator":
            return fenced(keep if "keep_positive" in prompt else ADD)
        if role == "verifier":
            return json.dumps({"verdict": "accept", "obligation": "goal", "reason": "", "condition": "", "input": ""})
        return fenced(later) if role == "regenerator" else plan(prompt)

    return answer


def single(first: str, *later: str) -> Script:
    """Return a script whose generator answers `first`, and whose regenerator goes on to the last of `later`."""
    left = list(later)
    return lambda role, prompt: fenced(
        first if role == "generator" else left.pop(0) if len(left) > 1 else left[0] if left else first
    )


def kinds(events: tuple[Event, ...]) -> Counter[str]:
    return Counter(event.kind for event in events)


def audited(ledger: Ledger) -> list[str]:
    found = verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger)))
    return [str(difference) for difference in found.differences]


def solved(solve: Solve, script: Script, **config: Any) -> Any:
    """Return a run whose record verifies, at every third event on the way too, and replays."""
    journal = MemoryJournal()
    run = solve(TOTAL, script, journal=journal, **config)
    ledger = journal.ledger
    assert audited(ledger) == []
    replayed = replay_run(ledger)
    assert ([str(difference) for difference in replayed.differences], replayed.note) == ([], "")
    assert replayed.compared == len(ledger.events)
    for count in range(1, len(ledger.entries), 3):
        assert verify_ledger(Ledger(ledger.entries[:count])).status == "unfinished", count
    return run


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_a_configuration_that_runs(solve: Solve, name: str) -> None:
    settings = preset(name)
    RunConfig.model_validate(settings)
    run = solved(solve, planned(KEEP_ALL, KEEP), granularity="coarse", **settings)
    repairs = kinds(run.events)["repair.started"] + kinds(run.events)["round.started"]
    assert repairs == (0 if settings.get("k") == 0 else 1)


def test_an_unknown_variant_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no variant auditcoder-best") as error:
        preset("auditcoder-best")
    assert "auditcoder-no-binding" in error.value.hint


def test_a_preset_is_a_copy() -> None:
    preset("auditcoder-plan")["k"] = 9
    assert preset("auditcoder-plan")["k"] == 0


def test_generic_agents_write_every_leaf_with_one_prompt(solve: Solve) -> None:
    rule = "Use a greedy rule"
    for agents, said in (("specialized", True), ("generic", False)):
        run = solved(solve, planned(KEEP, KEEP), granularity="coarse", agents=agents)
        leaves = [prompt for role, prompt in run.calls if role == "generator"]
        assert len(leaves) == 2
        assert all((rule in prompt) == said for prompt in leaves)
        assert run.candidate.rank.full_pass


def test_a_whole_repair_takes_over_a_better_program_outside_of_transactions(solve: Solve) -> None:
    run = solved(solve, planned(KEEP_ALL, RIGHT), granularity="coarse", repair="whole")
    assert run.candidate.rank.full_pass
    found = kinds(run.events)
    assert (found["round.started"], found["repair.started"], found["scope.declared"]) == (1, 0, 0)
    last = run.record.attempts[-1]
    assert (last.granularity, last.reason, last.fallback) == ("single", WHOLE, WHOLE)
    [written] = [event for event in run.events if event.kind == "code.written" and event.how == "regenerated"]
    assert written.code.node == "S0"
    [prompt] = [prompt for role, prompt in run.calls if role == "regenerator"]
    assert all(text in prompt for text in ("def keep_positive", "def add_up", "Failing check 1"))


def test_whole_and_bounded_repairs_react_to_the_same_evidence(solve: Solve) -> None:
    shown = []
    for repair in ("bounded", "whole"):
        run = solved(solve, single(CRASH, WORSE), granularity="single", repair=repair)
        [prompt] = [prompt for role, prompt in run.calls if role == "regenerator"]
        shown.append(prompt[prompt.rindex("Failing check 1") :])
        before = ["calls.recorded", "findings.added"]
        assert [event.kind for event in run.events if event.kind in before].count("calls.recorded") == 1
    assert shown[0] == shown[1]


def test_a_worse_whole_program_is_not_taken_over(solve: Solve) -> None:
    run = solved(solve, single(CRASH, WORSE), granularity="single", repair="whole", k=2)
    ranks = [event for event in run.events if event.kind == "candidate.ranked"]
    assert [event.active for event in ranks] == [True, False, False]
    assert [event.candidate for event in run.events if event.kind == "round.started"] == [0, 0]
    assert run.record.assembly == run.candidate.state.assembly
    assert run.candidate.number == 0
    assert [attempt.reason for attempt in run.record.attempts].count(WHOLE) == 1


@pytest.mark.parametrize(("k", "adaptive", "rounds"), [(0, False, 0), (1, False, 1), (3, False, 3), (1, True, 4)])
def test_whole_repair_makes_as_many_rounds_as_the_budget_says(
    solve: Solve, k: int, adaptive: bool, rounds: int
) -> None:
    run = solved(solve, single(WRONG, WORSE), granularity="single", repair="whole", k=k, adaptive=adaptive)
    assert kinds(run.events)["round.started"] == rounds
    assert run.record.reason == "the repair budget is used up"


def test_answers_that_cannot_be_used_end_their_round_only(solve: Solve) -> None:
    run = solved(solve, lambda role, prompt: fenced(WRONG) if role == "generator" else "no", repair="whole", k=2,
                 granularity="single")  # fmt: skip
    assert kinds(run.events)["round.started"] == 2
    assert Counter(role for role, _ in run.calls)["regenerator"] == 4
    assert run.candidate.number == 0


def test_the_same_program_is_asked_for_once_more_and_then_ranked(solve: Solve) -> None:
    run = solved(solve, single(WRONG, WRONG), granularity="single", repair="whole")
    assert Counter(role for role, _ in run.calls)["regenerator"] == 2
    assert [event.active for event in run.events if event.kind == "candidate.ranked"] == [True, False]


def test_the_program_that_is_rewritten_has_no_prelude(solve: Solve) -> None:
    task = TOTAL.model_copy(update={"prelude": "LIMIT = 0"})
    run = solve(task, single(WRONG, RIGHT), granularity="single", repair="whole")
    assert run.candidate.rank.full_pass
    first = next(event for event in run.events if event.kind == "program.assembled").assembly
    assert "LIMIT" in first.program
    assert program_text(first) == WRONG + "\n"


BUDGETS = [
    ("construction", planned(KEEP_ALL, KEEP), {"granularity": "coarse", "max_calls": 2}),
    ("a leaf", planned(KEEP_ALL, KEEP), {"granularity": "coarse", "max_calls": 4}),
    ("the root", planned(KEEP_ALL, KEEP), {"granularity": "coarse", "max_calls": 5, "weak": False}),
    ("planning, with a program", planned(KEEP_ALL, KEEP), {"max_calls": 2}),
    ("the second attempt, with a program", planned(KEEP_ALL, KEEP), {"max_calls": 5, "k": 0}),
    ("the boundary checks", planned(KEEP_ALL, KEEP), {"boundary": "confirmed", "max_calls": 1}),
    ("a refused program", lambda role, prompt: "no", {"granularity": "single", "max_calls": 1}),
    ("all tries", lambda role, prompt: "no", {"granularity": "single", "max_calls": 2}),
    ("a leaf, without repair", planned(KEEP_ALL, KEEP), {"granularity": "coarse", "max_calls": 4, "k": 0}),
    ("a refused program, without repair", lambda role, prompt: "no", {"granularity": "single", "max_calls": 1, "k": 0}),
    ("before a repair", single(WRONG, WORSE), {"granularity": "single", "max_calls": 1}),
    ("inside a repair", single(WRONG, WRONG), {"granularity": "single", "max_calls": 2}),
    ("behind a repair", single(WRONG, WORSE), {"granularity": "single", "max_calls": 2, "k": 3}),
    ("inside a whole round", single(WRONG, WRONG), {"granularity": "single", "max_calls": 2, "repair": "whole"}),
    ("before a whole round", single(WRONG, WORSE), {"granularity": "single", "max_calls": 1, "repair": "whole"}),
    ("behind a whole round", single(WRONG, WORSE), {"granularity": "single", "max_calls": 2, "k": 3,
                                                    "repair": "whole"}),
]  # fmt: skip


@pytest.mark.parametrize(("where", "script", "config"), BUDGETS, ids=[row[0] for row in BUDGETS])
def test_a_spent_call_budget_ends_the_run_with_its_program(
    solve: Solve, where: str, script: Script, config: dict[str, Any]
) -> None:
    run = solved(solve, script, **config)
    assert run.record.reason == CALLS_SPENT, where
    assert len(run.calls) == config["max_calls"]
    if where in ("construction", "a leaf", "the root", "the boundary checks", "a refused program", "all tries"):
        assert "no usable program" in run.record.assembly.program
    if where == "inside a repair":
        [transaction] = run.record.transactions
        assert (transaction.decision, transaction.reason) == ("rolled-back", CALLS_SPENT)


def test_a_spent_token_budget_ends_the_run_and_the_call_in_flight_completes(solve: Solve) -> None:
    run = solved(solve, single(WRONG, WORSE), granularity="single", k=9, max_tokens=1)
    assert run.record.reason == TOKENS_SPENT
    assert len(run.calls) == 1
    assert run.candidate.number == 0


def test_a_budget_that_is_used_up_by_the_last_call_does_not_change_the_reason(solve: Solve) -> None:
    run = solved(solve, single(WRONG, WORSE), granularity="single", max_calls=2)
    assert run.record.reason == "the repair budget is used up"
    done = solved(solve, single(WRONG, RIGHT), granularity="single", max_calls=2, k=5)
    assert done.record.reason == "every check passes"


def sealed(facts: Facts) -> Ledger:
    return MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger


def facts_of(solve: Solve, script: Script, **config: Any) -> Facts:
    journal = MemoryJournal()
    solve(TOTAL, script, journal=journal, granularity="single", **config)
    return [json.loads(entry.raw)["event"] for entry in journal.ledger.entries]


def last(facts: Facts, kind: str) -> dict[str, Any]:
    return [fact for fact in facts if fact["kind"] == kind][-1]


def change(kind: str, **fields: Any) -> Callable[[Facts], object]:
    return lambda facts: last(facts, kind).update(fields)


def drop(kind: str) -> Callable[[Facts], object]:
    return lambda facts: facts.remove(last(facts, kind))


def one_more_round(facts: Facts) -> None:
    facts.insert(len(facts) - 1, {"kind": "round.started", "index": 2, "how": "feedback", "candidate": 0})


FORGED = [
    ("V2", "another number", change("round.started", index=5)),
    ("V2", "code without a round", lambda facts: [drop("round.started")(facts), drop("round.started")(facts)]),
    ("V4", "another reason of the attempt", change("attempt.started", reason="asked for")),
    ("V4", "another reason of the plan", change("plan.accepted", fallback="")),
    ("V15", "a worse program takes over", change("candidate.ranked", active=True)),
    ("V19", "a retry that shows nothing", change("round.started", how="retry")),
    ("V19", "a round beyond K", one_more_round),
    ("V19", "evidence that was not collected", drop("calls.recorded")),
    ("V20", "a budget that there was not", change("run.finished", reason=CALLS_SPENT)),
]


@pytest.mark.parametrize(("check", "what", "forge"), FORGED, ids=[row[1] for row in FORGED])
def test_a_forged_whole_repair_is_found(solve: Solve, check: str, what: str, forge: Callable[[Facts], object]) -> None:
    facts = facts_of(solve, single(CRASH, WORSE), repair="whole", k=2)
    forge(facts)
    found = {str(difference.check) for difference in verify_ledger(sealed(facts)).differences}
    assert check in found, (what, found)


def test_a_repair_transaction_in_a_run_without_binding_is_found(solve: Solve) -> None:
    facts = facts_of(solve, single(WRONG, WORSE), max_calls=9)
    facts[0]["config"]["repair"] = "whole"
    differences = verify_ledger(sealed(facts)).differences
    assert any("no transaction" in difference.what for difference in differences)


def test_a_run_that_stops_early_for_a_budget_that_is_left_is_found(solve: Solve) -> None:
    facts = facts_of(solve, single(WRONG, WRONG), max_calls=2)
    facts[0]["config"]["max_calls"] = 3
    found = {str(difference.check) for difference in verify_ledger(sealed(facts)).differences}
    assert {"V16", "V19", "V20"} & found
    assert "V16" in found


def test_a_failed_call_that_was_made_again_counts_once(solve: Solve) -> None:
    journal = MemoryJournal()
    solve(TOTAL, single(WRONG, WRONG), journal=journal, granularity="single", max_calls=2)
    events = list(journal.events)
    at = next(number for number, event in enumerate(events) if isinstance(event, ModelCalled))
    failed = events[at].model_copy(update={"response": "", "finish": "", "error": "backbone: gone",
                                           "prompt_tokens": 0, "completion_tokens": 0})  # fmt: skip
    events[at:at] = [failed, RunResumed(failed=at)]
    found = verify_ledger(MemoryJournal(events).ledger)
    assert [str(difference) for difference in found.differences] == []
