"""What methods reached, each figure under its own name (methods/README, rules 1 to 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditcoder.eval.metrics.row import Basis
from auditcoder.eval.metrics.summary import Rate, Summary
from auditcoder.eval.tables.table import Bounded, Column, Table

BASES: dict[Basis, str] = {
    "primary": "hidden tests that equal no visible check",
    "all": "all hidden tests",
}
_CELL = (Column("method"), Column("model"), Column("suite"), Column("protocol"))


def methods_table(lines: Sequence[Summary]) -> Table:
    """Return a line a method: first and selected pass@1, the oracle apart, gains, regressions, mean spending."""
    basis = lines[0].basis if lines else "primary"
    rows = [
        (
            *line.cell,
            line.tasks,
            line.runs,
            bounded(line.first),
            bounded(line.selected),
            line.oracle.value if line.oracle else None,
            line.selection_gain,
            line.repair_gain,
            line.regressions,
            line.mean.calls if line.mean else None,
            line.mean.tokens if line.mean else None,
            line.invalid,
        )
        for line in lines
    ]
    columns = (
        *_CELL, Column("tasks"), Column("runs"), Column("first pass@1", bounded=True),
        Column("selected pass@1", bounded=True), Column("oracle any"), Column("selection gain"), Column("repair gain"),
        Column("regressions"), Column("calls a run", 1), Column("tokens a run", 0), Column("invalid"),
    )  # fmt: skip
    return Table(f"Methods, on {BASES[basis]}", columns, tuple(rows), tuple(_notes(lines)))


def pass_at_k_table(lines: Sequence[Summary]) -> Table:
    """Return pass@k over whole runs, a line a method and k (rule 3)."""
    rows = [(*line.cell, line.tasks, line.fewest, k, value) for line in lines for k, value in line.pass_at_k]
    columns = (*_CELL, Column("tasks"), Column("runs a task"), Column("k"), Column("pass@k"))
    notes = ("Unbiased over independent whole runs; candidates inside a run are not counted.",)
    return Table("pass@k", columns, tuple(rows), notes)


def bounded(rate: Rate | None) -> Bounded | None:
    """Return a rate as a cell."""
    return Bounded(*rate) if rate else None


def _notes(lines: Sequence[Summary]) -> Iterator[str]:
    yield "The oracle is an upper bound: it chooses by hidden tests, and ranks nothing."
    single = any(line.fewest < 2 for line in lines)
    yield f"Bounds: 95 %, {'Wilson of one run a task, else ' if single else ''}bootstrap over tasks."
    for line in lines:
        name = f"{line.cell.method}, {line.cell.suite}, {line.cell.protocol}"
        if line.invalid:
            yield f"{name}: invalid, the cost of {line.invalid} of {line.runs} runs is unknown."
        if line.left_out:
            yield f"{name}: {line.left_out} tasks left out, all of their hidden tests equal visible checks."
        if line.several_answers:
            yield f"{name}: {line.several_answers} tasks have tests that refuse right answers."
