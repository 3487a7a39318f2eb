"""`auditcoder restore`: an earlier state of a run as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder show runs/RUN --events`
- `auditcoder restore runs/RUN --at 12 --out before-the-repair`
"""
Run = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder, or its ledger.jsonl.", show_default=False)]
At = Annotated[
    int,
    typer.Option("--at", metavar="N", help="Number of the event: the state right after it.", show_default=False),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.", show_default=False)]
Force = Annotated[
    bool, typer.Option("--force", help="Write also into a folder that is not empty; never over another run's ledger.")
]


@guarded
def command(run: Run, at: At, out: Out, *, force: Force = False, json: o.Json = False, debug: o.Debug = False) -> int:
    """Write program.py, record.json and the ledger of a run as they were right after event N."""
    from auditcoder.cli import restore_work

    return restore_work.restore_run(run, at, out, force=force, json=json)
