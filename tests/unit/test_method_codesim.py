"""CodeSim: calls of the formula, verdicts on plans, fresh draws of later attempts, diagnoses, switches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.ledger.chain import Chain
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import MethodNoted, ModelCalled, RoundStarted
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [-4], 0)),
)


def fenced(body: str) -> str:
    return f"```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG, CRASH = (
    fenced("return sum(i for i in items if i > 0)"),
    fenced("return sum(items)"),
    fenced("return 1 / 0"),
)
AGENTS = {"planner": "plan", "reviewer": "simulate", "replanner": "revise", "generator": "code", "regenerator": "debug"}


class Script:
    """Answers by agent, from queues; the last answer of a queue stays."""

    def __init__(
        self, codes: Sequence[str] = (RIGHT,), debugs: Sequence[str] = (WRONG,), verdicts: Sequence[str] = ("keep",),
        *, diagnosis: str = "translation_wrong", plan: str = "", simulation: str = "", revision: str = "",
    ) -> None:  # fmt: skip
        told = f"### simulation\ntraced\n### diagnosis\n{diagnosis}\n### notes\nchanged\n### code\n"
        judged = [simulation or json.dumps({"walkthrough": f"walk {word}", "verdict": word}) for word in verdicts]
        self.queues = {
            "plan": [plan] if plan else [], "simulate": judged, "revise": [revision] if revision else [],
            "code": list(codes), "debug": [told + code for code in debugs],
        }  # fmt: skip
        self.asked: list[str] = []

    def __call__(self, role: str, prompt: str) -> str:
        name = AGENTS[role]
        self.asked.append(name)
        queue, number = self.queues[name], self.asked.count(name)
        if name == "plan" and not queue:
            parts = {"understanding": "sums", "exemplar": "related", "algorithm_note": "scan"}
            return json.dumps({**parts, "plan": f"plan number {number}"})
        if name == "revise" and not queue:
            return json.dumps({"corrected_plan": f"better plan {number}"})
        return queue.pop(0) if len(queue) > 1 else queue[0]

    def prompts(self, run: Any, name: str) -> list[str]:
        return [prompt for asked, (_, prompt) in zip(self.asked, run.calls, strict=True) if asked == name]


def hows(run: Any) -> list[str]:
    return [event.how for event in run.events if isinstance(event, RoundStarted)]


def retries_between(run: Any) -> list[int]:
    """Return how many debugs stand before, between and behind the new plans."""
    return [len(part) for part in "".join("d" if how == "feedback" else "|" for how in hows(run)).split("|")]


def notes(run: Any, what: str) -> list[MethodNoted]:
    return [event for event in run.events if isinstance(event, MethodNoted) and event.what == what]


def temperatures(run: Any) -> list[float]:
    requests = [json.loads(event.request) for event in run.events if isinstance(event, ModelCalled)]
    return [float(request["config"]["temperature"]) for request in requests]


REVISE = {"codes": (WRONG,), "verdicts": ("revise",)}
WHOLE, USED_UP, LIMIT = "every check passes", "the repair budget is used up", "the method's own limit is reached"
PER_PLAN = (("adaptive_scope", "per_plan"),)
CASES: list[tuple[dict[str, Any], dict[str, Any], int, list[int], str]] = [
    ({}, {"k": 30}, 3, [0], WHOLE),
    ({"verdicts": ("revise",)}, {"k": 30}, 4, [0], WHOLE),
    (REVISE, {"k": 30}, 45, [5] * 5, LIMIT),
    (REVISE, {"k": 30, "options": (("d", 3), ("p", 3))}, 21, [3] * 3, LIMIT),
    ({"codes": (WRONG,), "debugs": (RIGHT,)}, {"k": 1}, 4, [1], WHOLE),
    (REVISE, {"k": 1}, 5, [1], USED_UP),
    (REVISE, {"k": 1, "options": (("d", 0),)}, 4, [0], LIMIT),
    (REVISE, {"k": 0}, 4, [0], USED_UP),
    ({"codes": (WRONG,)}, {"k": 6}, 3 + 5 + 3, [5, 0], USED_UP),
    ({"codes": (WRONG, RIGHT)}, {"k": 30}, 3 + 5 + 3, [5, 0], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 10}, 10, [5, 0], "the call budget is used up"),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 2}, 2, [0], "the call budget is used up"),
    ({"codes": (WRONG,)}, {"adaptive": True}, 3 + 4, [4], USED_UP),
    ({"codes": (CRASH,), "debugs": (CRASH, WRONG)}, {"adaptive": True}, 3 + 5 + 3, [5, 0], USED_UP),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": (("d", 1), ("p", 1))}, 3 + 1 + 3 + 1 + 3, [1, 1, 0], USED_UP),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": PER_PLAN}, 35, [4] * 5, USED_UP),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": (*PER_PLAN, ("p", 30))}, 7 * 3 + 24, [4] * 6 + [0], USED_UP),
]


@pytest.mark.parametrize(("answers", "config", "calls", "debugs", "reason"), CASES)
def test_calls_are_those_of_the_formula_and_the_run_verifies(
    solve: Solve, answers: dict[str, Any], config: dict[str, Any], calls: int, debugs: list[int], reason: str
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(**answers), method="codesim", journal=journal, **config)
    assert len(run.calls) == calls
    assert retries_between(run) == debugs
    assert run.record.reason == reason
    ledger = journal.ledger
    outputs = expected_outputs(fold_ledger(ledger))
    assert [str(difference) for difference in verify_chain(Chain(ledger, None), outputs=outputs).differences] == []
    assert [str(difference) for difference in replay_run(ledger).differences] == []


def test_without_examples_the_first_program_is_final(solve: Solve) -> None:
    run = solve(TOTAL.model_copy(update={"examples": ()}), Script((WRONG,)), method="codesim", k=30)
    assert len(run.calls) == 3
    assert run.record.reason == "there is no check to fail"


def test_a_plan_is_revised_once_with_the_walkthrough_and_not_simulated_again(solve: Solve) -> None:
    script = Script((WRONG,), verdicts=("revise",))
    run = solve(TOTAL, script, method="codesim")
    assert script.asked == ["plan", "simulate", "revise", "code", "debug"]
    assert "walk revise" in script.prompts(run, "revise")[0]
    code, debug = script.prompts(run, "code")[0], script.prompts(run, "debug")[0]
    assert "better plan 1" in code
    assert "plan number 1" not in code
    assert "better plan 1" in debug
    assert "Observed: -1" in debug
    assert "return sum(items)" in debug
    assert [(note.item, note.kept) for note in notes(run, "plan-verdict")] == [("plan 1", False)]


def test_only_the_plan_is_passed_on(solve: Solve) -> None:
    script = Script()
    run = solve(TOTAL, script, method="codesim")
    assert all("related" not in prompt for name in ("simulate", "code") for prompt in script.prompts(run, name))


@pytest.mark.parametrize(
    "simulation", ["no form", '{"walkthrough": "keep or revise"}', '{"walkthrough": "", "verdict": ""}']
)
def test_a_missing_verdict_keeps_the_plan_and_is_noted(solve: Solve, simulation: str) -> None:
    script = Script(simulation=simulation)
    run = solve(TOTAL, script, method="codesim")
    assert script.asked == ["plan", "simulate", "code"]
    (note,) = notes(run, "plan-verdict")
    assert note.kept
    assert note.detail.startswith("no verdict")


@pytest.mark.parametrize(("literal", "later"), [(False, 0.7), (True, 0.0)])
def test_calls_of_later_attempts_are_fresh_draws(solve: Solve, literal: bool, later: float) -> None:
    options = (("d", 1), ("literal_decoding", literal), ("p", 2))
    run = solve(TOTAL, Script((WRONG,)), method="codesim", k=30, options=options)
    assert temperatures(run) == [0.0] * 4 + [later] * 4


def test_a_new_plan_attempt_knows_nothing_of_the_old_one(solve: Solve) -> None:
    script = Script((WRONG, CRASH))
    run = solve(TOTAL, script, method="codesim", k=30, options=(("d", 1), ("p", 2)))
    assert len(set(script.prompts(run, "plan"))) == 1
    last = script.prompts(run, "debug")[1]
    assert "plan number 2" in last
    assert "1 / 0" in last
    assert "return sum(items)" not in last


def test_the_plan_stays_when_it_is_blamed(solve: Solve) -> None:
    script = Script((WRONG,), diagnosis="plan_wrong")
    run = solve(TOTAL, script, method="codesim", k=2)
    assert script.asked == ["plan", "simulate", "code", "debug", "debug"]
    assert "plan number 1" in script.prompts(run, "debug")[1]
    assert [(note.kept, note.detail) for note in notes(run, "diagnosis")] == [(False, "plan_wrong")] * 2


@pytest.mark.parametrize(
    ("diagnosis", "asked"),
    [
        ("plan_wrong", ["debug", "revise", "debug", "revise", "debug"]),
        ("translation_wrong", ["debug"] * 3),
        ("?", ["debug"] * 3),
    ],
)
def test_the_variant_revises_a_plan_that_is_blamed(solve: Solve, diagnosis: str, asked: list[str]) -> None:
    script = Script((WRONG,), diagnosis=diagnosis)
    run = solve(TOTAL, script, method="codesim", k=3, options=(("replan_on_diagnosis", True),))
    assert script.asked[3:] == asked
    assert len(hows(run)) == 3
    if "revise" in asked:
        assert "traced\nchanged" in script.prompts(run, "revise")[0]
        assert "better plan 1" in script.prompts(run, "debug")[1]


def test_a_missing_diagnosis_is_noted(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,), diagnosis="plan_wrong or translation_wrong"), method="codesim")
    assert [(note.kept, note.detail) for note in notes(run, "diagnosis")] == [(None, "no diagnosis")]


def test_a_plan_that_cannot_be_read_is_asked_for_once_more_then_done_without(solve: Solve) -> None:
    script = Script(plan="no form")
    run = solve(TOTAL, script, method="codesim")
    assert script.asked == ["plan", "plan", "code"]
    assert temperatures(run) == [0.0, 0.7, 0.0]
    assert len(notes(run, "parse-retry")) == len(notes(run, "unusable")) == 1
    assert run.candidate.rank.full_pass


def test_a_revision_that_cannot_be_read_leaves_the_plan(solve: Solve) -> None:
    script = Script(verdicts=("revise",), revision="no form")
    run = solve(TOTAL, script, method="codesim")
    assert script.asked == ["plan", "simulate", "revise", "revise", "code"]
    assert "plan number 1" in script.prompts(run, "code")[0]


def test_refused_code_costs_its_round(solve: Solve) -> None:
    script = Script((WRONG, "no code", "no code", RIGHT), debugs=("no code",))
    run = solve(TOTAL, script, method="codesim", k=30, options=(("d", 1), ("p", 3)))
    assert hows(run) == ["feedback", "retry", "retry"]
    assert [note.item for note in notes(run, "plan-without-program")] == ["plan 2"]
    assert run.candidate.rank.full_pass


def test_the_native_report_holds_the_failing_assertions_alone(solve: Solve) -> None:
    script = Script((WRONG,))
    prompt = script.prompts(solve(TOTAL, script, method="codesim", options=(("native_report", True),)), "debug")[0]
    assert "Failed:\nassert total([1, -2]) == 1\nassert total([-4]) == 0" in prompt
    assert "Passed" not in prompt
    assert "Observed" not in prompt
