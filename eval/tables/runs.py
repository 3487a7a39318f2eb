"""Rows of runs as a flat table: what CSV and Parquet files of a study hold."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.eval.metrics.row import Cost, RunRow, Scores
from auditcoder.eval.tables.table import Column, Plain, Table
from auditcoder.records.config import ROLES

_KEYS = (
    "suite", "task", "method", "model", "protocol", "seed", "difficulty", "problem_type", "kind", "error",
    "several_answers", "checked", "first_visible", "initial_visible", "final_visible",
)  # fmt: skip
_SCORES = ("first", "initial", "selected", "oracle", "selection_gain", "repair_gain", "regression")
_COSTS = tuple(name for name in Cost.model_fields if name != "by_role")


def runs_table(rows: Sequence[RunRow]) -> Table:
    """Return a line a run; the cost of an invalid one is not known, which is not 0."""
    names = [
        *_KEYS, *(f"primary_{name}" for name in _SCORES), *(f"all_{name}" for name in _SCORES), *_COSTS,
        *(f"calls_{role}" for role in ROLES), "repairs", "accepted", "localized", "invalid",
    ]  # fmt: skip
    return Table("Runs", tuple(Column(name) for name in names), tuple(_flat(row) for row in rows))


def _flat(row: RunRow) -> tuple[Plain, ...]:
    roles = {each.role: each.calls for each in row.cost.by_role}
    spent = [*(getattr(row.cost, name) for name in _COSTS), *(roles.get(role, 0) for role in ROLES)]
    return (
        *(getattr(row, name) for name in _KEYS),
        *_scored(row.primary),
        *_scored(row.all_tests),
        *([None] * len(spent) if row.invalid else spent),
        len(row.repairs),
        sum(repair.decision == "accepted" for repair in row.repairs),
        any(repair.localized for repair in row.repairs),
        "; ".join(row.invalid),
    )


def _scored(scores: Scores | None) -> list[Plain]:
    return [None if scores is None else getattr(scores, name) for name in _SCORES]
