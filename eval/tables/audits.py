"""Audit metrics beside the scores (core.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditcoder.audit.metrics.metric import Measured
from auditcoder.eval.tables.table import Column, Table


def audit_table(measured: Mapping[str, Sequence[Measured]]) -> Table:
    """Return a line a metric and method, with numerator and denominator, and the macro mean where there is one.

    Args:
        measured: The metrics over the runs of each method, by its name.
    """
    rows = [
        (name, one.metric.name, one.numerator, one.denominator, one.value, one.mean, one.missing, one.metric.source)
        for name, metrics in measured.items()
        for one in metrics
    ]
    columns = (
        Column("method"), Column("metric"), Column("numerator"), Column("denominator"), Column("value"),
        Column("macro mean"), Column("runs without input"), Column("source"),
    )  # fmt: skip
    return Table("Audit", columns, tuple(rows))
