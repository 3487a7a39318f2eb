"""The work of `auditcoder show`: the record is folded anew from the ledger, then a part of it is shown."""

from __future__ import annotations

import json as json_module
from pathlib import Path

from auditcoder.cli.exits import FINDINGS, OK
from auditcoder.cli.showing.line import line_part
from auditcoder.cli.showing.node import node_part
from auditcoder.cli.showing.part import Part
from auditcoder.cli.showing.run import run_part
from auditcoder.cli.terminal import terminal
from auditcoder.ledger.outputs import load_run
from auditcoder.records.run import RunRecord


def show(run: Path, what: str, *, json: bool) -> int:
    """Print a run, a node or a line, and return the exit code: 1 for a run without a program that passes every check.

    Raises:
        LedgerError: there is no ledger, or it is corrupt.
        ConfigError: the run has no such node or line.
    """
    record = load_run(run.parent if run.is_file() else run)
    part = part_of(record, what)
    if json:
        print(json_module.dumps(part.data, indent=2, ensure_ascii=True))
    else:
        console = terminal()
        for shown in part.text:
            console.print(shown)
    return OK if what or solved(record) else FINDINGS


def solved(record: RunRecord) -> bool:
    """Return whether the run ended with a program that passes every check."""
    return record.status == "finished" and record.rank is not None and record.rank.full_pass


def part_of(record: RunRecord, what: str) -> Part:
    """Return the part that is meant: nothing is the whole run, digits are a line, all else is a node id."""
    if not what:
        return run_part(record)
    return line_part(record, int(what)) if what.isdecimal() else node_part(record, what)
