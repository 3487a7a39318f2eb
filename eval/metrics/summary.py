"""What the runs of one method, model, suite and protocol say together (methods/README, rules 1 to 9 and 20)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from auditcoder.eval.metrics.row import Basis, Cell, Cost, Measure, OutcomeKind, RoleCalls, RunRow
from auditcoder.eval.statistics.bootstrap import paired_interval
from auditcoder.eval.statistics.pass_at_k import Trials, mean_pass_at_k
from auditcoder.eval.statistics.wilson import Share
from auditcoder.records.config import ROLES


class Rate(NamedTuple):
    """A mean over tasks of their share of passing runs, with 95 % bounds."""

    value: float
    low: float
    high: float
    """Wilson's of one run a task, else those of resampled tasks."""


class MeanCost(NamedTuple):
    """Cost of a run in the mean."""

    calls: float
    tokens: float
    prompt_tokens: float
    completion_tokens: float
    model_seconds: float
    sandbox_runs: float


class Summary(NamedTuple):
    """One line of a table of methods."""

    cell: Cell
    basis: Basis
    tasks: int
    runs: int
    fewest: int
    """Runs of the task that has fewest."""
    first: Rate | None
    selected: Rate | None
    oracle: Rate | None
    """None when a program of some run was not judged."""
    pass_at_k: tuple[tuple[int, float], ...]
    """(k, pass@k of whole runs), for every k that all tasks have runs for."""
    selection_gain: float
    repair_gain: float
    regressions: int
    kinds: Mapping[OutcomeKind, int]
    spent: Cost
    """Summed over the runs."""
    mean: MeanCost | None
    """None when the cost of some run is unknown (rule 9)."""
    invalid: int
    """Runs whose cost is unknown."""
    several_answers: int
    """Tasks whose tests refuse answers that the statement accepts."""
    left_out: int
    """Tasks that have no score on this basis: every hidden test equals a visible check."""


def summaries(rows: Iterable[RunRow], basis: Basis = "primary") -> list[Summary]:
    """Return a line for each method, model, suite and protocol, in the order in which they first come."""
    groups: dict[Cell, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(row.cell, []).append(row)
    return [summary(group, basis) for group in groups.values()]


def summary(rows: Sequence[RunRow], basis: Basis = "primary") -> Summary:
    """Return what rows of one cell say; tasks weigh the same, however many runs they have.

    Raises:
        ValueError: there is no row, or they are of several cells.
    """
    cells = {row.cell for row in rows}
    if len(cells) != 1:
        raise ValueError(f"a summary is of one cell, not of {len(cells)}")
    unscored = without_score(rows, basis)
    scored = [row for row in rows if row.task not in unscored]
    tasks = by_task(scored)
    fewest = min((len(group) for group in tasks.values()), default=0)
    invalid = sum(bool(row.invalid) for row in rows)
    spent = total_cost(rows)
    trials = [Trials(len(group), sum(bool(row.passed("selected", basis)) for row in group)) for group in tasks.values()]
    kinds: Counter[OutcomeKind] = Counter(row.kind for row in rows)
    each_k = [(k, mean_pass_at_k(trials, k)) for k in range(1, fewest + 1)]
    return Summary(
        cell=rows[0].cell,
        basis=basis,
        tasks=len(tasks),
        runs=len(rows),
        fewest=fewest,
        first=rate(scored, "first", basis),
        selected=rate(scored, "selected", basis),
        oracle=rate(scored, "oracle", basis),
        pass_at_k=tuple((k, float(value)) for k, value in each_k if value is not None),
        selection_gain=_gain(tasks, basis, "selection_gain"),
        repair_gain=_gain(tasks, basis, "repair_gain"),
        regressions=sum(scores.regression for row in scored if (scores := row.scores(basis))),
        kinds={kind: kinds[kind] for kind in sorted(kinds)},
        spent=spent,
        mean=None if invalid else _mean_cost(spent, len(rows)),
        invalid=invalid,
        several_answers=len({row.task for row in rows if row.several_answers}),
        left_out=len(unscored),
    )


def by_task(rows: Iterable[RunRow]) -> dict[str, list[RunRow]]:
    """Return the rows of each task, in the order in which tasks first come."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(row.task, []).append(row)
    return groups


def without_score(rows: Iterable[RunRow], basis: Basis) -> frozenset[str]:
    """Return the tasks that have no score on a basis: that is a fact of the task, whichever run shows it."""
    return frozenset(row.task for row in rows if row.scores(basis) is None)


def rate(rows: Sequence[RunRow], measure: Measure, basis: Basis) -> Rate | None:
    """Return the mean over tasks; None without a task, or when some run was not measured so."""
    groups = [[row.passed(measure, basis) for row in group] for group in by_task(rows).values()]
    if not groups or any(passed is None for group in groups for passed in group):
        return None
    if all(len(group) == 1 for group in groups):
        share = Share(sum(bool(group[0]) for group in groups), len(groups))
        return Rate(share.value, *share.interval)
    return Rate(*paired_interval([[int(bool(passed)) for passed in group] for group in groups]))


def total_cost(rows: Iterable[RunRow]) -> Cost:
    """Return the sums over runs; wall time is unknown when it is of one of them."""
    listed = [row.cost for row in rows]
    roles: Counter[str] = Counter()
    for cost in listed:
        roles.update({each.role: each.calls for each in cost.by_role})
    walls = [cost.wall_seconds for cost in listed]
    summed = {
        name: sum(getattr(cost, name) for cost in listed)
        for name in Cost.model_fields
        if name not in ("by_role", "wall_seconds")
    }
    return Cost(
        **summed,
        by_role=tuple(RoleCalls(role=role, calls=roles[role]) for role in ROLES if roles[role]),
        wall_seconds=None if None in walls else sum(wall or 0.0 for wall in walls),
    )


def _mean_cost(spent: Cost, runs: int) -> MeanCost:
    return MeanCost(
        calls=spent.calls / runs,
        tokens=spent.tokens / runs,
        prompt_tokens=spent.prompt_tokens / runs,
        completion_tokens=spent.completion_tokens / runs,
        model_seconds=spent.model_seconds / runs,
        sandbox_runs=spent.sandbox_runs / runs,
    )


def _gain(tasks: Mapping[str, Sequence[RunRow]], basis: Basis, name: str) -> float:
    gains = [[getattr(row.scores(basis), name) for row in group] for group in tasks.values()]
    means = [Fraction(sum(group), len(group)) for group in gains]
    return float(sum(means) / len(means)) if means else 0.0
