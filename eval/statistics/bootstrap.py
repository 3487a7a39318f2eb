"""Bootstrap intervals of the mean difference of two methods on the same tasks (methods/README, rule 17).

The tasks are what is resampled: the runs of one task are not independent of each other, so they stay together and give
the task's mean. Where the differences lie on a grid, as those of passes do, the distribution over *all* resamples is
computed (the ideal bootstrap) and nothing is drawn; elsewhere seeded draws stand in for it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from auditcoder.eval.statistics.lattice import Counts, convolved, on_grid, power

LEVEL = Fraction(95, 100)
RESAMPLES = 10_000
MOST = 4_000_000
"""All resamples are counted while (span of a difference in steps of its grid) x (tasks squared) is at most this."""


class Interval(NamedTuple):
    """A mean with the bounds of its percentile interval."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Return whether all of the interval is on one side of 0."""
        return self.low > 0 or self.high < 0


def paired_interval(
    clusters: Sequence[Sequence[Fraction | int]], *, level: Fraction = LEVEL, seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Return the mean over tasks of their mean difference, with the interval that resampled tasks give.

    Args:
        clusters: The differences of each task, one a run.
        level: Of the interval.
        seed: Of the draws, where all resamples cannot be counted.
        resamples: Number of draws then.

    Raises:
        ValueError: there is no task, a task has no run, or the level is not between 0 and 1.
    """
    means = _means(clusters, level)
    steps, step = on_grid(means)
    if (max(steps) - min(steps)) * len(steps) ** 2 <= MOST:
        counts = power(Counter(steps), len(steps))
        return _from_counts(means, counts, step / len(steps), level)
    return drawn_interval(means, level=level, seed=seed, resamples=resamples)


def runs_interval(clusters: Sequence[Sequence[Fraction | int]], *, level: Fraction = LEVEL) -> Interval:
    """Return the same mean with the interval that resampled runs of the very same tasks give.

    It says how far repeating the study on these tasks would move the mean, and nothing about other tasks: of one run a
    task it has no width. Exact, for differences of passes: those of tokens have too fine a grid.

    Raises:
        ValueError: there is no task, a task has no run, or the level is not between 0 and 1.
    """
    means = _means(clusters, level)
    shares = [Fraction(value) / len(cluster) for cluster in clusters for value in cluster]
    steps, step = on_grid(shares)
    counts: Counts = {0: 1}
    begin = 0
    for cluster in clusters:
        own = Counter(steps[begin : begin + len(cluster)])
        counts = convolved(counts, power(own, len(cluster)))
        begin += len(cluster)
    return _from_counts(means, counts, step / len(clusters), level)


def drawn_interval(
    means: Sequence[Fraction], *, level: Fraction = LEVEL, seed: int = 0, resamples: int = RESAMPLES
) -> Interval:
    """Return the interval of a mean from seeded draws: the same arguments give the same bounds everywhere.

    Only `Random.random` is used, whose numbers Python promises not to change.
    """
    values = [float(value) for value in means]
    size, generator = len(values), random.Random(seed)
    sums = sorted(sum(values[int(generator.random() * size)] for _ in range(size)) for _ in range(resamples))
    cut = _cut(resamples, level)
    return Interval(float(sum(means) / size), sums[cut] / size, sums[resamples - 1 - cut] / size)


def _means(clusters: Sequence[Sequence[Fraction | int]], level: Fraction) -> list[Fraction]:
    if not clusters or not all(clusters):
        raise ValueError("an interval needs tasks, and a run of each")
    if not 0 < level < 1:
        raise ValueError(f"{level} is no level of an interval")
    return [sum((Fraction(value) for value in cluster), Fraction()) / len(cluster) for cluster in clusters]


def _from_counts(means: Sequence[Fraction], counts: Counts, step: Fraction, level: Fraction) -> Interval:
    cut = _cut(sum(counts.values()), level)
    low, high = _behind(counts, sorted(counts), cut), _behind(counts, sorted(counts, reverse=True), cut)
    return Interval(float(sum(means) / len(means)), float(low * step), float(high * step))


def _cut(cases: int, level: Fraction) -> int:
    """Return how many cases lie outside on each side: as many at the low end as at the high one."""
    return int(cases * (1 - level) / 2)


def _behind(counts: Counts, order: Sequence[int], cut: int) -> int:
    passed = 0
    for value in order:
        passed += counts[value]
        if passed > cut:
            return value
    raise AssertionError("the cut is below half of the cases")  # pragma: no cover
