"""The work of `auditcoder show`: the record is folded anew from the ledger, then a part of it is shown."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path

from rich.text import Text

from auditcoder.audit.restoring import upto
from auditcoder.cli.exits import FINDINGS, OK, usage_error
from auditcoder.cli.kept import stale_outputs
from auditcoder.cli.runs import is_run
from auditcoder.cli.showing.event import event_text, events_part
from auditcoder.cli.showing.facts import Facts, facts_of
from auditcoder.cli.showing.line import line_part
from auditcoder.cli.showing.node import node_part
from auditcoder.cli.showing.part import Part
from auditcoder.cli.showing.run import run_part
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean
from auditcoder.ledger.chain import LEDGER_NAME, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.outputs import RECORD_NAME, load_ledger
from auditcoder.paths import exists, is_file, short
from auditcoder.records.run import RunRecord

RUNS = Path("runs")
"""Where `solve` makes run folders when no other place is named."""


def show(named: Path | None, what: str, *, at: int | None = None, events: bool = False, json: bool) -> int:
    """Print a run, a node, a line or the events, and return the exit code.

    It is 1 for a whole run that has no program that passes every check; an earlier state has no verdict of its own.

    Raises:
        LedgerError: there is no ledger, or it is corrupt.
        ConfigError: there is no such run, or the run has no such event, node or line.
    """
    if events and what:
        raise usage_error("--events lists the whole run", f"Leave {clean(what)} out.")
    run = folder_of(named) if named else newest_folder(RUNS)
    whole = load_ledger(run)
    ledger = whole if at is None else upto(whole, at)
    record = fold_ledger(ledger)
    if at is None:
        warn_of_changes(run, record)
    part = events_part(ledger.entries) if events else part_of(record, what, facts_of(ledger.events))
    if json:
        print(json_module.dumps(part.data, indent=2, ensure_ascii=True))
    else:
        print_part(part, run if named is None else None, ledger if at is not None else None)
    return OK if what or events or at is not None or solved(record) else FINDINGS


def print_part(part: Part, run: Path | None, earlier: Ledger | None) -> None:
    """Print a part for people, with the run that was not named, and the event of an earlier state."""
    console = terminal()
    if run is not None:
        console.print(Text.assemble((f"{'run':10}", "dim"), clean(str(run))), soft_wrap=True)
    if earlier is not None:
        line = earlier.entries[-1].line
        console.print(
            Text.assemble((f"{'event':10}", "dim"), f"{line.seq}, {line.event.kind}: {event_text(line.event)}")
        )
    for shown in part.text:
        console.print(shown)


def folder_of(path: Path) -> Path:
    """Return the run folder that is meant by it or by its ledger.

    Raises:
        ConfigError: there is neither.
    """
    if path.name == LEDGER_NAME and is_file(path):
        return path.parent
    if not is_run(path):
        hint = f"A run folder holds a file {LEDGER_NAME}; without a name the newest run in {RUNS}/ is shown."
        name = short(path)
        raise usage_error(f"{name} is no run folder" if exists(path) else f"there is no run folder {name}", hint)
    return path


def newest_folder(out: Path) -> Path:
    """Return the run folder whose ledger was written last.

    Raises:
        ConfigError: there is none.
    """
    ledgers = sorted(out.glob(f"*/{LEDGER_NAME}"), key=lambda file: (file.stat().st_mtime, file))
    if not ledgers:
        raise usage_error(f"there is no run in {out}", "Name one: auditcoder show RUN")
    return ledgers[-1].parent


def warn_of_changes(run: Path, record: RunRecord) -> None:
    """Say on standard error when the files of a run are not what is shown here; a run that was killed has none yet."""
    if record.status != "finished" and not exists(run / RECORD_NAME):
        return
    if stale := stale_outputs(run):
        told = f"warning: {' and '.join(stale)} missing or changed; what is shown comes from the ledger"
        print(clean(f"{told}\n  write again: auditcoder solve --resume {run}"), file=sys.stderr)


def solved(record: RunRecord) -> bool:
    """Return whether the run ended with a program that passes every check."""
    return record.status == "finished" and record.rank is not None and record.rank.full_pass


def part_of(record: RunRecord, what: str, facts: Facts) -> Part:
    """Return the part that is meant: nothing is the whole run, digits are a line, all else is a node id."""
    if not what:
        return run_part(record, facts)
    return line_part(record, int(what), facts) if what.isdecimal() else node_part(record, what, facts)
