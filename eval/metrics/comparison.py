"""Whether one method is better than another, and what stands against saying so (methods/README, rule 17)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from auditcoder.eval.metrics.pairs import Pair, Paired, differences
from auditcoder.eval.metrics.row import Basis, Measure
from auditcoder.eval.statistics.bootstrap import Interval, paired_interval, runs_interval
from auditcoder.eval.statistics.holm import holm
from auditcoder.eval.statistics.mcnemar import PairedTest, clustered_mcnemar

FEWEST_RUNS = 3
"""Runs a task and method that a claim needs."""
LEVEL = 0.05
Word = Literal["better", "worse", "no difference shown", "nothing to compare"]


class Comparison(NamedTuple):
    """The first of two methods against the second, on the same runs."""

    first: str
    second: str
    where: str
    """Suite, protocol and set of tasks, in words."""
    measure: Measure
    basis: Basis
    tasks: int
    pairs: int
    rates: tuple[float, float]
    """Mean over tasks of each method's share of passing runs."""
    interval: Interval | None
    """Of the difference, with resampled tasks; None without a task."""
    of_runs: Interval | None
    """Of the difference, with resampled runs of the very same tasks."""
    test: PairedTest | None
    adjusted: float
    """The exact p-value among all comparisons that are shown together (Holm)."""
    calls: tuple[float, float] | None
    """Requests a run of each; None when the cost of some run is unknown."""
    tokens: tuple[float, float] | None
    held_back: tuple[str, ...]
    """Why no claim is made, whatever the numbers say."""

    @property
    def word(self) -> Word:
        """Return `better` or `worse` only when interval and test both say so, and nothing holds it back."""
        if self.interval is None:
            return "nothing to compare"
        shown = self.interval.excludes_zero and self.adjusted < LEVEL and not self.held_back
        if not shown:
            return "no difference shown"
        return "better" if self.interval.mean > 0 else "worse"


def compare(
    first: str,
    second: str,
    found: Paired,
    *,
    where: str = "",
    measure: Measure = "selected",
    basis: Basis = "primary",
) -> Comparison:
    """Return the comparison of two methods; shown with others it goes through `together`.

    Args:
        first: Name of the method of the first rows.
        second: Of the other one.
        found: Their runs.
        where: What is compared, in words.
        measure: Which programs.
        basis: Which hidden tests.

    Raises:
        ValueError: a run was not measured so.
    """
    by_task = differences(found.pairs, measure, basis)
    clusters = list(by_task.values())
    scored = [pair for pair in found.pairs if pair.first.task in by_task]
    known = not any(row.invalid for pair in scored for row in pair)
    test = clustered_mcnemar(clusters) if clusters else None
    return Comparison(
        first=first,
        second=second,
        where=where,
        measure=measure,
        basis=basis,
        tasks=len(clusters),
        pairs=len(scored),
        rates=(_rate(scored, 0, measure, basis), _rate(scored, 1, measure, basis)),
        interval=paired_interval(clusters) if clusters else None,
        of_runs=runs_interval(clusters) if clusters else None,
        test=test,
        adjusted=test.exact if test else 1.0,
        calls=_means(scored, "calls") if known else None,
        tokens=_means(scored, "tokens") if known else None,
        held_back=tuple(_objections(clusters, scored, found.unpaired)),
    )


def together(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons that are shown together: their p-values share one error rate."""
    adjusted = holm([each.test.exact if each.test else 1.0 for each in comparisons])
    return [each._replace(adjusted=p) for each, p in zip(comparisons, adjusted, strict=True)]


def _objections(clusters: Sequence[Sequence[int]], pairs: Sequence[Pair], unpaired: int) -> Iterable[str]:
    if any(len(cluster) < FEWEST_RUNS for cluster in clusters):
        fewest = min(len(cluster) for cluster in clusters)
        yield f"{fewest} run{'s' * (fewest > 1)} a task, {FEWEST_RUNS} are needed"
    if unpaired:
        yield f"{unpaired} runs have no partner"
    invalid = sum(bool(row.invalid) for pair in pairs for row in pair)
    if invalid:
        yield f"the cost of {invalid} runs is unknown"


def _rate(pairs: Sequence[Pair], side: int, measure: Measure, basis: Basis) -> float:
    tasks: dict[str, list[bool]] = {}
    for pair in pairs:
        tasks.setdefault(pair.first.task, []).append(bool(pair[side].passed(measure, basis)))
    shares = [sum(passed) / len(passed) for passed in tasks.values()]
    return sum(shares) / len(shares) if shares else 0.0


def _means(pairs: Sequence[Pair], name: str) -> tuple[float, float] | None:
    if not pairs:
        return None
    first, second = (sum(getattr(pair[side].cost, name) for pair in pairs) / len(pairs) for side in (0, 1))
    return first, second
