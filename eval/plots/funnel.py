"""From failing runs to mended ones: where localization and repair lose them (paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from auditcoder.eval.metrics.row import Basis, Cell, RunRow
from auditcoder.eval.metrics.summary import without_score
from auditcoder.eval.plots.plot import Dot, Plot, Series

STEPS = ("fail a check first", "receive a scope", "have a repair accepted", "pass every check", "pass the hidden tests")


def localization_funnel(rows: Iterable[RunRow], basis: Basis = "primary") -> Plot:
    """Return, for every method that localizes, how many runs reach each step; each step is a part of the one before."""
    listed = list(rows)
    unscored = without_score(listed, basis)
    groups: dict[Cell, list[RunRow]] = {}
    for row in listed:
        if row.task not in unscored:
            groups.setdefault(row.cell, []).append(row)
    series = [
        Series(", ".join(cell), _dots(group, basis))
        for cell, group in groups.items()
        if any(row.repairs for row in group)
    ]
    notes = (f"{len(unscored)} tasks have no score on this basis",) if unscored else ()
    return Plot(
        "bars", "Localization funnel", "", "runs", tuple(series), categories=STEPS, share=False, notes=notes
    )  # fmt: skip


def _dots(rows: Sequence[RunRow], basis: Basis) -> tuple[Dot, ...]:
    left = list(rows)
    dots = []
    for place, reaches in enumerate(_reaching(basis)):
        left = [row for row in left if reaches(row)]
        dots.append(Dot(place, len(left), label=str(len(left))))
    return tuple(dots)


def _reaching(basis: Basis) -> tuple[Callable[[RunRow], bool], ...]:
    return (
        lambda row: row.checked and bool(row.curve) and not row.initial_visible,
        lambda row: any(repair.localized for repair in row.repairs),
        lambda row: any(repair.decision == "accepted" for repair in row.repairs),
        lambda row: row.final_visible,
        lambda row: bool(row.passed("selected", basis)),
    )
