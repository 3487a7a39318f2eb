"""`auditcoder verify`: every decision of a run made again from its ledger, without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder verify runs/vowel-count-20260101-120000-ab12cd`
- `auditcoder verify runs`
- `auditcoder verify runs --replay --execute`
- `auditcoder verify runs --json > verified.json`
- `auditcoder verify --explain V15`

Exit codes: 0 all verified, 1 a difference or an unfinished run, 2 usage, 3 an unreadable ledger, or environment.
"""
Runs = Annotated[
    list[Path] | None,
    typer.Argument(metavar="RUN...", help="Run folder, its ledger.jsonl, or a folder of run folders.",
                   show_default=False),
]  # fmt: skip
Execute = Annotated[
    bool,
    typer.Option("--execute", help="Also run every recorded execution again in the sandbox and compare the results."),
]
Replay = Annotated[
    bool,
    typer.Option("--replay", help="Also run the pipeline itself over the record, so that nothing that had to happen "
                 "is missing. For runs of this version of auditcoder."),
]  # fmt: skip
Explain = Annotated[
    str,
    typer.Option("--explain", metavar="NUMBER", help="Say what a check compares, V1 to V23, and verify nothing.",
                 show_default=False),
]  # fmt: skip


@guarded
def command(
    runs: Runs = None,
    *,
    replay: Replay = False,
    execute: Execute = False,
    explain: Explain = "",
    weak: o.Weak = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> int:
    """Verify runs: recompute every decision from the evidence recorded before it, and report each difference."""
    from auditcoder.cli import verify_work

    if explain:
        return verify_work.explain(explain, runs or [], json=json)
    return verify_work.verify(runs or [], replay=replay, execute=execute, weak=weak, json=json, quiet=quiet)
