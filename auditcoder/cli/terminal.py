"""The consoles that the commands print to."""

from __future__ import annotations

import os

from rich.console import Console

WIDE = 160


def terminal(*, stderr: bool = False) -> Console:
    """Return a console that takes text as it is; into a file or pipe tables may be wide instead of cut."""
    console = Console(stderr=stderr, highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDE
    return console
