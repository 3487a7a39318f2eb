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
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd --event 15`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd --at 12`
- `auditcoder show runs/vowel-count-20260101-120000-ab12cd S1 --candidate 1`
- `auditcoder show runs`
"""
Part = Annotated[
    str | None,
    typer.Argument(metavar="[NODE|LINE]", help="A node id, or a line of program.py: 42.", show_default=False),
]
At = Annotated[
    int | None,
    typer.Option("--at", metavar="N", help="The run as it was right after event N.", show_default=False),
]
Events = Annotated[bool, typer.Option("--events", help="List the events of the ledger: number, time, kind, text.")]

Event = Annotated[
    int | None,
    typer.Option(
        "--event", metavar="N", help="One event: prompt and answer, code, calls, findings, scope.", show_default=False
    ),
]
Candidate = Annotated[
    int | None,
    typer.Option(
        "--candidate", metavar="N", help="Candidate program N, also one that was turned away.", show_default=False
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Cut nothing: whole statement, reasons, prompts and answers.")]


@guarded
def command(
    run: o.RunFolder = None,
    part: Part = None,
    *,
    at: At = None,
    events: Events = False,
    event: Event = None,
    candidate: Candidate = None,
    full: Full = False,
    json: o.Json = False,
    debug: o.Debug = False,
) -> int:
    """Show a run: task, nodes, checks, candidates, repairs, usage; or a node, a line, an event; or a folder's runs."""
    from auditcoder.cli import show_work

    wanted = show_work.Wanted(part or "", at=at, events=events, event=event, candidate=candidate, full=full)
    return show_work.show(run, wanted, json=json)
