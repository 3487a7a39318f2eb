"""A table as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.eval.tables.table import Table


def markdown(table: Table) -> str:
    """Return a table with its title as a heading and its notes below it."""
    head = [column.name for column in table.columns]
    lines = [f"### {table.title}", "", _line(head), _line("---" for _ in head)]
    lines += [_line(row) for row in table.texts()]
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Return a text that stays inside its cell."""
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())
