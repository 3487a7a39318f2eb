"""One shown part of a record."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table


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
