"""The result of a method: the same view over the events of AuditCoder and of a rival."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import JsonValue

from auditcoder.errors import RecordError
from auditcoder.ledger.fold import fold
from auditcoder.ledger.method_result import method_result
from auditcoder.records.events import CandidateRanked, Event, FeedbackChosen
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task
from tests.unit.test_ledger_docs import BAD, GOOD, example_events

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
CASES: list[tuple[list[JsonValue], int]] = [([1, 2], 3), ([1, -2], 1)]
TASK = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=tuple(
        Check(id=f"E{n}", input=FunctionInput(args=(items,)), expected=Expected(value=value, has_value=True))
        for n, (items, value) in enumerate(CASES, start=1)
    ),
)
ANSWER = "### reasoning\nSo.\n### requirements\nnone\n### code\n```python\ndef total(items):\n    return {}\n```"
HALF, NONE, RIGHT = ANSWER.format("sum(items)"), ANSWER.format("7"), ANSWER.format("sum(i for i in items if i > 0)")


def events_of(solve: Solve, *texts: str, **config: Any) -> tuple[Event, ...]:
    left = list(texts)
    events: tuple[Event, ...] = solve(
        TASK, lambda role, prompt: left.pop(0) if len(left) > 1 else left[0], **config
    ).events
    return events


def test_a_direct_run_has_one_candidate_and_no_round(solve: Solve) -> None:
    result = method_result(events_of(solve, HALF, method="direct", k=30))
    assert result.method == "direct"
    assert (result.feedback_rounds, result.triggered_retries, len(result.candidates)) == (0, 0, 1)
    assert result.final == result.first_candidate == result.candidates[0]
    assert result.total.calls == 1


def test_feedback_rounds_of_a_rival_are_those_of_its_record(solve: Solve) -> None:
    result = method_result(events_of(solve, HALF, NONE, RIGHT, method="pycapsule", k=30))
    assert (result.feedback_rounds, result.triggered_retries) == (2, 0)
    assert [made.candidate for made in result.candidates] == [0, 1, 2]
    assert result.first_candidate is not None
    assert result.final is not None
    assert result.final.rank is not None
    assert (result.first_candidate.candidate, result.final.candidate, result.final.rank.full_pass) == (0, 2, True)
    assert [report.program for report in result.reports] == [made.digest for made in result.candidates]
    assert result.reason == "every check passes"


def test_draws_are_retries_and_the_final_program_need_not_be_the_last(solve: Solve) -> None:
    result = method_result(events_of(solve, HALF, NONE, method="fresh-start", k=1))
    assert (result.feedback_rounds, result.triggered_retries, len(result.candidates)) == (0, 1, 2)
    assert result.final == result.candidates[0]


def test_usage_by_agent_adds_up_to_the_total(solve: Solve) -> None:
    result = method_result(events_of(solve, HALF, NONE, RIGHT, method="pycapsule", k=30))
    assert len({(row.agent, row.role) for row in result.agents}) == len(result.agents) > 1
    for name in ("calls", "cached", "failed", "prompt_tokens", "completion_tokens"):
        assert sum(getattr(row, name) for row in result.agents) == getattr(result.total, name)
    assert result.total.calls == 3


def test_a_transaction_that_wrote_code_is_one_feedback_round() -> None:
    events = example_events()
    result = method_result(events)
    assert (result.method, result.feedback_rounds, result.triggered_retries) == ("auditcoder", 1, 0)
    assert [made.rank for made in result.candidates] == [BAD, GOOD]
    begun = next(n for n, event in enumerate(events) if event.kind == "repair.started")
    assert method_result(events[: begun + 1]).feedback_rounds == 0  # declared, but nothing written yet


def test_a_transaction_that_was_shown_nothing_is_a_retry() -> None:
    events = example_events()
    begun = next(n for n, event in enumerate(events) if event.kind == "repair.started")
    chosen = FeedbackChosen(index=0, policy="resample", shown="resample", reason="asked for")
    result = method_result([*events[: begun + 1], chosen, *events[begun + 1 :]])
    assert (result.feedback_rounds, result.triggered_retries) == (0, 1)


def test_a_later_attempt_is_a_retry_only_when_a_program_failed_before() -> None:
    events = example_events()
    begun = next(event for event in events if event.kind == "attempt.started")
    ranked = next(n for n, event in enumerate(events) if isinstance(event, CandidateRanked))
    again = begun.model_copy(update={"index": 1})
    assert method_result([*events[: ranked + 1], again]).triggered_retries == 1
    assert method_result([*events[:ranked], again]).triggered_retries == 0


def test_every_prefix_has_a_result_and_no_event_has_none(solve: Solve) -> None:
    events = events_of(solve, HALF, RIGHT, method="pycapsule", k=30)
    results = [method_result(events[:upto]) for upto in range(1, len(events) + 1)]
    made = [len(result.candidates) for result in results]
    assert made == sorted(made)
    assert [bool(result.reason) for result in results] == [False] * (len(events) - 1) + [True]
    with pytest.raises(RecordError):
        method_result([])


def test_the_attempt_of_a_rival_shows_the_candidate_that_took_over(solve: Solve) -> None:
    record = fold(events_of(solve, HALF, NONE, method="fresh-start", k=1))
    assert [(attempt.candidate, attempt.rank) for attempt in record.attempts] == [(0, record.rank)]
    assert record.candidate == 0
