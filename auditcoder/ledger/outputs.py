"""`record.json` and `program.py` of a run folder, made from its ledger alone."""

from __future__ import annotations

import json
from pathlib import Path

from auditcoder.errors import LedgerCorruptError, LedgerError, RecordError
from auditcoder.ledger.chain import Ledger, check_format, read_ledger
from auditcoder.ledger.files import read_regular, replace_file
from auditcoder.ledger.fold import fold_ledger
from auditcoder.records.run import RunRecord

RECORD_NAME = "record.json"
PROGRAM_NAME = "program.py"


def write_outputs(run_dir: Path) -> RunRecord:
    """Fold the ledger of a run folder, write `record.json` and (once there is one) `program.py`; return the record.

    Raises:
        LedgerError: the ledger cannot be read or is corrupt, or the files cannot be written.
        RecordError: another format version, or a ledger without a start.
    """
    record = fold_ledger(read_ledger(run_dir))
    try:
        if record.assembly is not None:
            replace_file(run_dir / PROGRAM_NAME, render_program(record))
        replace_file(run_dir / RECORD_NAME, render_record(record))
    except OSError as error:
        raise LedgerError(
            f"the results cannot be written to {run_dir}: {error.strerror or error}",
            hint="The ledger is complete: free space or mend the rights, then run again with --resume.",
        ) from error
    return record


def load_run(run_dir: str | Path) -> RunRecord:
    """Return the record of a run, folded anew from its ledger.

    Raises:
        LedgerError: there is no ledger, or it is corrupt (`LedgerCorruptError`).
        RecordError: another major format version, a ledger without a start, or a `record.json` that is none.
    """
    return fold_ledger(load_ledger(Path(run_dir)))


def load_ledger(run_dir: Path) -> Ledger:
    """Return the verified ledger of a run folder.

    When there is a `record.json`, the event that it was made at must be in the ledger: so a ledger that lost its
    last events is found, which the chain alone cannot show.

    Raises:
        LedgerError: there is no ledger, or it is corrupt (`LedgerCorruptError`).
        RecordError: another major format version, or a `record.json` that is none.
    """
    ledger = read_ledger(run_dir)
    file = run_dir / RECORD_NAME
    if file.exists():
        _check_covers(ledger, _stored_record(file))
    return ledger


def changed_outputs(run_dir: Path) -> tuple[str, ...]:
    """Return the names of output files whose bytes are not what the ledger gives at the event they were made at.

    Raises:
        LedgerError: the ledger cannot be read or is corrupt, or the outputs were made at an event it does not hold.
        RecordError: another major format version, or a `record.json` that is none.
    """
    ledger = read_ledger(run_dir)
    stored = _stored_record(run_dir / RECORD_NAME)
    _check_covers(ledger, stored)
    record = fold_ledger(ledger, stored.events)
    expected = {RECORD_NAME: render_record(record)}
    if record.assembly is not None:
        expected[PROGRAM_NAME] = render_program(record)
    return tuple(name for name, data in expected.items() if _bytes_of(run_dir / name) != data)


def render_record(record: RunRecord) -> bytes:
    """Return the readable form of a record: indented, sorted, ending in a newline."""
    text = json.dumps(record.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # a lone surrogate in some program's output: only escapes can carry it
        return f"{json.dumps(json.loads(text), indent=2, sort_keys=True)}\n".encode("ascii")


def render_program(record: RunRecord) -> bytes:
    """Return the bytes of the active program, whose SHA-256 the record names.

    Raises:
        RecordError: the record has no program.
    """
    if record.assembly is None:
        raise RecordError("the run has no program yet", hint="Let it run on with --resume.")
    return record.assembly.program.encode("utf-8", "surrogatepass")


def _stored_record(file: Path) -> RunRecord:
    try:
        body = json.loads(read_regular(file))
        if isinstance(body, dict) and isinstance(body.get("format"), str):
            check_format(body["format"])
        return RunRecord.model_validate(body)
    except OSError as error:
        raise LedgerError(
            f"{file} cannot be read: {error.strerror or error}",
            hint="Mend its rights, or get it back: auditcoder restore.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise RecordError(
            f"{file} is not the record of a run: {str(error).partition(chr(10))[0]}",
            hint="It was changed after it was written; the ledger is what counts. To get it back: auditcoder restore "
            "RUN --at LAST --out DIR (show --events lists the events).",
            file=str(file),
        ) from error


def _check_covers(ledger: Ledger, stored: RunRecord) -> None:
    at = stored.events
    if not 1 <= at <= len(ledger.entries) or ledger.entries[at - 1].line.hash != stored.ledger_head:
        raise LedgerCorruptError(
            f"{RECORD_NAME} was made from another ledger: it stands at event {at - 1}, "
            f"and the ledger of {len(ledger.entries)} events has not that one",
            hint="The ledger was cut or replaced after the run. Restore it from a copy.",
            seq=min(max(at - 1, 0), len(ledger.entries)),
        )


def _bytes_of(file: Path) -> bytes | None:
    return read_regular(file) if file.is_file() else None
