"""Rounds of a method that tries several plans: patience for the run, or anew for each plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from auditcoder.core.budget import AdaptiveBudget, FixedBudget
from auditcoder.core.rounds import Rounds


def made(rounds: Rounds, hows: str, counts: Sequence[int]) -> int:
    """Begin rounds (d: debug, |: new plan) while they are allowed; return how many were."""
    for how, count in zip(hows, counts, strict=True):
        kind: Any = "feedback" if how == "d" else "retry"
        if not rounds.allows(kind):
            break
        rounds.begin(kind)
        rounds.ranked(count)
    return rounds.made


@pytest.mark.parametrize(
    ("per_plan", "hows", "counts", "rounds"),
    [
        (False, "dddd|dddd", [0] * 9, 4),
        (True, "dddd|dddd", [0] * 9, 9),
        (True, "ddddd|ddd", [0] * 9, 4),
        (True, "d|ddddd", [0] * 7, 6),
        (True, "dd|ddd", [0, 0, 0, 0, 0, 0], 6),
        (True, "|" * 40, [0] * 40, 30),
        (True, "d" * 40, list(range(1, 41)), 30),
        (True, "ddd|dddd", [2, 0, 0, 1, 1, 2, 1, 0], 8),
        (True, "ddd|ddddd", [2, 0, 0, 1, 1, 2, 1, 0, 0], 8),
    ],
)
def test_patience_of_each_plan_ends_the_plan_and_the_safety_limit_the_run(
    per_plan: bool, hows: str, counts: list[int], rounds: int
) -> None:
    assert made(Rounds(AdaptiveBudget(per_plan=per_plan)), hows, counts) == rounds


def test_k_counts_rounds_of_both_kinds_whatever_the_plan() -> None:
    assert made(Rounds(FixedBudget(3)), "d|d|d", [0] * 5) == 3
