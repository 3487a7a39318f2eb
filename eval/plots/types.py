"""Selected pass@1 by problem type or difficulty (paper, figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.eval.metrics.groups import Trait, by_trait
from auditcoder.eval.metrics.row import Basis, Cell, RunRow
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.plots.plot import Dot, Plot, Series


def bars_by_trait(rows: Iterable[RunRow], trait: Trait = "problem_type", basis: Basis = "primary") -> Plot:
    """Return a bar a method for each problem type or difficulty, with its number of tasks."""
    groups = by_trait(rows, trait)
    dots: dict[Cell, list[Dot]] = {}
    for place, group in enumerate(groups.values()):
        for line in summaries(group, basis):
            own = dots.setdefault(line.cell, [])
            if line.selected is not None:
                own.append(Dot(place, *line.selected, label=str(line.tasks)))
    what = trait.replace("_", " ")
    series = tuple(Series(", ".join(cell), tuple(own)) for cell, own in dots.items())
    return Plot("bars", f"Selected pass@1 by {what}", what, "selected pass@1", series, categories=tuple(groups))
