"""Rank correlations with ties: Spearman's rho and Kendall's tau-b (methods/README, rule 18)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class RankCorrelation(NamedTuple):
    """How well two lists of numbers agree in order; None where one of them has one value only."""

    items: int
    rho: float | None
    """Spearman: correlation of the ranks; ties have the mean of theirs."""
    tau: float | None
    """Kendall's tau-b: concordant less discordant pairs, ties left out of both scales."""


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Return both correlations of two lists of numbers, item by item.

    Raises:
        ValueError: the lists differ in length, or hold what has no order.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} numbers cannot be paired with {len(second)}")
    if any(math.isnan(value) for value in (*first, *second)):
        raise ValueError("NaN has no rank")
    return RankCorrelation(len(first), _rho(ranks(first), ranks(second)), _tau(first, second))


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    found = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for place in order[begin:end]:
            found[place] = (begin + end + 1) / 2
        begin = end
    return found


def _rho(first: Sequence[float], second: Sequence[float]) -> float | None:
    middle = (len(first) + 1) / 2
    one = [rank - middle for rank in first]
    other = [rank - middle for rank in second]
    scale = math.sqrt(sum(x * x for x in one) * sum(y * y for y in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / scale if scale else None


def _tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    size = len(first)
    lead = sum(
        _sign(first[i] - first[j]) * _sign(second[i] - second[j]) for i in range(size) for j in range(i)
    )  # fmt: skip
    pairs = size * (size - 1) // 2
    scale = math.sqrt((pairs - _tied(first)) * (pairs - _tied(second)))
    return lead / scale if scale else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _tied(values: Iterable[float]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(values).values())
