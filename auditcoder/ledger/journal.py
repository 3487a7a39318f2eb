"""The journals: one in a file that survives `kill -9`, one in memory with the same semantics."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from auditcoder.errors import LedgerError
from auditcoder.ledger.canonical import Clock, system_clock
from auditcoder.ledger.chain import LEDGER_NAME, Ledger, parse_ledger
from auditcoder.ledger.files import replace_file, sync_folder
from auditcoder.ledger.replay import ReplayingJournal
from auditcoder.records.base import sha256_text
from auditcoder.records.events import Event


def fixed_clock() -> datetime:
    """Return always the same time, for ledgers that must not depend on when they were made."""
    return datetime(2000, 1, 1, tzinfo=UTC)


class MemoryJournal(ReplayingJournal):
    """A journal without a file; with `recorded` events it replays those first."""

    def __init__(self, recorded: Iterable[Event] = (), *, clock: Clock = fixed_clock) -> None:
        super().__init__(Ledger(), clock)
        for event in recorded:
            self.emit(event)
        self._cursor = 0

    @property
    def data(self) -> bytes:
        """Return the bytes that a file would hold."""
        return self.ledger.data

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the stored events, oldest first."""
        return self.ledger.events

    def _store(self, seq: int, raw: bytes) -> None:
        """Keep nothing: the entries themselves are the store."""


class FileJournal(ReplayingJournal):
    """The ledger of a run folder. What `emit` or `effect` returned for is on disk, whatever happens next.

    Each line is written whole and flushed to the device before the call returns; a line that was cut off by a crash
    is set aside on resume. The file is locked for as long as the journal is open: two processes never write one
    ledger. After a failed write the journal refuses further events, so a cut-off line is always the last one.
    """

    def __init__(self, file: Path, descriptor: int, recorded: Ledger, clock: Clock) -> None:
        super().__init__(recorded, clock)
        self.file = file
        self._descriptor = descriptor

    @classmethod
    def create(cls, run_dir: Path, *, clock: Clock = system_clock) -> Self:
        """Return the journal of a new run; the folder is made when it is missing.

        Raises:
            LedgerError: the folder holds a ledger already, or cannot be written.
        """
        file = run_dir / LEDGER_NAME
        try:
            run_dir.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError as error:
            raise LedgerError(
                f"{run_dir} holds a run already",
                hint="Go on with it (--resume), or choose another folder; runs are never overwritten.",
                file=str(file),
            ) from error
        except OSError as error:
            raise _unusable(file, error) from error
        return cls._locked(file, descriptor, clock)

    @classmethod
    def resume(cls, run_dir: Path, *, clock: Clock = system_clock) -> Self:
        """Return the journal of a started run, at its first event: the caller runs from the beginning again.

        Raises:
            LedgerError: there is no ledger, or another process writes it.
            LedgerCorruptError: the ledger was changed or damaged.
            RecordError: the ledger has another major format version.
        """
        file = run_dir / LEDGER_NAME
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError as error:
            raise LedgerError(
                f"{run_dir} holds no run to go on with",
                hint=f"A run folder holds a file {LEDGER_NAME}; check the path, or start without --resume.",
                file=str(file),
            ) from error
        except OSError as error:
            raise _unusable(file, error) from error
        return cls._locked(file, descriptor, clock)

    @classmethod
    def _locked(cls, file: Path, descriptor: int, clock: Clock) -> Self:
        try:
            _lock(file, descriptor)
            recorded = parse_ledger(file.read_bytes())
            if recorded.torn:
                _set_tail_aside(file, descriptor, recorded)
            sync_folder(file.parent)
        except OSError as error:
            os.close(descriptor)
            raise _unusable(file, error) from error
        except BaseException:
            os.close(descriptor)
            raise
        return cls(file, descriptor, Ledger(recorded.entries), clock)

    def close(self) -> None:
        """Release the ledger; closing twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _store(self, seq: int, raw: bytes) -> None:
        if self._descriptor < 0:
            raise _not_stored(self.file, seq, "the journal is closed")
        try:
            rest = memoryview(raw)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise _not_stored(self.file, seq, error.strerror or str(error)) from error


def _lock(file: Path, descriptor: int) -> None:
    """Take the lock of the open file, not of the process: reading the ledger elsewhere in it must not release it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LedgerError(
            f"another process writes {file}",
            hint="Wait until that run has ended, or stop it; then run again with --resume.",
            file=str(file),
        ) from error


def _set_tail_aside(file: Path, descriptor: int, recorded: Ledger) -> None:
    """Keep the bytes of a cut-off line beside the ledger, then cut them off: in this order nothing is ever lost."""
    name = f"{LEDGER_NAME}.torn-{len(recorded.entries)}-{sha256_text(recorded.tail.hex())[:8]}"
    replace_file(file.with_name(name), recorded.tail)
    os.ftruncate(descriptor, len(recorded.data))
    os.fsync(descriptor)


def _not_stored(file: Path, seq: int, reason: str) -> LedgerError:
    return LedgerError(
        f"event {seq} could not be written to {file}: {reason}",
        hint="Nothing that was written before is lost. Mend the cause (free space on the device, rights), then run "
        "again with --resume.",
        seq=seq,
        file=str(file),
    )


def _unusable(file: Path, error: OSError) -> LedgerError:
    return LedgerError(
        f"the ledger {file} cannot be opened for writing: {error.strerror or error}",
        hint="Check the folder, its rights and the free space; nothing was changed.",
        file=str(file),
    )
