"""`auditcoder audit`: the audit metrics over a set of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder audit runs`
- `auditcoder audit runs/a runs/b --json`
- `auditcoder audit runs --outcomes outcomes.json`

Exit codes: 0 every metric that must be 1 is 1; 1 one of them is not, or a ledger is corrupt; 2 usage;
3 a ledger cannot be read.
"""
Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUNS...", help="Run folders, ledgers, or folders that hold runs.", show_default=False),
]
OutcomesFile = Annotated[
    Path | None,
    typer.Option("--outcomes", metavar="FILE", help="JSON file with what an evaluation measured on hidden tests.",
                 show_default=False),
]  # fmt: skip
NoReplay = Annotated[bool, typer.Option("--no-replay", help="Do not verify each run, which takes the most time.")]


@guarded
def command(
    runs: Runs,
    *,
    outcomes: OutcomesFile = None,
    no_replay: NoReplay = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> int:
    """Measure records, localization, repairs and replay over runs, with numerator, denominator and mean."""
    from auditcoder.cli import audit_work

    return audit_work.audit(runs, outcomes, replay=not no_replay, json=json, quiet=quiet)
