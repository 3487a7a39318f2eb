"""Budgets of rival methods: rounds under K and adaptively, calls and tokens, the format that a run needs."""

from __future__ import annotations

from typing import Any

import pytest

from auditcoder.core.budget import AdaptiveBudget, FixedBudget
from auditcoder.core.formats import needed_format
from auditcoder.core.method_rules import takes_over
from auditcoder.core.rounds import Rounds
from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT, Spending, spending_of
from auditcoder.errors import BudgetSpentError
from auditcoder.records.config import RunConfig
from auditcoder.records.events import ModelCalled
from auditcoder.records.transaction import Rank


def rounds_made(rounds: Rounds, counts: list[int]) -> int:
    for count in counts:
        if not rounds.allows():
            break
        rounds.begin()
        rounds.ranked(count)
    return rounds.made


def test_k_bounds_feedback_rounds_and_retries_together() -> None:
    assert rounds_made(Rounds(FixedBudget(2)), [1, 2, 3]) == 2
    assert rounds_made(Rounds(FixedBudget(0)), [1]) == 0


@pytest.mark.parametrize(
    ("counts", "made"),
    [([0] * 9, 4), ([0, 0, 0, 1, 0, 0, 0, 0, 9], 8), ([1, 0, 1, 0, 1, 0, 1], 5), (list(range(1, 60)), 30)],
)
def test_adaptive_rounds_end_without_a_rise_over_the_best(counts: list[int], made: int) -> None:
    assert rounds_made(Rounds(AdaptiveBudget()), counts) == made


def test_the_best_candidate_of_a_round_counts_and_a_round_without_one_brings_nothing() -> None:
    rounds = Rounds(AdaptiveBudget())
    rounds.ranked(2)
    rounds.ranked(1)
    rounds.begin()
    rounds.begin()
    rounds.ranked(3)
    assert rounds.passed == [2, 0, 3]


def called(prompt: int, completion: int) -> ModelCalled:
    return ModelCalled(
        key="k", role="generator", model="m", prompt_hash="h", request="{}", prompt_tokens=prompt,
        completion_tokens=completion,
    )  # fmt: skip


def test_calls_are_refused_once_the_budget_is_spent() -> None:
    spending = spending_of(RunConfig(max_calls=2))
    for _ in range(2):
        spending.admit()
        spending.add(called(1, 1))
    with pytest.raises(BudgetSpentError, match=CALLS_SPENT):
        spending.admit()


def test_a_request_in_flight_completes_when_the_tokens_run_out() -> None:
    spending = Spending(max_tokens=10)
    spending.add(called(5, 4))
    spending.admit()
    spending.add(called(50, 4))
    with pytest.raises(BudgetSpentError, match=TOKENS_SPENT):
        spending.admit()


def test_without_limits_everything_goes() -> None:
    spending = Spending()
    spending.add(called(10**9, 10**9))
    assert spending.spent == ""


NEW: list[dict[str, Any]] = [
    {"method": "direct"}, {"max_calls": 3}, {"max_tokens": 3}, {"options": (("k", 1),)},
]  # fmt: skip


def test_a_run_that_uses_nothing_new_keeps_its_format() -> None:
    assert needed_format(RunConfig(k=3, adaptive=True)) == "1.1"
    assert [needed_format(RunConfig(**given)) for given in NEW] == ["1.2"] * len(NEW)


def test_the_update_rules() -> None:
    def rank(passed: int) -> Rank:
        return Rank(full_pass=False, external=passed, internal=0, clean=passed)

    cases = [(old, new) for old in range(3) for new in range(3)]
    assert all(takes_over("latest", rank(old), rank(new)) for old, new in cases)
    assert [takes_over("most-passed", rank(old), rank(new)) for old, new in cases] == [new > old for old, new in cases]
    latest = [takes_over("most-passed-latest", rank(old), rank(new)) for old, new in cases]
    assert latest == [new >= old for old, new in cases]
    assert takes_over("most-passed", None, rank(0))
