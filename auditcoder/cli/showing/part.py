"""One shown part of a record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text


class Part(NamedTuple):
    """The same facts twice: `text` for people, `data` (plain JSON) for programs."""

    text: tuple[RenderableType, ...]
    data: object


def table(*columns: str, title: str = "") -> Table:
    """Return an empty table in our style; columns that start with `>` are aligned to the right."""
    made = Table(title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in columns:
        made.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", header_style="dim")
    return made


def hanging(rows: Iterable[tuple[str | Text, str | Text]], width: int) -> Table:
    """Return lines that begin with a label of a fixed width; what does not fit goes on beside it."""
    made = Table.grid(padding=0)
    made.add_column(width=width, overflow="fold")
    made.add_column(overflow="fold")
    for label, text in rows:
        made.add_row(label if isinstance(label, Text) else Text(label), text if isinstance(text, Text) else Text(text))
    return made
