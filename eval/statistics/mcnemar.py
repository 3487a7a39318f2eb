"""McNemar's test of two methods on the same runs: exact and mid-p (Fagerland, Lydersen and Laake 2013).

Of one run a task only the discordant pairs count. Of several, the runs of a task are no independent pairs, so whole
tasks change sides: under the null hypothesis the two methods may be exchanged on any task, and the sum of the
differences is compared with its distribution over all such exchanges. With one run a task that is McNemar's exact test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from auditcoder.eval.statistics.lattice import Counts, convolved, on_grid, power


class PairedTest(NamedTuple):
    """Two-sided p-values of "both methods pass equally often"."""

    first_only: int
    """Pairs of runs in which only the first method passes."""
    second_only: int
    exact: float
    """Never rejects more often than its level says."""
    mid_p: float
    """Less conservative: what equals the observation counts half."""


def mcnemar(first_only: int, second_only: int) -> PairedTest:
    """Return McNemar's test for these numbers of discordant pairs; without one both p-values are 1.

    Raises:
        ValueError: a number is negative.
    """
    if min(first_only, second_only) < 0:
        raise ValueError("numbers of pairs are not negative")
    return clustered_mcnemar([[1]] * first_only + [[-1]] * second_only)


def clustered_mcnemar(clusters: Sequence[Sequence[Fraction | int]]) -> PairedTest:
    """Return the test for tasks with one or more runs each; a task's weight is the same however many it has.

    Args:
        clusters: The differences of each task, one a run: 1, 0 or -1.
    """
    flat = [value for cluster in clusters for value in cluster]
    means = [sum((Fraction(value) for value in cluster), Fraction()) / len(cluster) for cluster in clusters if cluster]
    steps, _ = on_grid(means)
    observed = abs(sum(steps))
    counts = _exchanges(steps)
    beyond = sum(count for value, count in counts.items() if abs(value) > observed)
    equal = sum(count for value, count in counts.items() if abs(value) == observed)
    cases = sum(counts.values())
    return PairedTest(
        first_only=sum(value > 0 for value in flat),
        second_only=sum(value < 0 for value in flat),
        exact=float(Fraction(beyond + equal, cases)),
        mid_p=float(Fraction(2 * beyond + equal, 2 * cases)) if any(steps) else 1.0,
    )


def _exchanges(steps: Sequence[int]) -> Counts:
    """Return the counts of the sum over all ways to give each task's difference either sign."""
    counts: Counts = {0: 1}
    for size, times in sorted(Counter(abs(step) for step in steps if step).items()):
        counts = convolved(counts, power({-size: 1, size: 1}, times))
    return counts
