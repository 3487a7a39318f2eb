"""What methods spent, and how their runs ended (methods/README, rules 6 to 9 and 20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from auditcoder.eval.metrics.row import OutcomeKind
from auditcoder.eval.metrics.summary import Summary
from auditcoder.eval.tables.table import Column, Plain, Table
from auditcoder.records.config import ROLES

_CELL = (Column("method"), Column("model"), Column("suite"), Column("protocol"), Column("runs"))
_SUMS = (
    "completions", "refused", "failed", "transport_retries", "cache_hits", "prompt_tokens", "completion_tokens",
    "cached_tokens", "model_seconds", "wall_seconds", "sandbox_runs", "sandbox_checks", "feedback_rounds",
    "triggered_retries", "abstentions", "usd",
)  # fmt: skip


def costs_table(lines: Sequence[Summary]) -> Table:
    """Return the sums over the runs of each method; where the cost of a run is unknown, they are no sums of all."""
    roles = [role for role in ROLES if any(each.role == role for line in lines for each in line.spent.by_role)]
    rows: list[tuple[Plain, ...]] = []
    for line in lines:
        calls = {each.role: each.calls for each in line.spent.by_role}
        sums = [getattr(line.spent, name) for name in _SUMS]
        known: list[Plain] = [line.spent.calls, *(calls.get(role, 0) for role in roles), *sums]
        rows.append((*line.cell, line.runs, *([None] * len(known) if line.invalid else known), line.invalid))
    columns = (
        *_CELL, Column("calls"), *(Column(role) for role in roles),
        *(Column(name.replace("_", " "), 4 if name == "usd" else 1) for name in _SUMS), Column("invalid"),
    )  # fmt: skip
    notes = ("Sums over runs; calls by role. A method with an invalid run has no sums: unknown is not zero.",)
    return Table("Spending", columns, tuple(rows), notes)


def outcomes_table(lines: Sequence[Summary]) -> Table:
    """Return how the runs of each method ended, by kind; every kind is in the denominator."""
    kinds: tuple[OutcomeKind, ...] = get_args(OutcomeKind)
    rows: tuple[tuple[Plain, ...], ...] = tuple(
        (*line.cell, line.runs, *(line.kinds.get(kind, 0) for kind in kinds)) for line in lines
    )
    notes = ("By the final program on all hidden tests. limit: memory, output, or what the sandbox forbids.",)
    return Table("How runs ended", (*_CELL, *(Column(kind) for kind in kinds)), rows, notes)
