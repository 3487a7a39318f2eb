"""Selected pass@1 against what was spent for it (methods/README, rule 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from auditcoder.eval.metrics.row import Basis, Cell, RunRow
from auditcoder.eval.metrics.summary import Summary, by_task, without_score
from auditcoder.eval.plots.plot import Dot, Plot, Series

_Y = "selected pass@1"


def pass_against_tokens(lines: Sequence[Summary]) -> Plot:
    """Return a line a method through its protocols, by mean tokens a run; what cost is unknown of is left out."""
    groups: dict[Cell, list[Summary]] = {}
    left_out = []
    for line in lines:
        if line.mean is None or line.selected is None:
            left_out.append(f"{_named(line.cell)}, {line.cell.protocol}: its cost is unknown or nothing was scored")
            continue
        groups.setdefault(line.cell._replace(protocol=""), []).append(line)
    series = tuple(Series(_named(cell), tuple(sorted(_dot(line) for line in group))) for cell, group in groups.items())
    title = "Selected pass@1 against tokens"
    return Plot("line", title, "tokens a run (mean)", _Y, series, notes=tuple(left_out))


def pass_while_spending(rows: Iterable[RunRow], basis: Basis = "primary") -> Plot:
    """Return a staircase a method: the mean over tasks of runs whose program would pass, had they stopped there.

    A run that ended keeps its program. Of a method that chooses by its budget this is not what a smaller budget gives.
    """
    groups: dict[Cell, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(row.cell, []).append(row)
    series = tuple(Series(_named(cell, cell.protocol), _stairs(group, basis)) for cell, group in groups.items())
    return Plot("steps", "Pass while spending", "tokens spent in a run", "share of runs that would pass", series)


def _stairs(rows: Sequence[RunRow], basis: Basis) -> tuple[Dot, ...]:
    unscored = without_score(rows, basis)
    tasks = by_task(row for row in rows if row.task not in unscored)
    changes: dict[int, float] = {0: 0.0}
    for group in tasks.values():
        weight = 1 / (len(tasks) * len(group))
        for row in group:
            before = False
            spent = [0, *accumulate(prompt + completion for prompt, completion in row.requests)]
            for point in row.curve:
                passed = bool(point.primary if basis == "primary" else point.all_tests)
                at = spent[min(point.calls, len(spent) - 1)]
                changes[at] = changes.get(at, 0.0) + weight * (passed - before)
                before = passed
    heights = accumulate(changes[at] for at in sorted(changes))
    return tuple(Dot(at, round(height, 12)) for at, height in zip(sorted(changes), heights, strict=True))


def _dot(line: Summary) -> Dot:
    assert line.mean is not None
    assert line.selected is not None
    return Dot(line.mean.tokens, *line.selected, label=line.cell.protocol)


def _named(cell: Cell, *more: str) -> str:
    return ", ".join(part for part in (cell.method, cell.model, cell.suite, *more) if part)
