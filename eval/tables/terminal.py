"""A table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from auditcoder.eval.tables.table import Table, Value


def renderable(table: Table, width: int) -> RenderableType:
    """Return what a console prints: no text of it is read as markup.

    A table that is wider than the console is turned round, a block of lines a row: narrow columns would be unreadable.
    """
    texts = list(table.texts())
    heads = [column.name for column in table.columns]
    wide = [max(len(line[place]) for line in (heads, *texts)) for place in range(len(heads))]
    shown = _across(table, texts) if sum(wide) + 3 * len(wide) + 1 <= width else _down(heads, texts)
    return Group(Text(table.title, style="bold"), shown, *(Text(f"  {note}") for note in table.notes), Text(""))


def _across(table: Table, texts: Sequence[tuple[str, ...]]) -> RenderableType:
    shown = RichTable()
    for place, column in enumerate(table.columns):
        numbers = all(_is_number(row[place]) for row in table.rows)
        shown.add_column(Text(column.name), justify="right" if numbers else "left", no_wrap=True)
    for row in texts:
        shown.add_row(*(Text(" ".join(cell.split())) for cell in row))
    return shown


def _down(heads: Sequence[str], texts: Sequence[tuple[str, ...]]) -> RenderableType:
    shown = RichTable(show_header=False)
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    for row in texts:
        for head, cell in zip(heads, row, strict=True):
            shown.add_row(Text(head), Text(" ".join(cell.split())))
        shown.add_section()
    return shown


def _is_number(value: Value) -> bool:
    return not isinstance(value, str | bool)
