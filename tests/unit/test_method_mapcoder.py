"""MapCoder: calls of the formula, plans by confidence, what each agent is shown, switches, unusable answers."""

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
from auditcoder.records.events import CodeWritten, MethodNoted, ModelCalled, RoundStarted
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Parameter,
    ProgramInput,
    Task,
)

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
ECHO = Task(
    id="echo",
    statement="Print the number that is read, doubled.",
    entry=EntryPoint(kind="program", name=""),
    examples=(Check(id="E1", input=ProgramInput(stdin="4\n"), expected=Expected(stdout="8\n")),),
)


def fenced(body: str) -> str:
    return f"```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG, CRASH = (
    fenced("return sum(i for i in items if i > 0)"),
    fenced("return sum(items)"),
    fenced("return 1 / 0"),
)


class Script:
    """Answers by agent, from queues; the last answer of a queue stays."""

    def __init__(
        self, codes: Sequence[str] = (RIGHT,), debugs: Sequence[str] = (WRONG,), confidence: Sequence[int] = (50,),
        *, k: int = 3, recall: Sequence[str] = (), plan: str = "", judge: str = "",
    ) -> None:  # fmt: skip
        exemplars = [{"description": f"related {n}", "code": "secret = 1", "plan": f"old plan {n}"} for n in range(k)]
        recalled = json.dumps({"exemplars": exemplars, "algorithm_note": "scan once"})
        judged = [judge or json.dumps({"explanation": "so", "confidence": number}) for number in confidence]
        debugged = [f"### revised_plan\nrevised {n}\n### code\n{code}" for n, code in enumerate(debugs)]
        self.queues = {
            "recall": list(recall) or [recalled], "plan": [plan] if plan else [], "judge": judged,
            "code": list(codes), "debug": debugged,
        }  # fmt: skip
        self.asked: list[str] = []

    def agent(self, role: str, prompt: str) -> str:
        if role == "planner":
            return "recall" if "Recall problems" in prompt else "plan"
        return {"reviewer": "judge", "generator": "code", "regenerator": "debug"}[role]

    def __call__(self, role: str, prompt: str) -> str:
        name = self.agent(role, prompt)
        self.asked.append(name)
        queue = self.queues[name]
        if name == "plan" and not queue:
            return json.dumps({"plan": f"plan number {self.asked.count('plan')}"})
        return queue.pop(0) if len(queue) > 1 else queue[0]

    def prompts(self, run: Any, name: str) -> list[str]:
        return [prompt for asked, (_, prompt) in zip(self.asked, run.calls, strict=True) if asked == name]


def hows(run: Any) -> list[str]:
    return [event.how for event in run.events if isinstance(event, RoundStarted)]


def notes(run: Any, what: str) -> list[MethodNoted]:
    return [event for event in run.events if isinstance(event, MethodNoted) and event.what == what]


def retries_between(run: Any) -> list[int]:
    """Return how many debugs stand before, between and behind the plan switches."""
    return [len(part) for part in "".join("d" if how == "feedback" else "|" for how in hows(run)).split("|")]


WHOLE, USED_UP, LIMIT = "every check passes", "the repair budget is used up", "the method's own limit is reached"
CASES: list[tuple[dict[str, Any], dict[str, Any], int, list[int], str]] = [
    ({}, {"k": 30}, 8, [0], WHOLE),
    ({"k": 5}, {"k": 30, "options": (("k", 5),)}, 12, [0], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30}, 25, [5, 5, 5], LIMIT),
    ({"codes": (WRONG,), "k": 5}, {"k": 30, "options": (("k", 5), ("t", 3))}, 31, [3] * 5, LIMIT),
    ({"codes": (WRONG,)}, {"k": 30, "options": (("t", 0),)}, 10, [0, 0, 0], LIMIT),
    ({"codes": (WRONG,), "debugs": (RIGHT,)}, {"k": 1}, 9, [1], WHOLE),
    ({"codes": (WRONG,)}, {"k": 1}, 9, [1], USED_UP),
    ({"codes": (WRONG,)}, {"k": 1, "options": (("t", 0),)}, 8, [0], LIMIT),
    ({"codes": (WRONG,)}, {"k": 0}, 8, [0], USED_UP),
    ({"codes": (WRONG,)}, {"k": 7}, 8 + 7, [5, 1], USED_UP),
    ({"codes": (WRONG, RIGHT)}, {"k": 30}, 8 + 5 + 1, [5, 0], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 11}, 11, [3], "the call budget is used up"),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 5}, 5, [0], "the call budget is used up"),
    ({"codes": (WRONG,)}, {"adaptive": True}, 8 + 4, [4], USED_UP),
    ({"codes": (CRASH,), "debugs": (CRASH, WRONG)}, {"adaptive": True}, 8 + 6, [5, 0], USED_UP),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": (("adaptive_scope", "per_plan"),)}, 22, [4, 4, 4], USED_UP),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": (("t", 2),)}, 8 + 4, [2, 1], USED_UP),
    ({"codes": (WRONG,), "k": 1}, {"adaptive": True, "options": (("k", 1), ("t", 1))}, 4 + 4, [4], USED_UP),
]


@pytest.mark.parametrize(("answers", "config", "calls", "debugs", "reason"), CASES)
def test_calls_are_those_of_the_formula_and_the_run_verifies(
    solve: Solve, answers: dict[str, Any], config: dict[str, Any], calls: int, debugs: list[int], reason: str
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(**answers), method="mapcoder", journal=journal, **config)
    assert len(run.calls) == calls
    assert retries_between(run) == debugs
    assert run.record.reason == reason
    ledger = journal.ledger
    outputs = expected_outputs(fold_ledger(ledger))
    assert [str(difference) for difference in verify_chain(Chain(ledger, None), outputs=outputs).differences] == []
    assert [str(difference) for difference in replay_run(ledger).differences] == []


def test_without_examples_the_first_program_is_final(solve: Solve) -> None:
    run = solve(TOTAL.model_copy(update={"examples": ()}), Script((WRONG,)), method="mapcoder", k=30)
    assert len(run.calls) == 8
    assert run.record.reason == "there is no check to fail"


def test_plans_are_tried_by_confidence_and_ties_by_generation(solve: Solve) -> None:
    script = Script((WRONG,), confidence=(40, 90, 90))
    run = solve(TOTAL, script, method="mapcoder", k=30, options=(("t", 0),))
    order = [prompt[prompt.index("plan number") :][:13] for prompt in script.prompts(run, "code")]
    assert order == ["plan number 2", "plan number 3", "plan number 1"]
    assert [(note.item, note.score) for note in notes(run, "plan-confidence")] == [
        ("plan 1", 40.0), ("plan 2", 90.0), ("plan 3", 90.0),
    ]  # fmt: skip


def test_the_latest_program_is_returned_when_no_plan_succeeds(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG, WRONG, CRASH)), method="mapcoder", k=30, options=(("t", 0),))
    assert "1 / 0" in run.candidate.state.assembly.program


def test_each_agent_is_shown_its_inputs_and_no_more(solve: Solve) -> None:
    script = Script((WRONG,))
    run = solve(TOTAL, script, method="mapcoder", k=2)
    planner = script.prompts(run, "plan")[1]
    assert "related 1" in planner
    assert "old plan 1" in planner
    assert "scan once" in planner
    assert "secret" not in planner
    assert "scan once" in script.prompts(run, "code")[0]
    assert "scan once" not in script.prompts(run, "judge")[0]
    first, second = script.prompts(run, "debug")
    assert "plan number 1" in first
    assert "return sum(items)" in first
    assert "Expected: 1" in first
    assert "Observed: -1" in first
    assert "revised 0" in second  # its own whole previous reply, in place of the plan and the code
    assert "plan number 1" not in second
    assert [c.agent for c in run.events if isinstance(c, ModelCalled)] == [
        "retrieval", "planner", "judge", "planner", "judge", "planner", "judge", "coder", "debugger", "debugger",
    ]  # fmt: skip


def test_a_new_plan_knows_nothing_of_the_old_one(solve: Solve) -> None:
    script = Script((WRONG, CRASH))
    run = solve(TOTAL, script, method="mapcoder", k=30, options=(("t", 1),))
    assert all("Observed" not in prompt and "revised" not in prompt for prompt in script.prompts(run, "code"))
    second = script.prompts(run, "debug")[1]
    assert "plan number 2" in second
    assert "1 / 0" in second
    assert "return sum(items)" not in second


@pytest.mark.parametrize(("codes", "calls", "free"), [((WRONG,), 11, 2), ((WRONG, RIGHT), 10, 1), ((RIGHT,), 8, 0)])
def test_lenient_single_intervention_codes_the_other_plans_without_debugging(
    solve: Solve, codes: tuple[str, ...], calls: int, free: int
) -> None:
    run = solve(TOTAL, Script(codes), method="mapcoder", k=1, options=(("plan_fallback", "free"),))
    assert len(run.calls) == calls
    assert len(notes(run, "plan-free")) == free
    assert hows(run) == ["feedback"] * min(free, 1)


def test_the_lenient_reading_is_of_the_single_intervention_alone(solve: Solve) -> None:
    free = solve(TOTAL, Script((WRONG,)), method="mapcoder", k=3, options=(("plan_fallback", "free"),))
    assert free.calls == solve(TOTAL, Script((WRONG,)), method="mapcoder", k=3).calls
    assert notes(free, "plan-free") == []


def test_recalled_problems_that_cannot_be_read_are_asked_for_once_more(solve: Solve) -> None:
    good = Script().queues["recall"][0]
    script = Script(recall=("<xml>", good))
    run = solve(TOTAL, script, method="mapcoder")
    assert len(run.calls) == 9
    assert [note.item for note in notes(run, "parse-retry")] == ["exemplars of the task"]
    assert notes(run, "unusable") == []


def test_without_exemplars_there_is_one_plan_from_the_statement(solve: Solve) -> None:
    script = Script((WRONG,), recall=("<xml>",))
    run = solve(TOTAL, script, method="mapcoder", k=30, options=(("t", 1),))
    assert script.asked == ["recall", "recall", "plan", "judge", "code", "debug"]
    assert [note.item for note in notes(run, "unusable")] == ["exemplars of the task"]
    assert [note.item for note in notes(run, "plan-without-exemplar")] == ["plan 1"]


def test_without_any_plan_the_program_is_written_all_the_same(solve: Solve) -> None:
    run = solve(TOTAL, Script(plan="no form"), method="mapcoder")
    assert len(run.calls) == 2 * 3 + 2
    assert [note.item for note in notes(run, "unusable")] == [f"plan of plan {n}" for n in (1, 2, 3)]
    assert run.candidate.rank.full_pass


@pytest.mark.parametrize("judge", ["no form", '{"explanation": "so", "confidence": 101}'])
def test_a_judge_without_a_usable_score_drops_no_plan(solve: Solve, judge: str) -> None:
    run = solve(TOTAL, Script(judge=judge), method="mapcoder")
    assert len(run.calls) == 8
    assert [(note.score, note.kept) for note in notes(run, "plan-confidence")] == [(None, True)] * 3


def test_a_plan_without_a_score_is_tried_last(solve: Solve) -> None:
    script = Script((WRONG,), confidence=(0, 0, 0))
    script.queues["judge"][0] = "no form"
    run = solve(TOTAL, script, method="mapcoder", k=30, options=(("t", 0),))
    order = [prompt[prompt.index("plan number") :][:13] for prompt in script.prompts(run, "code")]
    assert order == ["plan number 2", "plan number 3", "plan number 1"]


def test_a_refused_debug_costs_its_round_and_keeps_the_attempt(solve: Solve) -> None:
    script = Script((WRONG,), debugs=("no code", "no code", WRONG))
    run = solve(TOTAL, script, method="mapcoder", k=2)
    assert script.asked.count("debug") == 3
    assert "plan number 1" in script.prompts(run, "debug")[2]
    assert len(hows(run)) == 2


def test_a_plan_without_a_program_is_given_up(solve: Solve) -> None:
    script = Script((WRONG, "no code", "no code", RIGHT))
    run = solve(TOTAL, script, method="mapcoder", k=30, options=(("t", 0),))
    assert [note.item for note in notes(run, "plan-without-program")] == ["plan 2"]
    assert hows(run) == ["retry", "retry"]
    assert run.candidate.rank.full_pass


def test_the_native_report_of_a_function_has_no_observed_value(solve: Solve) -> None:
    script = Script((WRONG,))
    prompt = script.prompts(solve(TOTAL, script, method="mapcoder", options=(("native_report", True),)), "debug")[0]
    assert "Passed:\nassert total([1, 2]) == 3" in prompt
    assert "Failed:\nassert total([1, -2]) == 1\nassert total([-4]) == 0" in prompt
    assert "Observed" not in prompt


def test_the_native_report_of_a_program_shows_what_was_printed(solve: Solve) -> None:
    script = Script(("```python\nprint(int(input()) + 1)\n```",))
    prompt = script.prompts(solve(ECHO, script, method="mapcoder", options=(("native_report", True),)), "debug")[0]
    assert "Observed: 5" in prompt
    assert "Failing check" not in prompt


def test_code_is_written_as_generated_or_as_regenerated(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,)), method="mapcoder", k=30, options=(("t", 1), ("k", 3)))
    ways = [event.how for event in run.events if isinstance(event, CodeWritten)]
    assert ways == ["generated", "regenerated"] * 3
