"""Ledgers of earlier minor versions of the record format, kept as they were written: they load, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditcoder.ledger.chain import read_ledger
from auditcoder.ledger.outputs import changed_outputs, load_run
from auditcoder.records.base import FORMAT_VERSION, canonical_json

OLD = sorted(path for path in (Path(__file__).parent / "format-1.0").iterdir() if path.is_dir())


@pytest.mark.parametrize("run", OLD, ids=lambda run: run.name)
def test_an_old_run_loads_and_its_record_and_events_keep_their_bytes(run: Path) -> None:
    record = load_run(run)
    assert (record.format, record.status) == ("1.0", "finished")
    assert record.format != FORMAT_VERSION
    assert changed_outputs(run) == ()
    for entry in read_ledger(run).entries:
        assert canonical_json(entry.event.model_dump(mode="json")) in entry.raw
