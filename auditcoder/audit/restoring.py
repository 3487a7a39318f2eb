"""Any earlier state of a run, as it was then (core.md section 7): a prefix of its ledger is the run at that time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from auditcoder.errors import LedgerCorruptError, LedgerError, RecordError, UsageError
from auditcoder.ledger.chain import LEDGER_NAME, Ledger, readable_chain
from auditcoder.ledger.files import replace_file
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME, load_ledger, render_program, render_record
from auditcoder.paths import exists, is_dir, short
from auditcoder.records.ledger import LedgerLine
from auditcoder.records.run import RunRecord


class Restored(NamedTuple):
    """The state of a run right after one of its events."""

    line: LedgerLine
    """The event, with its number and time."""
    record: RunRecord
    files: Mapping[str, bytes]
    """By name: the ledger up to the event, `record.json`, and `program.py` once there was a program."""


def restore(ledger: Ledger, event: int) -> Restored:
    """Return the state right after event `event` (0, 1, ...): what the run would have written had it ended there.

    Raises:
        UsageError: the ledger has no such event.
        RecordError: the ledger does not begin with the start of a run.
    """
    prefix = Ledger(upto(ledger, event).entries)
    record = fold_ledger(prefix)
    files = {LEDGER_NAME: prefix.data, RECORD_NAME: render_record(record)}
    if record.assembly is not None:
        files[PROGRAM_NAME] = render_program(record)
    return Restored(prefix.entries[-1].line, record, files)


class Intact(NamedTuple):
    """The events of a run that hold."""

    ledger: Ledger
    damage: str
    """What is wrong with the run behind them; empty when nothing is."""


def intact(run_dir: Path, event: int) -> Intact:
    """Return the events of a run that hold: every event before a damage is as sure as before it.

    Args:
        run_dir: The run folder.
        event: The event that is wanted.

    Raises:
        LedgerError: there is no ledger, or it is none.
        LedgerCorruptError: the wanted event is at the damage or behind it.
        UnsupportedFormatError: the ledger has another major format version.
    """
    ledger, broken = readable_chain(run_dir)
    count = len(ledger.entries)
    if broken is not None and event >= count:
        held = f"Events 0 to {count - 1} hold: name one of them." if count else "No event holds."
        raise LedgerCorruptError(f"event {event} cannot be restored: {broken.message}", hint=held, seq=count)
    if broken is not None:
        return Intact(ledger, broken.message)
    try:
        return Intact(load_ledger(run_dir), "")
    except (LedgerCorruptError, RecordError) as error:  # of record.json: the ledger is what counts
        return Intact(ledger, error.message)


def upto(ledger: Ledger, event: int) -> Ledger:
    """Return the beginning of a ledger, event `event` included.

    Raises:
        UsageError: the ledger has no such event.
    """
    count = len(ledger.entries)
    if not 0 <= event < count:
        known = f"Its events are 0 to {count - 1}." if count else "It holds no event yet."
        raise UsageError(f"the run has no event {event}", hint=f"{known} List them: auditcoder show RUN --events")
    return Ledger(ledger.entries[: event + 1])


def write_state(state: Restored, run_dir: Path, out: Path, *, force: bool = False) -> None:
    """Write the files of a state into a folder, which is a run folder then.

    Args:
        state: What to write.
        run_dir: The run that it was restored from; nothing is ever written there.
        out: Where to; made when it is missing.
        force: Write also where other files are. A ledger with events that the run does not have stays all the same.

    Raises:
        UsageError: the folder is not empty, is the run itself, is no folder, or holds the ledger of another run.
        LedgerError: the files cannot be written.
    """
    _refuse(run_dir, out, force=force)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in (RECORD_NAME, PROGRAM_NAME):  # a record must never stand beside a shorter ledger
            (out / name).unlink(missing_ok=True)
        for name, data in state.files.items():
            replace_file(out / name, data)
    except OSError as error:
        raise LedgerError(
            f"the state cannot be written to {short(out)}: {error.strerror or error}", hint="Choose another --out."
        ) from error


def _refuse(run_dir: Path, out: Path, *, force: bool) -> None:
    if not exists(out):
        return
    if not is_dir(out):
        raise UsageError(f"{short(out)} is no folder", hint="Choose another --out.")
    if out.resolve() == run_dir.resolve():
        raise UsageError("a state is never restored into its own run", hint="Choose another --out.")
    try:
        names = sorted(entry.name for entry in out.iterdir())
        there = (out / LEDGER_NAME).read_bytes() if LEDGER_NAME in names else b""
        own = (run_dir / LEDGER_NAME).read_bytes()
    except OSError as error:
        raise UsageError(f"{short(out)} cannot be read: {error.strerror}", hint="Choose another --out.") from error
    if names and not force:
        raise UsageError(f"{short(out)} is not empty", hint="Choose another --out, or add --force.")
    if not own.startswith(there):
        raise UsageError(
            f"{short(out)} holds the ledger of another run", hint="It would be lost. Choose another --out."
        )
