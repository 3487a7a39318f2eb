"""`auditcoder schema`: the JSON Schemas of the files that we read and write."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder schema task > task.schema.json`
- `auditcoder schema record`
- `auditcoder schema outcomes`
"""
Which = Annotated[Literal["task", "record", "ledger", "outcomes"], typer.Argument(help="What to describe.")]


@guarded
def command(which: Which = "task", *, debug: o.Debug = False) -> int:
    """Print the JSON Schema of task files, of record.json and ledger lines, of a ledger line, or of outcomes files."""
    from auditcoder.cli import schema_work

    return schema_work.schema(which)
