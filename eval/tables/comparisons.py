"""Comparisons of two methods, shown together (methods/README, rules 11 and 17)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.eval.metrics.comparison import FEWEST_RUNS, LEVEL, Comparison
from auditcoder.eval.tables.table import Bounded, Column, Table

NOTES = (
    "Difference: 95 % interval with resampled tasks (ideal bootstrap). p: McNemar, exact and mid-p; of several runs a "
    "task whole tasks change sides. adjusted: the exact p among all lines of this table (Holm).",
    f"`better` and `worse` need an interval without 0, an adjusted p below {LEVEL}, and {FEWEST_RUNS} runs a task.",
)


def comparisons_table(comparisons: Sequence[Comparison], title: str = "Comparisons") -> Table:
    """Return a line a comparison, with what its word rests on."""
    rows = [
        (
            one.first,
            one.second,
            one.where,
            one.tasks,
            one.pairs,
            *one.rates,
            Bounded(*one.interval) if one.interval else None,
            one.of_runs.low if one.of_runs else None,
            one.of_runs.high if one.of_runs else None,
            one.test.first_only if one.test else None,
            one.test.second_only if one.test else None,
            one.test.exact if one.test else None,
            one.test.mid_p if one.test else None,
            one.adjusted,
            *(one.calls or (None, None)),
            *(one.tokens or (None, None)),
            one.word,
            "; ".join(one.held_back),
        )
        for one in comparisons
    ]
    columns = (
        Column("first"), Column("second"), Column("where"), Column("tasks"), Column("pairs"), Column("rate first"),
        Column("rate second"), Column("difference", bounded=True), Column("repeats low"), Column("repeats high"),
        Column("first only"), Column("second only"), Column("p exact", 4), Column("p mid", 4), Column("p adjusted", 4),
        Column("calls first", 1), Column("calls second", 1), Column("tokens first", 0), Column("tokens second", 0),
        Column("first is"), Column("held back by"),
    )  # fmt: skip
    return Table(title, columns, tuple(rows), NOTES)
