"""A table for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from auditcoder.eval.tables.table import Table, Value


def renderable(table: Table) -> RenderableType:
    """Return what a console prints: no text of it is read as markup."""
    shown = RichTable(title=Text(table.title), title_justify="left")
    for place, column in enumerate(table.columns):
        numbers = all(_is_number(row[place]) for row in table.rows)
        shown.add_column(Text(column.name), justify="right" if numbers else "left", overflow="fold")
    for row in table.texts():
        shown.add_row(*map(Text, row))
    return Group(shown, *(Text(f"  {note}") for note in table.notes))


def _is_number(value: Value) -> bool:
    return not isinstance(value, str | bool)
