"""`auditcoder diff`: two runs, or two states of one run, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder diff runs/a runs/b`
- `auditcoder diff runs/a@12 runs/a`

Exit codes: 0 the same, 1 they differ, 2 usage.
"""
One = Annotated[
    str, typer.Argument(metavar="RUN[@N]", help="Run folder; with @N its state after event N.", show_default=False)
]
Other = Annotated[str, typer.Argument(metavar="RUN[@N]", help="The run to compare it with.", show_default=False)]


@guarded
def command(one: One, other: Other, *, json: o.Json = False, debug: o.Debug = False) -> int:
    """Compare two runs: task, settings, plan, program, checks, findings, repairs, usage, and where they part."""
    from auditcoder.cli import diff_work

    return diff_work.diff(one, other, json=json)
