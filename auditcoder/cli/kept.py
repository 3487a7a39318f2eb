"""Whether the output files of a run are still what its ledger gives; the ledger alone counts."""

from __future__ import annotations

from pathlib import Path

from auditcoder.errors import LedgerCorruptError, LedgerError, RecordError
from auditcoder.ledger.outputs import RECORD_NAME, changed_outputs, load_run, write_outputs
from auditcoder.records.run import RunRecord


def stale_outputs(folder: Path) -> tuple[str, ...]:
    """Return the names of outputs that are missing or were changed; of those at least the first that is found.

    Raises:
        LedgerError: the ledger is corrupt, or lost events that the outputs were made at.
    """
    try:
        return changed_outputs(folder)
    except LedgerCorruptError:
        raise
    except (LedgerError, RecordError):  # no record.json, or one that is none: it cannot say when it was made
        return (RECORD_NAME,)


def mended(folder: Path) -> tuple[RunRecord, tuple[str, ...]]:
    """Return the record of a finished run, and the names of outputs that had to be written again.

    Raises:
        LedgerError: the ledger is corrupt, or the outputs cannot be written.
    """
    stale = stale_outputs(folder)
    return (write_outputs(folder) if stale else load_run(folder)), stale
