"""All tables of a study from its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditcoder.eval.metrics.comparison import Comparison, compare, together
from auditcoder.eval.metrics.matched import Budget, matched
from auditcoder.eval.metrics.pairs import Paired, first_program_fails, only, paired
from auditcoder.eval.metrics.row import Basis, Cell, RunRow
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.tables.breakdown import breakdown_table
from auditcoder.eval.tables.comparisons import comparisons_table
from auditcoder.eval.tables.costs import costs_table, outcomes_table
from auditcoder.eval.tables.methods import methods_table, pass_at_k_table
from auditcoder.eval.tables.table import Table

CONTROL = "fresh-start"
BUDGETS: tuple[Budget, ...] = ("calls", "tokens")


class Named(NamedTuple):
    """A table with the name of its file."""

    name: str
    table: Table


def study_tables(rows: Sequence[RunRow], reference: str = "auditcoder") -> list[Named]:
    """Return the tables of a study; those without a line are left out.

    Args:
        rows: One a run of the frozen list.
        reference: The method that every other one is compared with.
    """
    primary, every = summaries(rows), summaries(rows, "all")
    found = [
        Named("methods", methods_table(primary)),
        Named("methods-all-tests", methods_table(every)),
        Named("pass-at-k", pass_at_k_table([line for line in primary if line.fewest > 1])),
        Named("spending", costs_table(primary)),
        Named("ends", outcomes_table(primary)),
        Named("comparisons", comparisons_table(against_reference(rows, reference))),
        Named("fresh-start", comparisons_table(against_control(rows), "Against fresh start at equal spending")),
    ]
    if any(row.difficulty for row in rows):
        found.append(Named("difficulty", breakdown_table(rows, "difficulty")))
    if any(row.problem_type for row in rows):
        found.append(Named("problem-type", breakdown_table(rows, "problem_type")))
    return [one for one in found if one.table.rows]


def against_reference(rows: Sequence[RunRow], reference: str, basis: Basis = "primary") -> list[Comparison]:
    """Return the reference against every other method with the same model, suite and protocol."""
    cells = _cells(rows)
    found = [
        compare(reference, cell.method, paired(cells[own], group), where=_where(cell), basis=basis)
        for cell, group in cells.items()
        if cell.method != reference and (own := cell._replace(method=reference)) in cells
    ]
    return together(found)


def against_control(rows: Sequence[RunRow], basis: Basis = "primary") -> list[Comparison]:
    """Return every method that reacts against fresh start at the calls, then the tokens, that it spent (rule 11).

    On all tasks, then on those whose first program fails a check. Of fresh start the runs with most requests serve.
    """
    cells = _cells(rows)
    found = [
        one
        for cell, group in cells.items()
        if cell.method != CONTROL and any(map(_reacts, group)) and (widest := _widest(cells, cell))
        for one in _at_equal_spending(cell, paired(group, widest), basis)
    ]
    return together(found)


def _at_equal_spending(cell: Cell, found: Paired, basis: Basis) -> Iterator[Comparison]:
    for budget in BUDGETS:
        cut = matched(found, budget)
        short = f"; {cut.short} controls ended before" if cut.short else ""
        where = f"{_where(cell)}, equal {budget}{short}"
        yield compare(cell.method, CONTROL, cut.paired, where=where, basis=basis)
        failing = Paired(only(cut.paired.pairs, first_program_fails), cut.paired.unpaired)
        yield compare(cell.method, CONTROL, failing, where=f"{where}, first program fails", basis=basis)


def _cells(rows: Sequence[RunRow]) -> dict[Cell, list[RunRow]]:
    cells: dict[Cell, list[RunRow]] = {}
    for row in rows:
        cells.setdefault(row.cell, []).append(row)
    return cells


def _widest(cells: dict[Cell, list[RunRow]], like: Cell) -> list[RunRow]:
    """Return the runs of the control, of all its protocols, that had most requests; none without any."""
    fitting = [
        group
        for cell, group in cells.items()
        if cell.method == CONTROL and (cell.model, cell.suite) == (like.model, like.suite)
    ]
    return max(fitting, key=lambda group: sum(row.cost.calls for row in group) / len(group), default=[])


def _reacts(row: RunRow) -> bool:
    return bool(row.repairs or row.cost.feedback_rounds or row.cost.triggered_retries)


def _where(cell: Cell) -> str:
    return f"{cell.suite}, {cell.model}, {cell.protocol}"
