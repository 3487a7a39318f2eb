"""`auditcoder show`: one run in the terminal, from its ledger alone."""

from __future__ import annotations

from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder show`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd S1_S2`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd 42`
"""
Part = Annotated[
    str | None, typer.Argument(metavar="[NODE|LINE]", help="A node id, or a line of program.py.", show_default=False)
]


@guarded
def command(run: o.RunFolder = None, part: Part = None, *, json: o.Json = False, debug: o.Debug = False) -> int:
    """Show a run: task, nodes and owners, checks, repairs, usage; or one node; or who owns a line."""
    from auditcoder.cli import show_work

    return show_work.show(run, part or "", json=json)
