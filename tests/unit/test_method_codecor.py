"""CodeCoR: calls of the formula, pruning and its arms, the pool of checks, repair and its ends, unusable answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from auditcoder.eval.hidden import hidden_tests
from auditcoder.eval.suites.reference import resolve
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.method_result import method_result
from auditcoder.records.events import CodeWritten, ModelCalled
from auditcoder.records.task import Check, Expected, FunctionInput
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_eval_suites import CANARY
from tests.unit.test_eval_suites import data as packs  # noqa: F401
from tests.unit.test_method_agentcoder import TOTAL, assert_holds, check, frozen, hows, notes

Solve = Callable[..., Any]


def program(body: str) -> str:
    return f"```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG = program("return sum(i for i in items if i > 0)"), program("return sum(items)")
ZERO, CRASH = program("return 0"), program("return 1 / 0")
OTHERS = [program(f"return {number}") for number in range(100, 120)]
"""Programs that fail in another way each."""
CHECKS = json.dumps({"checks": [check("total([1, 2])", "3"), check("total([-1, 4])", "4")]})


def scores(*sums: int) -> str:
    """Return a judge's answer with so many yes an item."""
    names = ("clarity", "relevance", "conciseness", "context")
    return json.dumps({"scores": [{name: place < each for place, name in enumerate(names)} for each in sums]})


class Script:
    """Answers by agent, from queues; the last answer of a queue stays."""

    def __init__(
        self, codes: Sequence[str] = (RIGHT,), fixes: Sequence[str] = (WRONG,), *, briefs: Sequence[str] = (),
        brief_scores: Sequence[str] = (), checks: Sequence[str] = (CHECKS,), advice: Sequence[str] = (),
        advice_scores: Sequence[str] = (), n_p: int = 3, n_a: int = 2,
    ) -> None:  # fmt: skip
        self.queues = {
            "briefs": list(briefs) or [json.dumps({"briefs": [f"way {n}" for n in range(1, n_p + 1)]})],
            "judge-briefs": list(brief_scores) or [scores(*[4] * n_p)],
            "checks": list(checks),
            "code": list(codes),
            "advice": list(advice) or [json.dumps({"advice": [f"change {n}" for n in range(1, n_a + 1)]})],
            "judge-advice": list(advice_scores) or [scores(*[4] * n_a)],
            "fix": list(fixes),
        }
        self.asked: list[str] = []

    def agent(self, role: str, prompt: str) -> str:
        if role == "planner":
            return "briefs" if "Write task briefs" in prompt else "checks"
        if role == "reviewer":
            return "judge-briefs" if "### kind\nbrief" in prompt else "judge-advice"
        return {"generator": "code", "verifier": "advice", "regenerator": "fix"}[role]

    def __call__(self, role: str, prompt: str) -> str:
        name = self.agent(role, prompt)
        self.asked.append(name)
        queue = self.queues[name]
        return queue.pop(0) if len(queue) > 1 else queue[0]

    def prompts(self, run: Any, name: str) -> list[str]:
        return [prompt for asked, (_, prompt) in zip(self.asked, run.calls, strict=True) if asked == name]


WHOLE, USED_UP, LIMIT = "every check passes", "the repair budget is used up", "the method's own limit is reached"
SPENT, REPEATED = "the call budget is used up", "every program repeats its error"
THREE = (WRONG, ZERO, CRASH)
ONE = (scores(1, 4, 0),)
CASES: list[tuple[dict[str, Any], dict[str, Any], int, int, str]] = [
    ({"brief_scores": ONE}, {"k": 30}, 4, 0, WHOLE),
    ({}, {"k": 30}, 8, 0, WHOLE),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30}, 35, 3, LIMIT),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30, "options": (("r", 5),)}, 8 + 5 * 9, 5, LIMIT),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30, "options": (("r", 0),)}, 8, 0, LIMIT),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 2}, 8 + 2 * 9, 2, USED_UP),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 1}, 11, 1, USED_UP),
    ({"codes": THREE, "fixes": (RIGHT,)}, {"k": 1}, 11, 1, WHOLE),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 1, "options": (("k1", "set"),)}, 17, 1, USED_UP),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 0}, 8, 0, USED_UP),
    ({"codes": (WRONG,), "fixes": OTHERS, "brief_scores": ONE}, {"k": 30}, 4 + 9, 3, LIMIT),
    ({"codes": THREE, "fixes": (*OTHERS[:1], RIGHT)}, {"k": 30}, 8 + 6, 1, WHOLE),
    ({"codes": THREE, "fixes": THREE}, {"k": 30}, 8 + 9, 1, REPEATED),
    ({"codes": THREE, "fixes": (WRONG, *OTHERS)}, {"k": 30}, 8 + 9 + 6 + 6, 3, LIMIT),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30, "max_calls": 12}, 12, 2 - 1, SPENT),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30, "max_calls": 3}, 3, 0, SPENT),
    ({"codes": THREE, "fixes": OTHERS}, {"adaptive": True}, 8 + 4 * 9, 4, USED_UP),
    ({"codes": (CRASH,), "fixes": (ZERO, CRASH, ZERO)}, {"adaptive": True}, 8 + 9 + 6, 2, REPEATED),
    ({"codes": THREE, "fixes": OTHERS}, {"k": 30, "options": (("prune", "none"),)}, 1 + 6 + 3 * 3 * 2, 3, LIMIT),
    ({"n_p": 1, "n_a": 1}, {"options": (("n_a", 1), ("n_p", 1))}, 4, 0, WHOLE),
]


@pytest.mark.parametrize(("answers", "config", "calls", "rounds", "reason"), CASES)
def test_calls_are_those_of_the_formula_and_the_run_verifies(
    solve: Solve,
    executor: SandboxExecutor,
    answers: dict[str, Any],
    config: dict[str, Any],
    calls: int,
    rounds: int,
    reason: str,
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(**answers), method="codecor", journal=journal, **config)
    assert len(run.calls) == calls
    assert hows(run) == ["feedback"] * rounds
    assert run.record.reason == reason
    assert method_result(run.events).feedback_rounds == rounds
    assert_holds(journal, executor)


def test_the_pool_holds_the_examples_and_each_check_once(solve: Solve) -> None:
    third = json.dumps({"checks": [check("total([-1, 4])", "4"), check("nothing", "4"), check("total([7, -7])", "7")]})
    second = json.dumps({"checks": [check("total([])", "0")]})
    run = solve(TOTAL, Script(checks=(CHECKS, second, third)), method="codecor")
    [event] = frozen(run)
    assert [each.id for each in event.checks] == ["E1", "T1", "T2", "T3"]
    assert [source for _, source in event.derivations] == [
        "written by the model, brief 1: plain", "written by the model, brief 1: plain",
        "written by the model, brief 2: plain",
    ]  # fmt: skip
    assert [note.item for note in notes(run, "check-dropped")] == ["brief 3: plain"] * 3
    kinds = [each.kind for each in run.events]
    assert kinds.index("checks.frozen") < kinds.index("code.written")


def test_without_the_examples_the_pool_is_the_models_own(solve: Solve) -> None:
    run = solve(TOTAL, Script(), method="codecor", options=(("include_examples", False),))
    assert [each.id for each in frozen(run)[0].checks] == ["T1", "T2"]


def test_briefs_below_the_threshold_are_pruned_with_their_score_noted(solve: Solve) -> None:
    script = Script(brief_scores=(scores(3, 2, 4),))
    run = solve(TOTAL, script, method="codecor")
    assert [(note.item, note.score, note.kept, note.detail) for note in notes(run, "brief-score")] == [
        ("brief 1", 3.0, True, "way 1"), ("brief 2", 2.0, False, "way 2"), ("brief 3", 4.0, True, "way 3"),
    ]  # fmt: skip
    assert ["way 1" in prompt for prompt in script.prompts(run, "code")] == [True, False]
    assert all("way 2" not in prompt for name in ("checks", "code") for prompt in script.prompts(run, name))


@pytest.mark.parametrize(("sums", "kept"), [((1, 2, 2), ["brief 2"]), ((0, 0, 0), ["brief 1"])])
def test_where_no_brief_survives_the_best_one_does(solve: Solve, sums: tuple[int, ...], kept: list[str]) -> None:
    run = solve(TOTAL, Script(brief_scores=(scores(*sums),)), method="codecor")
    assert [note.item for note in notes(run, "brief-score") if note.kept] == kept
    assert len(run.calls) == 4


def test_the_random_arm_keeps_as_many_and_does_not_read_the_scores(solve: Solve) -> None:
    def kept(sums: tuple[int, ...], seed: int) -> list[str]:
        config = {"options": (("prune", "random"),), "seed": seed}
        run = solve(TOTAL, Script(brief_scores=(scores(*sums),)), method="codecor", **config)
        return [note.item for note in notes(run, "brief-score") if note.kept]

    assert all(kept((4, 0, 0), seed) == kept((0, 0, 4), seed) for seed in range(3))
    assert len({tuple(kept((4, 4, 0), seed)) for seed in range(12)}) > 1
    assert {len(kept((4, 4, 0), seed)) for seed in range(3)} == {2}


def test_the_random_arm_draws_the_advice_too(solve: Solve, executor: SandboxExecutor) -> None:
    drawn = set()
    for seed in range(6):
        script, journal = Script(THREE, OTHERS, advice_scores=(scores(0, 4),)), MemoryJournal()
        options = (("prune", "random"),)
        run = solve(TOTAL, script, method="codecor", k=1, journal=journal, options=options, seed=seed)
        drawn |= {note.item[-1] for note in notes(run, "advice-score") if note.kept}
        assert_holds(journal, executor)
    assert drawn == {"1", "2"}


def test_the_best_advice_is_applied_and_the_reviser_sees_no_report(solve: Solve) -> None:
    script = Script((WRONG,), OTHERS, brief_scores=ONE, advice_scores=(scores(2, 4),))
    run = solve(TOTAL, script, method="codecor", k=1)
    [adviser], [reviser] = script.prompts(run, "advice"), script.prompts(run, "fix")
    assert "Observed: 3" in adviser
    assert "return sum(items)" in adviser
    assert "change 2" in reviser
    assert "change 1" not in reviser
    assert "way 2" in reviser
    assert "Observed" not in reviser
    judge = script.prompts(run, "judge-advice")[0]
    assert "Item 1:\nchange 1\n\nItem 2:\nchange 2" in judge
    assert [event.agent for event in run.events if isinstance(event, ModelCalled)] == [
        "prompter", "judge", "tester", "coder", "adviser", "judge", "reviser",
    ]  # fmt: skip


def test_several_outputs_are_drawn_warm_and_the_rest_as_the_run_decodes(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,), OTHERS, brief_scores=ONE), method="codecor", k=1)
    drawn = [dict(event.sampling)["temperature"] for event in run.events if isinstance(event, ModelCalled)]
    assert drawn == ["0.8", "0.0", "0.0", "0.0", "0.8", "0.0", "0.0"]


def test_the_program_that_passes_most_checks_is_returned_and_the_earlier_on_ties(solve: Solve) -> None:
    run = solve(TOTAL, Script((CRASH, WRONG, WRONG + "\n"), (CRASH,)), method="codecor", k=1)
    assert run.candidate.number == 1
    assert [note.item for note in notes(run, "initial-best")] == ["candidate 1"]
    result = method_result(run.events)
    assert result.first_candidate is not None
    assert result.final is not None
    assert (result.first_candidate.candidate, result.final.candidate) == (0, 1)


def test_the_single_intervention_repairs_the_best_program(solve: Solve) -> None:
    script = Script((CRASH, WRONG, ZERO), OTHERS)
    run = solve(TOTAL, script, method="codecor", k=1)
    assert "return sum(items)" in script.prompts(run, "advice")[0]
    ways = [event.how for event in run.events if isinstance(event, CodeWritten)]
    assert ways == ["generated"] * 3 + ["regenerated"]


def test_a_repair_goes_on_from_its_newest_program(solve: Solve) -> None:
    script = Script((WRONG,), OTHERS, brief_scores=ONE)
    run = solve(TOTAL, script, method="codecor", k=2)
    assert "return 100" in script.prompts(run, "advice")[1]
    assert "return sum(items)" in run.candidate.state.assembly.program  # it passes more checks


def test_without_any_check_the_first_program_is_returned(solve: Solve, executor: SandboxExecutor) -> None:
    task, journal = TOTAL.model_copy(update={"examples": ()}), MemoryJournal()
    empty = json.dumps({"checks": []})
    run = solve(task, Script(THREE, checks=(empty,)), method="codecor", k=30, journal=journal)
    assert len(run.calls) == 8
    assert run.candidate.number == 0
    assert run.record.reason == "there is no check to fail"
    assert_holds(journal, executor)


def test_briefs_that_cannot_be_read_are_done_without(solve: Solve) -> None:
    script = Script(briefs=("no form",))
    run = solve(TOTAL, script, method="codecor")
    assert script.asked == ["briefs", "briefs", "checks", "code"]
    assert "### brief\nnone" in script.prompts(run, "code")[0]
    assert run.candidate.rank.full_pass


def test_a_blank_brief_is_no_brief(solve: Solve) -> None:
    blank = json.dumps({"briefs": ["way 1", "  ", "way 3"]})
    run = solve(TOTAL, Script(briefs=(blank, Script().queues["briefs"][0])), method="codecor")
    assert [note.what for note in notes(run, "parse-retry")] == ["parse-retry"]
    assert len(run.calls) == 9


@pytest.mark.parametrize("judge", ["no form", scores(4, 4)])
def test_a_judge_without_usable_scores_prunes_nothing(solve: Solve, judge: str) -> None:
    run = solve(TOTAL, Script(THREE, OTHERS, brief_scores=(judge,)), method="codecor", k=1)
    assert [(note.score, note.kept) for note in notes(run, "brief-score")] == [(None, True)] * 3
    assert len(run.calls) == 11


def test_without_a_judge_of_advice_the_first_piece_is_applied(solve: Solve) -> None:
    script = Script((WRONG,), (RIGHT,), advice_scores=("no form",))
    run = solve(TOTAL, script, method="codecor", k=1)
    assert "change 1" in script.prompts(run, "fix")[0]
    assert run.candidate.rank.full_pass


def test_advice_that_cannot_be_read_takes_the_program_out_of_work(solve: Solve, executor: SandboxExecutor) -> None:
    script, journal = Script((WRONG,), OTHERS, brief_scores=ONE, advice=("no form",)), MemoryJournal()
    run = solve(TOTAL, script, method="codecor", k=30, journal=journal)
    assert script.asked[4:] == ["advice", "advice"]
    assert run.record.reason == REPEATED
    assert [note.item for note in notes(run, "repeated-error")] == ["candidate 0"]
    assert_holds(journal, executor)


def test_checks_of_one_brief_that_cannot_be_read_leave_those_of_the_others(solve: Solve) -> None:
    run = solve(TOTAL, Script(checks=("no form", "no form", CHECKS)), method="codecor")
    assert [each.id for each in frozen(run)[0].checks] == ["E1", "T1", "T2"]
    assert [note.item for note in notes(run, "unusable")] == ["checks of brief 1"]


def test_a_brief_without_a_program_is_left_out(solve: Solve) -> None:
    run = solve(TOTAL, Script(("no code", "no code", WRONG)), method="codecor", k=0)
    assert run.candidate.number == 0
    assert [note.item for note in notes(run, "brief-without-program")] == ["brief 1"]


def test_without_any_program_the_last_resort_is_repaired(solve: Solve, executor: SandboxExecutor) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(("no code",), (RIGHT,)), method="codecor", k=1, journal=journal)
    assert len(run.calls) == 5 + 3 * 2 + 3
    assert run.candidate.rank.full_pass
    assert_holds(journal, executor)


def test_a_wrong_check_of_its_own_counts_like_any_other(solve: Solve) -> None:
    wrong = json.dumps({"checks": [check("total([1, 2])", "4")]})
    run = solve(TOTAL, Script(checks=(wrong,)), method="codecor", k=1)
    assert hows(run) == ["feedback"]
    assert not run.candidate.rank.full_pass


NAMED = TOTAL.model_copy(
    update={"examples": (Check(id="T1", input=FunctionInput(args=([9],)), expected=Expected(value=9, has_value=True)),)}
)


def test_ids_of_own_checks_keep_clear_of_the_examples(solve: Solve) -> None:
    run = solve(NAMED, Script(), method="codecor")
    assert [each.id for each in frozen(run)[0].checks] == ["T1", "T2", "T3"]


@pytest.mark.parametrize("reference", ["apps:11", "apps:12", "humaneval:0"])
def test_hidden_tests_reach_no_prompt_of_a_run_that_reacts(solve: Solve, packs: Path, reference: str) -> None:  # noqa: F811
    [task] = resolve(reference, packs)
    assert CANARY in repr(hidden_tests(task, packs).checks)
    signature = task.entry.signature.render().split(" ->")[0] if task.entry.signature else ""
    code = f"```python\ndef {signature}:\n    return 'no'\n```" if signature else "```python\nprint('no')\n```"
    journal = MemoryJournal()
    run = solve(task, Script((code,), (code,)), method="codecor", k=3, journal=journal)
    assert len(run.calls) > 8
    assert [prompt for _, prompt in run.calls if CANARY in prompt] == []
    assert CANARY.encode() not in journal.data
