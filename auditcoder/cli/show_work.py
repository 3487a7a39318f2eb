"""The work of `auditcoder show`: the record is folded anew from the ledger, then a part of it is shown."""

from __future__ import annotations

import json as json_module
import re
import sys
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from auditcoder.audit.restoring import upto
from auditcoder.cli.exits import FINDINGS, OK, usage_error
from auditcoder.cli.kept import stale_outputs
from auditcoder.cli.runs import is_run, runs_of
from auditcoder.cli.showing.candidate import at_candidate, candidate_part
from auditcoder.cli.showing.event import event_text, events_part
from auditcoder.cli.showing.facts import Facts, facts_of
from auditcoder.cli.showing.line import line_part
from auditcoder.cli.showing.listing import runs_part
from auditcoder.cli.showing.node import node_part
from auditcoder.cli.showing.part import Part
from auditcoder.cli.showing.run import run_part
from auditcoder.cli.showing.single import single_part
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean
from auditcoder.ledger.chain import LEDGER_NAME, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.outputs import RECORD_NAME, load_ledger
from auditcoder.paths import exists, is_dir, is_file, short
from auditcoder.records.run import RunRecord

RUNS = Path("runs")
"""Where `solve` makes run folders when no other place is named."""
LINE = re.compile(r"(?:.*program\.py:)?([0-9]+)")
"""A line of the program: its number, alone or behind the name of the file."""


class Wanted(NamedTuple):
    """What of a run is to be shown; nothing is the whole run."""

    part: str = ""
    """A node id or a line."""
    at: int | None = None
    events: bool = False
    event: int | None = None
    candidate: int | None = None
    full: bool = False


def show(named: Path | None, wanted: Wanted, *, json: bool) -> int:
    """Print a run or a part of it, or the runs of a folder, and return the exit code.

    It is 1 for a whole run that has no program that passes every check; an earlier state, a part of a run and a list
    of runs have no verdict of their own.

    Raises:
        LedgerError: there is no ledger, or it is corrupt.
        ConfigError: there is no such run, or the run has no such event, candidate, node or line.
    """
    refuse_mixed(wanted)
    if named is not None and wanted._replace(full=False) == Wanted() and (folders := folders_in(named)):
        printed(runs_part(named, folders), json=json)
        return OK
    run = folder_of(named) if named else newest_folder(RUNS)
    whole = load_ledger(run)
    ledger = whole if wanted.at is None else upto(whole, wanted.at)
    record = fold_ledger(ledger)
    if wanted.at is None:
        warn_of_changes(run, record)
    facts = facts_of(ledger.events)
    facts.full = wanted.full
    if wanted.at is not None:
        facts.moment = f"state after event {wanted.at} of {whole.entries[-1].line.seq}"
    part = part_of(record, ledger, wanted, facts)
    printed(part, json=json, run=run if named is None else None, earlier=ledger if wanted.at is not None else None)
    whole_run = wanted._replace(full=False) == Wanted()
    return OK if not whole_run or solved(record) else FINDINGS


def refuse_mixed(wanted: Wanted) -> None:
    """Refuse options that name different things.

    Raises:
        ConfigError: two of them do.
    """
    part = clean(wanted.part)
    if wanted.events and part:
        raise usage_error("--events lists the whole run", f"Leave {part} out.")
    if wanted.event is not None and part:
        raise usage_error("--event shows one event of the run", f"Leave {part} out.")
    chosen = [("--events", wanted.events), ("--event", wanted.event is not None)]
    chosen += [("--candidate", wanted.candidate is not None)]
    names = [name for name, given in chosen if given]
    if len(names) > 1:
        raise usage_error(f"{' and '.join(names)} show different things", "Give one of them.")


def folders_in(path: Path) -> list[Path]:
    """Return the run folders in a folder that is no run itself, by name; none when there are none."""
    return runs_of(path) if is_dir(path) and not is_run(path) and any(path.rglob(LEDGER_NAME)) else []


def printed(part: Part, *, json: bool, run: Path | None = None, earlier: Ledger | None = None) -> None:
    """Print a part, as JSON or for people."""
    if json:
        print(json_module.dumps(part.data, indent=2, ensure_ascii=True))
    else:
        print_part(part, run, earlier)


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
        again = f"auditcoder restore {run} --at {record.events - 1} --out DIR"
        print(clean(f"{told}\n  the files as the ledger gives them: {again}"), file=sys.stderr)


def solved(record: RunRecord) -> bool:
    """Return whether the run ended with a program that passes every check.

    Without a check it did where the task has no examples; a method that lost its own checks has shown nothing.
    """
    done = record.status == "finished" and record.rank is not None and record.rank.full_pass
    return done and bool(record.checks or not record.task.examples)


def part_of(record: RunRecord, ledger: Ledger, wanted: Wanted, facts: Facts) -> Part:
    """Return the part that is meant: nothing is the whole run, a number is a line, all else is a node id."""
    if wanted.events:
        return events_part(ledger.entries)
    if wanted.event is not None:
        return single_part(ledger, wanted.event, facts)
    active = record.candidate
    if wanted.candidate is not None:
        record, facts = at_candidate(record, facts, wanted.candidate)
    if not wanted.part:
        return run_part(record, facts) if wanted.candidate is None else candidate_part(record, active, facts)
    line = LINE.fullmatch(wanted.part)
    return line_part(record, int(line[1]), facts) if line else node_part(record, wanted.part, facts)
