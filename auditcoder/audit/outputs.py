"""V21: `record.json` and `program.py` are what the ledger folds to, byte for byte."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.walk import Walk
from auditcoder.errors import LedgerError
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.files import read_regular
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME, render_program, render_record
from auditcoder.records.run import RunRecord

_V = AuditCheck.OUTPUTS


class Outputs(NamedTuple):
    """The bytes of the two files; None for one that is not there."""

    record: bytes | None
    program: bytes | None


def read_outputs(run_dir: Path) -> Outputs:
    """Return the output files of a run folder.

    Raises:
        LedgerError: one of them is there and cannot be read.
    """
    return Outputs(_read(run_dir / RECORD_NAME), _read(run_dir / PROGRAM_NAME))


def expected_outputs(record: RunRecord) -> Outputs:
    """Return the files that a record gives."""
    return Outputs(render_record(record), render_program(record) if record.assembly is not None else None)


def outputs_match(walk: Walk, ledger: Ledger, stored: Outputs, whole: Outputs) -> None:
    """V21. The files are those of the whole ledger; of an unfinished run also of the event that they were made at.

    Args:
        walk: The audit, at its end.
        ledger: The verified ledger.
        stored: The files as they are.
        whole: The files that the whole ledger gives.
    """
    if stored == whole:
        walk.same(_V, "output files", True, True)
        return
    expected = whole
    if walk.state.finished is None:
        if stored == Outputs(None, None):
            return  # a run that was killed has none yet
        expected = _made_at(ledger, stored) or whole
    walk.same(_V, f"{RECORD_NAME} is there", stored.record is not None, True)
    walk.same(_V, f"{PROGRAM_NAME} is there", stored.program is not None, expected.program is not None)
    if stored.record is not None and stored.record != expected.record:
        _record(walk, stored.record, expected.record or b"")
    if stored.program is not None and expected.program is not None:
        _program(walk, stored.program, expected.program)


def _made_at(ledger: Ledger, stored: Outputs) -> Outputs | None:
    """Return the files at the event that a stored record names, or None when it names none of this ledger."""
    try:
        at = json.loads(stored.record or b"")["events"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    if type(at) is not int or not 1 <= at < len(ledger.entries):
        return None
    return expected_outputs(fold_ledger(ledger, at))


def _record(walk: Walk, stored: bytes, expected: bytes) -> None:
    try:
        body = json.loads(stored)
    except (ValueError, RecursionError) as error:
        walk.differ(_V, f"{RECORD_NAME} is JSON", f"{type(error).__name__}: {error}", "")
        return
    if walk.same(_V, RECORD_NAME, body, json.loads(expected)):
        wanted = f"{len(expected)} bytes, as the ledger gives them"
        walk.differ(_V, f"bytes of {RECORD_NAME}", _place(stored, expected), wanted)


def _program(walk: Walk, stored: bytes, expected: bytes) -> None:
    if stored == expected:
        walk.same(_V, PROGRAM_NAME, True, True)
        return
    line, found, wanted = _first_line(stored, expected)
    walk.differ(_V, f"bytes of {PROGRAM_NAME}, line {line}", found, wanted)


def _first_line(one: bytes, other: bytes) -> tuple[int, str, str]:
    """Return the number of the first line that differs, and that line on both sides."""
    ours, theirs = (data.decode("utf-8", "backslashreplace").split("\n") for data in (one, other))
    pairs = enumerate(zip_longest(ours, theirs, fillvalue="(the file has ended)"), start=1)
    return next((line, found, wanted) for line, (found, wanted) in pairs if found != wanted)


def _place(one: bytes, other: bytes) -> str:
    shorter = min(len(one), len(other))
    place = next((index for index in range(shorter) if one[index] != other[index]), shorter)
    return f"first other byte at {place} of {len(one)}"


def _read(file: Path) -> bytes | None:
    if not file.exists() and not file.is_symlink():
        return None
    try:
        return read_regular(file)
    except OSError as error:
        raise LedgerError(f"{file} cannot be read: {error.strerror or error}", hint="Check its rights.") from error
