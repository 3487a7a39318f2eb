"""Rows of runs: what a ledger and the verdicts of its programs say, against runs on scripted answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from auditcoder.core.protocols import Executor
from auditcoder.errors import HarnessError
from auditcoder.eval.hidden import HiddenTests
from auditcoder.eval.metrics.course import course_of
from auditcoder.eval.metrics.measuring import missing_row, needed_programs, row_of
from auditcoder.eval.metrics.row import Cell, RunRow, TaskFacts
from auditcoder.eval.metrics.self_scores import ScoredItem, score_studies, scored_items
from auditcoder.eval.metrics.spending import NO_USAGE, spent_by
from auditcoder.eval.metrics.verdicts import Verdict, judged
from auditcoder.records.events import Event, MethodNoted, ModelCalled, RunFinished, RunResumed
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Limits,
    Parameter,
    Task,
)
from tests.unit.test_ledger_docs import example_events

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def check(name: str, items: list[JsonValue], value: int) -> Check:
    return Check(id=name, input=FunctionInput(args=(items,)), expected=Expected(value=value, has_value=True))


SHORT = Limits(cpu_seconds=0.5)
ENTRY = EntryPoint(kind="function", name="total", signature=SIGNATURE)
TASK = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=ENTRY,
    examples=(check("E1", [1, 2], 3), check("E2", [1, -2], 1)),
    limits=SHORT,
)
HIDDEN = HiddenTests(
    "total", ENTRY, (check("H1", [1, 2], 3), check("H2", [5, -1], 5), check("H3", [], 0)), limits=SHORT
)
SEEN_ONLY = HiddenTests("total", ENTRY, (check("H1", [1, 2], 3), check("H2", [1, -2], 1)))
FACTS = TaskFacts(suite="own", task="total", difficulty="introductory", problem_type="greedy")
CELL = Cell("pycapsule", "scripted", "own", "k1")
ANSWER = "### reasoning\nSo.\n### requirements\nnone\n### code\n```python\ndef total(items):\n    return {}\n```"
HALF, NONE, RIGHT = ANSWER.format("sum(items)"), ANSWER.format("7"), ANSWER.format("sum(i for i in items if i > 0)")
ONLY_SEEN = ANSWER.format("3 if items == [1, 2] else 1")


def run_of(solve: Solve, *texts: str, **config: Any) -> tuple[Event, ...]:
    left = list(texts)
    events: tuple[Event, ...] = solve(
        TASK, lambda role, prompt: left.pop(0) if len(left) > 1 else left[0], **config
    ).events
    return events


def row(
    events: Sequence[Event], executor: Executor, hidden: HiddenTests = HIDDEN, cell: Cell = CELL, **given: Any
) -> RunRow:
    return row_of(cell, 0, FACTS, events, judged(needed_programs(events), TASK, hidden, executor), **given)


def test_a_repaired_run_shows_what_repair_brought(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, HALF, RIGHT, method="pycapsule", k=1)
    made = row(events, executor, wall_seconds=2.5)
    scores = made.primary
    assert scores is not None
    assert (scores.first, scores.initial, scores.selected, scores.oracle) == (False, False, True, True)
    assert (scores.selection_gain, scores.repair_gain, scores.regression) == (0, 1, False)
    assert (made.kind, made.first_visible, made.final_visible, made.invalid) == ("passed", False, True, ())
    cost = made.cost
    assert (cost.calls, cost.completions, cost.feedback_rounds, cost.triggered_retries) == (2, 2, 1, 0)
    assert [(each.role, each.calls) for each in cost.by_role] == [("generator", 1), ("regenerator", 1)]
    assert cost.tokens == sum(prompt + completion for prompt, completion in made.requests) > 0
    assert (cost.sandbox_runs, cost.sandbox_checks, cost.wall_seconds) == (
        3,
        6,
        2.5,
    )  # a full pass is run again, each check alone
    assert [(point.calls, point.primary) for point in made.curve] == [(1, False), (2, True)]
    assert (made.difficulty, made.problem_type, made.cell) == ("introductory", "greedy", CELL)


def test_a_repair_that_breaks_the_program_is_a_regression(solve: Solve, executor: Executor) -> None:
    # the first program passes the hidden tests that are used here, but not E2: the method goes on, to something worse
    hidden = HiddenTests("total", ENTRY, (check("H1", [4], 4), check("H2", [5, 1], 6)))
    made = row(run_of(solve, HALF, NONE, method="pycapsule", k=1), executor, hidden)
    assert made.all_tests.regression
    assert (made.all_tests.repair_gain, made.all_tests.oracle, made.kind) == (-1, True, "wrong-answer")


def test_selection_is_no_repair_and_the_oracle_no_selection(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, HALF, NONE, method="fresh-start", k=1)
    made = row(events, executor, cell=CELL._replace(method="fresh-start"))
    assert (made.cost.triggered_retries, made.cost.feedback_rounds) == (1, 0)
    assert made.primary is not None
    assert (made.primary.selected, made.primary.oracle) == (False, False)
    assert [point.calls for point in made.curve] == [1]  # the second draw was no better, so it was never active
    assert len(made.requests) == 2


def test_tests_that_equal_a_visible_check_are_no_part_of_the_primary_score(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, ONLY_SEEN, method="direct")
    made = row(events, executor)
    assert made.final_visible
    assert made.primary is not None
    assert not made.primary.selected
    seen = row(events, executor, SEEN_ONLY)
    assert seen.primary is None  # nothing is left: no score, rather than a failed one
    assert seen.all_tests.selected


def test_a_program_that_passes_all_but_the_visible_tests_is_apart() -> None:
    verdict = Verdict(program="0", outcomes=(("H1", "timeout"), ("H2", "pass")), visible=("H1",))
    assert (verdict.passes, verdict.passes_all, verdict.first_failure) == (True, False, "timeout")
    broken = Verdict(program="0", outcomes=(("H1", "timeout"), ("H2", "harness-error")))
    assert broken.first_failure == "harness-error"
    assert not Verdict(program="0").passes_all


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("items[99]", "crash"),
        ("sum(0 for _ in iter(int, 1))", "timeout"),
        ("sum(items)", "wrong-answer"),
    ],
)
def test_the_kind_of_a_failure_is_that_of_its_first_hidden_test(
    solve: Solve, executor: Executor, body: str, kind: str
) -> None:
    made = row(run_of(solve, ANSWER.format(body), method="direct"), executor)
    assert made.kind == kind


def test_a_run_without_a_usable_answer_is_listed_as_such(solve: Solve, executor: Executor) -> None:
    made = row(run_of(solve, "no code", method="direct"), executor)
    assert (made.kind, made.cost.refused, made.cost.calls) == ("unusable", 2, 2)


def test_a_fault_of_the_harness_is_no_fault_of_the_program(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, RIGHT, method="direct")

    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise HarnessError("the worker died")

    broken: Any = Broken()
    verdicts = judged(needed_programs(events), TASK, HIDDEN, broken)
    made = row_of(CELL, 0, FACTS, events, verdicts)
    assert (made.kind, made.all_tests.selected) == ("harness-fault", False)


@pytest.mark.parametrize(
    ("error", "kind"),
    [("", "not-run"), ("unusable-answer", "unusable"), ("backbone", "harness-fault"), ("worker-lost", "harness-fault")],
)
def test_a_run_that_did_not_end_failed_and_its_cost_is_unknown(
    solve: Solve, executor: Executor, error: str, kind: str
) -> None:
    events = run_of(solve, RIGHT, method="direct")
    assert isinstance(events[-1], RunFinished)
    cut = row(events[:-1], executor, error=error)
    assert (cut.kind, cut.all_tests.selected, cut.all_tests.first) == (kind, False, True)
    assert cut.invalid
    none = missing_row(CELL, 0, FACTS, error=error)
    assert (none.kind, none.all_tests.selected, row_of(CELL, 0, FACTS, (), {}, error=error)) == (kind, False, none)
    assert none.invalid


def test_an_answer_without_usage_makes_the_row_invalid_not_free(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, HALF, RIGHT, method="pycapsule", k=1)
    place = next(n for n, event in enumerate(events) if isinstance(event, ModelCalled))
    call = events[place]
    assert isinstance(call, ModelCalled)
    for usage in ({}, {"input_tokens": None, "output_tokens": 3}, None):
        response = json.dumps({**json.loads(call.response), "usage": usage})
        without = call.model_copy(update={"response": response, "prompt_tokens": 0, "completion_tokens": 0})
        assert row([*events[:place], without, *events[place + 1 :]], executor).invalid == (NO_USAGE,)
    cached = json.dumps({**json.loads(call.response), "usage": {"input_tokens": 9, "output_tokens": 1, "cache_read_tokens": 8}})  # fmt: skip  # noqa: E501
    told = call.model_copy(update={"response": cached, "cached": True, "seconds": 7.0})
    cost = spent_by([*events[:place], told, *events[place + 1 :]]).cost
    assert (cost.cached_tokens, cost.cache_hits) == (8, 1)
    assert cost.model_seconds < 7.0


def test_a_request_that_was_made_again_is_a_transport_retry(solve: Solve) -> None:
    events = run_of(solve, HALF, RIGHT, method="pycapsule", k=1)
    place = next(n for n, event in enumerate(events) if isinstance(event, ModelCalled))
    call = events[place]
    assert isinstance(call, ModelCalled)
    failed = call.model_copy(update={"response": "", "error": "backbone: gone", "prompt_tokens": 0})
    again = [*events[:place], failed, RunResumed(failed=place), *events[place:]]
    once, twice = spent_by(events, 1.0), spent_by(again, 1.0)
    assert (twice.cost.calls, twice.cost.transport_retries, twice.cost.failed) == (once.cost.calls, 1, 0)
    assert twice.cost.wall_seconds is None
    assert course_of(again) == course_of(events)
    kept = [*events[:place], failed, *events[place:]]
    assert (spent_by(kept).cost.failed, spent_by(kept).cost.calls) == (1, once.cost.calls + 1)


def test_repairs_of_auditcoder_have_their_region_and_their_end() -> None:
    events = example_events()
    programs = needed_programs(events)
    verdicts = {
        made.digest: Verdict(program=made.digest, outcomes=(("H1", "pass" if n else "wrong-answer"),))
        for n, made in enumerate(programs)
    }
    made = row_of(CELL._replace(method="auditcoder"), 0, FACTS, events, verdicts)
    assert [(each.decision, each.scope_nodes, each.passed_after) for each in made.repairs] == [("accepted", 1, True)]
    assert 0 < made.repairs[0].scope_nodes < made.repairs[0].graph_nodes
    assert made.repairs[0].localized
    assert made.primary is not None
    assert (made.primary.initial, made.primary.repair_gain, made.initial_visible) == (False, 1, False)


def test_a_program_that_was_not_judged_is_no_failure(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, HALF, NONE, RIGHT, method="pycapsule", k=30)
    first, middle, last = needed_programs(events)
    verdicts = judged((first, last), TASK, HIDDEN, executor)
    assert row_of(CELL, 0, FACTS, events, verdicts).all_tests.oracle is True
    failing = {
        name: verdict.model_copy(update={"outcomes": (("H1", "timeout"),)}) for name, verdict in verdicts.items()
    }
    assert row_of(CELL, 0, FACTS, events, failing).all_tests.oracle is None
    with pytest.raises(ValueError, match="not judged"):
        row_of(CELL, 0, FACTS, events, judged((middle,), TASK, HIDDEN, executor))


def test_scores_meet_the_later_result_of_their_items(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, HALF, RIGHT, method="fresh-start", k=1)
    place = next(n for n, event in enumerate(events) if isinstance(event, ModelCalled))
    notes = [
        MethodNoted(what="plan-confidence", item="plan 1", score=40.0, kept=True),
        MethodNoted(what="plan-confidence", item="plan 2", score=90.0, kept=True),
        MethodNoted(what="plan-confidence", item="plan 3", kept=True, detail="no confidence"),
        MethodNoted(what="sub-repairs", item="pass 1", score=3.0),
    ]
    verdicts = judged(needed_programs(events), TASK, HIDDEN, executor)
    items = scored_items("run", [*events[:place], *notes, *events[place:]], verdicts)
    assert items == [
        ScoredItem("run", "plan-confidence", "plan 1", 40.0, True),  # coded second, as it is trusted less
        ScoredItem("run", "plan-confidence", "plan 2", 90.0, False),
    ]
    study = score_studies(items)[0]
    assert (study.items, study.judged, study.runs, study.best, study.random) == (2, 2, 1, 0.0, 0.5)
    assert study.correlation.rho == pytest.approx(-1.0)


def test_an_item_without_a_program_has_no_result(solve: Solve, executor: Executor) -> None:
    events = run_of(solve, RIGHT, method="direct")
    place = next(n for n, event in enumerate(events) if isinstance(event, ModelCalled))
    notes = [
        MethodNoted(what="brief-score", item="brief 1", score=8.0, kept=True),
        MethodNoted(what="brief-score", item="brief 2", score=2.0, kept=False),
        MethodNoted(what="brief-score", item="brief 3", score=9.0, kept=True),
        MethodNoted(what="brief-without-program", item="brief 1", kept=False),
    ]
    verdicts = judged(needed_programs(events), TASK, HIDDEN, executor)
    items = scored_items("run", [*events[:place], *notes, *events[place:]], verdicts)
    assert [item.passed for item in items] == [None, None, True]
    study = score_studies(items)[0]
    assert (study.judged, study.runs, study.best, study.correlation.rho) == (1, 0, None, None)
