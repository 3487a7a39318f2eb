"""The work of `auditcoder diff`: two ledgers are read, compared, and shown."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import NamedTuple

from auditcoder.audit.comparing import compare
from auditcoder.audit.restoring import upto
from auditcoder.cli.exits import FINDINGS, OK, usage_error
from auditcoder.cli.show_work import folder_of
from auditcoder.cli.showing.comparison import comparison_part
from auditcoder.cli.terminal import terminal
from auditcoder.ledger.chain import LEDGER_NAME, Ledger
from auditcoder.ledger.outputs import load_ledger
from auditcoder.paths import exists, short


class Side(NamedTuple):
    """One of the two runs."""

    name: str
    ledger: Ledger


def diff(one: str, other: str, *, json: bool) -> int:
    """Print how two runs differ, and return the exit code.

    Raises:
        ConfigError: there is no such run, or it has no such event.
        LedgerError: a ledger is corrupt.
        RecordError: a ledger does not begin with the start of a run.
    """
    left, right = side(one), side(other)
    found = compare(left.ledger, right.ledger)
    part = comparison_part(found, left.name, right.name)
    if json:
        print(json_module.dumps(part.data, indent=2, ensure_ascii=True))
    else:
        console = terminal()
        for shown in part.text:
            console.print(shown)
    return OK if found.same else FINDINGS


def side(named: str) -> Side:
    """Return the ledger that is meant by `RUN`, or its beginning that is meant by `RUN@N`.

    Raises:
        UsageError: there is no such run, it has no such event, or no number stands behind the `@`.
        LedgerError: the ledger is corrupt.
    """
    run, mark, event = named.rpartition("@")
    if not mark or exists(Path(named)):
        return Side(named, load_ledger(folder_of(Path(named))))
    if event.isascii() and event.isdecimal():
        return Side(named, upto(load_ledger(folder_of(Path(run))), int(event)))
    if not exists(Path(run)):
        raise usage_error(f"there is no run folder {short(named)}", f"A run folder holds a file {LEDGER_NAME}.")
    raise usage_error(
        f"{short(named)}: the event number behind @ is missing" + (f", {short(event)} is none" if event else ""),
        f"For example {short(run)}@0. List the events: auditcoder show {short(run)} --events",
    )
