"""PyCapsule and fresh start: calls at least, at most and under each protocol; what goes back, and what never does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.verify import verify_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.baselines.error_handler import RECURSION, structured_feedback
from auditcoder.programs.baselines.fixing import same_code
from auditcoder.records.events import EVENT, CodeWritten, MethodNoted, ModelCalled, RoundStarted
from auditcoder.records.execution import CheckResult, Frame
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


EXAMPLES = (example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [-4], 0))
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=EXAMPLES,
)


def program(body: str) -> str:
    return f"### reasoning\nAs asked.\n### requirements\nnone\n### code\n```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG = program("return sum(i for i in items if i > 0)"), program("return sum(items)")
CRASH = program("return items[9]")
HALF = program("return sum(i for i in items if i != -2)")


def answers(*texts: str) -> Callable[[str, str], str]:
    """Return a script that gives these answers in order, and the last one from then on."""
    left = list(texts)
    return lambda role, prompt: left.pop(0) if len(left) > 1 else left[0]


def rounds(run: Any) -> Counter[str]:
    return Counter(event.how for event in run.events if isinstance(event, RoundStarted))


LOOPS = ("pycapsule", "fresh-start")


@pytest.mark.parametrize("method", LOOPS)
@pytest.mark.parametrize(
    ("script", "config", "calls"),
    [
        ((RIGHT,), {"k": 30}, 1),
        ((WRONG, RIGHT), {"k": 30}, 2),
        ((WRONG,), {"k": 30}, 6),
        ((WRONG,), {"k": 1}, 2),
        ((WRONG,), {"k": 0}, 1),
        ((WRONG,), {"adaptive": True}, 5),
        ((CRASH, WRONG, WRONG), {"adaptive": True}, 6),
        ((WRONG,), {"k": 30, "max_calls": 4}, 4),
        ((WRONG,), {"k": 30, "max_tokens": 1}, 1),
    ],
)
def test_calls_are_those_of_the_formula(
    solve: Solve, method: str, script: tuple[str, ...], config: dict[str, Any], calls: int
) -> None:
    run = solve(TOTAL, answers(*script), method=method, **config)
    assert len(run.calls) == calls
    assert sum(rounds(run).values()) == calls - 1
    assert set(rounds(run)) <= {"feedback" if method == "pycapsule" else "retry"}


@pytest.mark.parametrize("method", LOOPS)
def test_without_checks_nothing_is_reacted_to(solve: Solve, method: str) -> None:
    run = solve(TOTAL.model_copy(update={"examples": ()}), answers(WRONG), method=method, k=30)
    assert len(run.calls) == 1
    assert run.record.reason == "there is no check to fail"


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"k": 30}, "the method's own limit is reached"),
        ({"k": 2}, "the repair budget is used up"),
        ({"k": 30, "max_calls": 2}, "the call budget is used up"),
        ({"k": 30, "max_tokens": 1}, "the token budget is used up"),
        ({"adaptive": True}, "the repair budget is used up"),
    ],
)
def test_the_record_says_why_a_run_ended(solve: Solve, config: dict[str, Any], reason: str) -> None:
    assert solve(TOTAL, answers(WRONG), method="pycapsule", **config).record.reason == reason


def test_a_fix_sees_the_history_and_the_latest_program_is_kept(solve: Solve) -> None:
    run = solve(TOTAL, answers(WRONG, CRASH), method="pycapsule", k=2)
    last = run.calls[-1][1]
    assert "Program 1:\ndef total(items):\n    return sum(items)" in last
    assert "Program 2:\ndef total(items):\n    return items[9]" in last
    assert "IndexError" in last
    assert "0 of 3 checks pass, 3 fail." in last
    assert "items[9]" in run.candidate.state.assembly.program
    assert [e.how for e in run.events if isinstance(e, CodeWritten)] == ["generated", "regenerated", "regenerated"]
    assert [role for role, _ in run.calls] == ["generator", "regenerator", "regenerator"]


def test_the_same_program_again_is_noted(solve: Solve) -> None:
    again = WRONG.replace("return sum(items)", "return sum(items)  # sure")
    run = solve(TOTAL, answers(WRONG, again, CRASH), method="pycapsule", k=2)
    noted = [(e.kept, e.detail) for e in run.events if isinstance(e, MethodNoted)]
    assert noted == [
        (False, "identical, passed checks +0, lines alike 0.50, wrong-answer -> wrong-answer"),
        (True, "changed, passed checks -1, lines alike 0.50, wrong-answer -> runtime-error"),
    ]


def test_packages_that_are_not_allowed_are_noted_for_every_reply(solve: Solve) -> None:
    asking = [
        WRONG.replace("none", wanted) for wanted in ("numpy, torch", "- scikit-learn>=1.2\n- pandas", "No extras")
    ]
    run = solve(TOTAL, answers(*asking, RIGHT), method="pycapsule", k=3)
    ignored = [e.item for e in run.events if isinstance(e, MethodNoted) and e.what == "packages-ignored"]
    assert ignored == ["torch", "scikit-learn"]
    assert len(run.calls) == 4


def test_draws_see_no_failure_and_have_seeds_of_their_own(solve: Solve) -> None:
    run = solve(TOTAL, answers(WRONG), method="fresh-start", k=30)
    assert len({prompt for _, prompt in run.calls}) == 1
    drawn = [dict(e.sampling) for e in run.events if isinstance(e, ModelCalled)]
    assert "0.8" not in drawn[0].get("temperature", "")
    assert {each["temperature"] for each in drawn[1:]} == {"0.8"}
    assert len({each.get("seed") for each in drawn[1:]}) == 5


def test_the_first_of_the_best_draws_is_kept(solve: Solve) -> None:
    other = program("return sum(items) + 0")
    run = solve(TOTAL, answers(CRASH, WRONG, other, CRASH), method="fresh-start", k=30)
    assert run.candidate.number == 1
    assert run.record.candidate == 1


def test_variant_a_makes_every_draw(solve: Solve) -> None:
    run = solve(TOTAL, answers(RIGHT, WRONG), method="fresh-start", k=30, options=(("variant", "A"),))
    assert len(run.calls) == 6
    assert run.candidate.rank.full_pass


def test_a_single_intervention_is_variant_b(solve: Solve) -> None:
    run = solve(TOTAL, answers(RIGHT), method="fresh-start", k=1, options=(("variant", "A"),))
    assert len(run.calls) == 1


@pytest.mark.parametrize(("config", "calls"), [({"k": 30}, 10), ({"k": 7}, 8)])
def test_a_call_budget_takes_the_place_of_the_draws(solve: Solve, config: dict[str, int], calls: int) -> None:
    assert len(solve(TOTAL, answers(WRONG), method="fresh-start", max_calls=10, **config).calls) == calls


def test_a_passing_draw_of_the_hybrid_is_not_fixed(solve: Solve) -> None:
    options = (("restart_after", 2), ("variant", "A"), ("draws", 3))
    run = solve(TOTAL, answers(RIGHT), method="fresh-start", k=30, options=options)
    assert rounds(run) == {"retry": 2}


def test_the_hybrid_fixes_and_then_restarts(solve: Solve) -> None:
    run = solve(TOTAL, answers(WRONG), method="fresh-start", k=30, options=(("restart_after", 2),))
    assert [e.how for e in run.events if isinstance(e, RoundStarted)] == [
        "feedback", "feedback", "retry", "feedback", "feedback",
    ]  # fmt: skip


def test_a_fix_of_the_hybrid_reacts_to_the_draw_that_it_fixes(solve: Solve) -> None:
    journal = MemoryJournal()
    options = (("restart_after", 1),)
    run = solve(TOTAL, answers(HALF, HALF, WRONG, RIGHT), method="fresh-start", k=30, options=options, journal=journal)
    began = [(e.how, e.candidate) for e in run.events if isinstance(e, RoundStarted)]
    assert began == [("feedback", 0), ("retry", 0), ("feedback", 2)]
    assert verify_ledger(journal.ledger).differences == ()
    facts = [json.loads(entry.raw)["event"] for entry in journal.ledger.entries]
    [fact] = [fact for fact in facts if fact["kind"] == "round.started" and fact["index"] == 2]
    fact["candidate"] = 0
    forged = MemoryJournal([EVENT.validate_python(each) for each in facts]).ledger
    assert "V19" in {str(difference.check) for difference in verify_ledger(forged).differences}


def test_the_control_of_a_loop_draws_with_its_first_prompt(solve: Solve) -> None:
    loop = solve(TOTAL, answers(WRONG), method="pycapsule", k=0)
    control = solve(TOTAL, answers(WRONG), method="fresh-start", k=2, options=(("of", "pycapsule"),))
    assert {prompt for _, prompt in control.calls} == {loop.calls[0][1]}


def test_a_refused_fix_costs_its_round_and_keeps_the_program(solve: Solve) -> None:
    run = solve(TOTAL, answers(WRONG, "no code"), method="pycapsule", k=1)
    assert len(run.calls) == 3
    assert "sum(items)" in run.candidate.state.assembly.program


def result(outcome: Any, detail: str = "", message: str = "") -> CheckResult:
    return CheckResult(
        check="E1", outcome=outcome, detail=detail, message=message, observed=5, has_observed=True,
        frames=(Frame(line=2, function="total"),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("failed", "told"),
    [
        (result("wrong-answer"), "observed: 5"),
        (
            result("runtime-error", "NameError", "name 'x' is not defined"),
            "NameError: name 'x' is not defined\nUse only",
        ),
        (result("runtime-error", "RecursionError", "too deep"), RECURSION),
        (result("timeout", "cpu"), "The time limit is 2 s"),
        (result("memory"), "The memory limit is 512 MB"),
        (result("runtime-error", "ZeroDivisionError", "by zero"), "ZeroDivisionError: by zero\nin total line 2"),
    ],
)
def test_the_error_handler_condenses_each_kind_of_failure(failed: CheckResult, told: str) -> None:
    task = TOTAL
    native = structured_feedback(task, [(EXAMPLES[0], failed)], 3, native=True)
    assert native.startswith("2 of 3 checks pass, 1 fail.\n\n")
    assert told in native
    assert "total line 2" in structured_feedback(
        task, [(EXAMPLES[0], failed)], 3, native=True, recursion_trace=True
    ) or (failed.outcome != "runtime-error" or failed.detail == "NameError")
    shared = structured_feedback(task, [(EXAMPLES[0], failed)], 3)
    assert "Failing check E1" in shared


def test_equal_failures_are_told_once() -> None:
    failing = [(check, result("timeout", "cpu")) for check in EXAMPLES]
    assert structured_feedback(TOTAL, failing, 3, native=True).count("time limit") == 1


def test_programs_are_compared_without_comments_and_layout() -> None:
    assert same_code("x = 1  # one\n", "x=1")
    assert not same_code("x = 1", "x = 2")
    assert same_code("x = (", "x  = (")
