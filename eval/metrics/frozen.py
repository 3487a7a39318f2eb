"""The frozen list as rows: every run that should be there, missing ones included (methods/README, rule 20)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditcoder.eval.metrics.measuring import missing_row
from auditcoder.eval.metrics.row import Cell, RunRow, TaskFacts


def completed(
    rows: Iterable[RunRow], tasks: Sequence[TaskFacts], cells: Sequence[Cell], seeds: Sequence[int]
) -> list[RunRow]:
    """Return one row for every run of the frozen list, in its order; what left no row failed and is listed so.

    Raises:
        ValueError: two rows are of one run, or a row is of none of the list.
    """
    known: dict[tuple[Cell, str, int], RunRow] = {}
    for row in rows:
        key = (row.cell, row.task, row.seed)
        if key in known:
            raise ValueError(f"there are two rows of {row.method} on {row.task}, seed {row.seed}")
        known[key] = row
    listed: list[RunRow] = []
    for cell in cells:
        for facts in tasks:
            if facts.suite == cell.suite:
                listed += [known.pop((cell, facts.task, seed), missing_row(cell, seed, facts)) for seed in seeds]
    if known:
        cell, task, seed = min(known)
        raise ValueError(f"{cell.method} on {task}, seed {seed}, is not in the frozen list")
    return listed
