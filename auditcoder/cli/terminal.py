"""The consoles that the commands print to."""

from __future__ import annotations

import os
import sys

from rich.console import Console

from auditcoder.cli.exits import discard

WIDE = 160


class QuietlyBroken(Console):
    """A console that goes on in silence when its reader goes away: a run is worth more than its display."""

    def on_broken_pipe(self) -> None:
        """Write nothing more."""
        self.quiet = True
        discard(sys.stderr if self.stderr else sys.stdout)


def terminal(*, stderr: bool = False) -> Console:
    """Return a console that takes text as it is; into a file or pipe tables may be wide instead of cut."""
    console = QuietlyBroken(stderr=stderr, highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDE
    return console
