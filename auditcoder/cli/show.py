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
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd --events`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd --at 12`
"""
Part = Annotated[
    str | None, typer.Argument(metavar="[NODE|LINE]", help="A node id, or a line of program.py.", show_default=False)
]
At = Annotated[
    int | None,
    typer.Option("--at", metavar="N", help="The run as it was right after event N.", show_default=False),
]
Events = Annotated[bool, typer.Option("--events", help="List the events of the ledger: number, time, kind, text.")]


@guarded
def command(
    run: o.RunFolder = None,
    part: Part = None,
    *,
    at: At = None,
    events: Events = False,
    json: o.Json = False,
    debug: o.Debug = False,
) -> int:
    """Show a run: task, nodes and owners, checks, repairs, usage; or one node; or who owns a line; or its events."""
    from auditcoder.cli import show_work

    return show_work.show(run, part or "", at=at, events=events, json=json)
