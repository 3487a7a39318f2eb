"""Methods by difficulty or by problem type of the tasks."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.eval.metrics.groups import Trait, by_trait
from auditcoder.eval.metrics.row import Basis, RunRow
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.tables.methods import BASES, bounded
from auditcoder.eval.tables.table import Column, Table


def breakdown_table(rows: Iterable[RunRow], trait: Trait, basis: Basis = "primary") -> Table:
    """Return a line for each group of tasks and method; groups are small, so their bounds belong to the figures."""
    lines = [
        (
            name,
            *line.cell,
            line.tasks,
            line.runs,
            bounded(line.first),
            bounded(line.selected),
            line.regressions,
            line.mean.tokens if line.mean else None,
        )
        for name, group in by_trait(rows, trait).items()
        for line in summaries(group, basis)
    ]
    what = trait.replace("_", " ")
    columns = (
        Column(what), Column("method"), Column("model"), Column("suite"), Column("protocol"), Column("tasks"),
        Column("runs"), Column("first pass@1", bounded=True), Column("selected pass@1", bounded=True),
        Column("regressions"), Column("tokens a run", 0),
    )  # fmt: skip
    return Table(f"By {what}, on {BASES[basis]}", columns, tuple(lines))
