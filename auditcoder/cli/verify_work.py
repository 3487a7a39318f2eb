"""The work of `auditcoder verify`: the runs that are meant, their audits, a table and the differences below it."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from auditcoder.audit.verification import Verification
from auditcoder.audit.verify import verify_run
from auditcoder.cli.exits import FINDINGS, OK
from auditcoder.cli.runs import runs_of
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean, counted, one_line
from auditcoder.cli.wiring import Environment, sandbox
from auditcoder.core.protocols import Executor
from auditcoder.paths import short

SHOWN = 20
"""Differences of one run that are shown; `--json` has all."""
SCHEMA = 1
"""Version of the form of `--json`."""


class Audited(NamedTuple):
    """A run folder and what its audit found."""

    run: Path
    result: Verification


def verify(named: Sequence[Path], *, execute: bool, weak: bool, json: bool, quiet: bool) -> int:
    """Verify runs, print what was found, and return the exit code: 1 for a difference or an unfinished run.

    Raises:
        ConfigError: there is no such run, or a folder without runs.
        LedgerError: a ledger cannot be read.
        SandboxError: with `execute`, the isolation is too weak, or failed.
    """
    runs = list(dict.fromkeys(run for path in named for run in runs_of(path)))
    with ExitStack() as stack:
        executor: Executor | None = None
        if execute:
            executor = stack.enter_context(sandbox(Environment(weak_isolation=weak)))
        audited = list(_audits(runs, executor, quiet=quiet or json))
    if json:
        print(json_module.dumps(data_of(audited), indent=2, ensure_ascii=True))
    else:
        _print(audited, execute=execute)
    return OK if all(each.result.verified for each in audited) else FINDINGS


def _audits(runs: Sequence[Path], executor: Executor | None, *, quiet: bool) -> Iterator[Audited]:
    for number, run in enumerate(runs, start=1):
        if not quiet and len(runs) > 1 and sys.stderr.isatty():
            print(f"\r\x1b[K{number}/{len(runs)} {clean(short(run))}", end="", file=sys.stderr, flush=True)
        yield Audited(run, verify_run(run, executor=executor))
    if not quiet and len(runs) > 1 and sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def data_of(audited: Sequence[Audited]) -> dict[str, Any]:
    """Return the results as plain JSON; its form is versioned and only grows."""
    return {
        "schema": SCHEMA,
        "verified": all(each.result.verified for each in audited),
        "runs": [_run_data(each) for each in audited],
    }


def _run_data(each: Audited) -> dict[str, Any]:
    result = each.result
    return {
        "run": str(each.run),
        "status": result.status,
        "format": result.format,
        "events": result.events,
        "finished": result.finished,
        "compared": result.compared,
        "checks": {
            check.value: count for check, count in sorted(result.comparisons.items(), key=lambda c: int(c[0][1:]))
        },
        "failed": [check.value for check in result.failed],
        "differences": [{**difference._asdict(), "check": difference.check.value} for difference in result.differences],
        "explained": [explained._asdict() for explained in result.explained],
        "executions": result.executions,
        "notes": list(result.notes),
    }


def _print(audited: Sequence[Audited], *, execute: bool) -> None:
    console = terminal()
    console.print(_overview(audited, execute=execute))
    for each in audited:
        for line in details(each):
            console.print(Text(clean(line)), soft_wrap=True)
    verified = sum(each.result.verified for each in audited)
    if len(audited) > 1:
        console.print(Text(f"{verified} of {counted(len(audited), 'run')} verified"))


def _overview(audited: Sequence[Audited], *, execute: bool) -> Table:
    shown = table("run", "status", ">events", ">compared", "differences", *([">executed"] if execute else []))
    for each in audited:
        result = each.result
        failed = f" ({', '.join(check.value for check in result.failed)})" if result.failed else ""
        row = [
            one_line(short(each.run)), result.status, str(result.events), str(result.compared),
            f"{len(result.differences)}{failed}",
        ]  # fmt: skip
        shown.add_row(*row, *([str(result.executions)] if execute else []))
    return shown


def details(each: Audited) -> Iterator[str]:
    """Yield the lines below the table: differences, explained ones and notes of one run."""
    result = each.result
    if result.differences or result.explained or result.notes or not result.finished:
        yield f"\n{short(each.run)}"
    if not result.finished:
        yield "  not finished: what there is so far was verified"
    for difference in result.differences[:SHOWN]:
        yield f"  event {difference.event}  {difference.check.value} {difference.what}"
        if difference.recorded or difference.recomputed:
            yield f"      recorded    {difference.recorded}"
            yield f"      recomputed  {difference.recomputed}"
    if len(result.differences) > SHOWN:
        yield f"  and {len(result.differences) - SHOWN} more; --json has all"
    for explained in result.explained:
        yield f"  event {explained.event}  explained: {explained.what}: {explained.reason}"
    yield from (f"  note: {note}" for note in result.notes)
