"""What scores are worth that a method gave itself (methods/README, rule 18)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.eval.metrics.self_scores import ScoreStudy
from auditcoder.eval.tables.table import Column, Table


def scores_table(studies: Sequence[ScoreStudy]) -> Table:
    """Return a line a kind of score: rank correlation with the hidden result, and choosing by it against chance."""
    rows = tuple(
        (one.what, one.items, one.judged, one.correlation.rho, one.correlation.tau, one.runs, one.best, one.random)
        for one in studies
    )
    columns = (
        Column("score"), Column("items"), Column("judged"), Column("Spearman rho"), Column("Kendall tau-b"),
        Column("runs with a choice"), Column("highest passes"), Column("random passes"),
    )  # fmt: skip
    return Table("Self-given scores", columns, rows)
