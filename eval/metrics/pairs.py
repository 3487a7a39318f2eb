"""Two methods on the same tasks and seeds, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from auditcoder.eval.metrics.row import Basis, Measure, RunRow
from auditcoder.eval.metrics.summary import without_score


class Pair(NamedTuple):
    """One run of each."""

    first: RunRow
    second: RunRow


class Paired(NamedTuple):
    """The pairs of two sets of rows, and what found no partner."""

    pairs: tuple[Pair, ...]
    unpaired: int


def paired(first: Iterable[RunRow], second: Iterable[RunRow]) -> Paired:
    """Return the runs of the same model, suite, task and seed; the protocols may differ, and are named with a result.

    Raises:
        ValueError: two rows of one side are of the same run.
    """
    left, right = _indexed(first), _indexed(second)
    both = [key for key in left if key in right]
    return Paired(tuple(Pair(left[key], right[key]) for key in both), len(left) + len(right) - 2 * len(both))


def differences(pairs: Sequence[Pair], measure: Measure, basis: Basis) -> dict[str, list[int]]:
    """Return 1, 0 or -1 a pair, by task: tasks without a score on the basis are in neither method's rate.

    Raises:
        ValueError: a run was not measured so.
    """
    unscored = without_score((row for pair in pairs for row in pair), basis)
    found: dict[str, list[int]] = {}
    for pair in pairs:
        if pair.first.task in unscored:
            continue
        passed = [row.passed(measure, basis) for row in pair]
        if None in passed:
            raise ValueError(f"the {measure} of a run on {pair.first.task} was not measured")
        found.setdefault(pair.first.task, []).append(int(bool(passed[0])) - int(bool(passed[1])))
    return found


def only(pairs: Iterable[Pair], wanted: Callable[[RunRow], bool]) -> tuple[Pair, ...]:
    """Return the pairs whose first run is as wanted."""
    return tuple(pair for pair in pairs if wanted(pair.first))


def first_program_fails(row: RunRow) -> bool:
    """Return whether the first program fails a development check: where repair has something to do (rule 11)."""
    return row.checked and not row.first_visible


def _indexed(rows: Iterable[RunRow]) -> dict[tuple[str, str, str, int], RunRow]:
    found: dict[tuple[str, str, str, int], RunRow] = {}
    for row in rows:
        key = (row.model, row.suite, row.task, row.seed)
        if key in found:
            raise ValueError(f"two runs of {row.method} are on {row.task} with seed {row.seed}: compare one protocol")
        found[key] = row
    return found
