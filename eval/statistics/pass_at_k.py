"""The unbiased pass@k estimator (Chen et al. 2021; methods/README, rule 3)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple


class Trials(NamedTuple):
    """Independent complete runs on one task. Candidates inside one run are not independent and never count here."""

    runs: int
    passed: int


def pass_at_k(trials: Trials, k: int) -> Fraction:
    """Return the probability that one of k of these runs, drawn without replacement, passed: 1 - C(n-c, k) / C(n, k).

    Exact, and 1 where fewer than k runs failed.

    Raises:
        ValueError: k is below 1, there are fewer than k runs, or more passed than there are.
    """
    runs, passed = trials
    if not 0 <= passed <= runs:
        raise ValueError(f"{passed} of {runs} runs cannot have passed")
    if not 1 <= k <= runs:
        raise ValueError(f"pass@{k} cannot be estimated from {runs} runs")
    return 1 - Fraction(comb(runs - passed, k), comb(runs, k))


def mean_pass_at_k(tasks: Sequence[Trials], k: int) -> Fraction | None:
    """Return the mean of pass@k over tasks, each with the same weight; None without a task.

    Raises:
        ValueError: a task has fewer than k runs.
    """
    if not tasks:
        return None
    return sum((pass_at_k(trials, k) for trials in tasks), Fraction()) / len(tasks)
