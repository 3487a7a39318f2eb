"""Every state that a real run went through: restored from a prefix of its ledger it is the same, byte for byte."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.audit.restoring import restore, upto, write_state
from auditcoder.errors import ConfigError
from auditcoder.ledger.chain import LEDGER_NAME, Ledger, parse_ledger, read_ledger
from auditcoder.ledger.fold import core_state, record_of, replay
from auditcoder.ledger.outputs import changed_outputs, render_record, write_outputs
from auditcoder.records.base import sha256_text
from auditcoder.records.events import RepairEnded, RepairStarted

ROOT = Path(__file__).resolve().parents[2]
RUNS = (*sorted(file.parent for file in (ROOT / "tests" / "replay").glob(f"*/*/{LEDGER_NAME}")),
        ROOT / "docs" / "record-example")  # fmt: skip


@cache
def ledger_of(run: Path) -> Ledger:
    return read_ledger(run)


def test_there_are_real_runs_with_repairs_of_both_outcomes() -> None:
    ended = [e.transaction.decision for run in RUNS for e in ledger_of(run).events if isinstance(e, RepairEnded)]
    assert {"accepted", "rolled-back"} <= set(ended)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.parent.name}/{run.name}")
def test_restoring_and_going_on_ends_in_the_same_record(run: Path) -> None:
    ledger = ledger_of(run)
    whole = render_record(restore(ledger, len(ledger.entries) - 1).record)
    for event in range(len(ledger.entries)):
        state = replay(parse_ledger(restore(ledger, event).files[LEDGER_NAME]).events)
        for entry in ledger.entries[event + 1 :]:
            state.apply(entry.event)
        assert render_record(record_of(state, head=ledger.head)) == whole
    assert whole == (run / "record.json").read_bytes()


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.parent.name}/{run.name}")
def test_a_restored_folder_is_what_the_run_would_have_written_then(run: Path, tmp_path: Path) -> None:
    ledger = ledger_of(run)
    for event in range(0, len(ledger.entries), 5):
        out, live = tmp_path / f"restored-{event}", tmp_path / f"live-{event}"
        write_state(restore(ledger, event), run, out)
        live.mkdir()
        (live / LEDGER_NAME).write_bytes(b"".join(entry.raw + b"\n" for entry in ledger.entries[: event + 1]))
        write_outputs(live)
        assert {f.name: f.read_bytes() for f in out.iterdir()} == {f.name: f.read_bytes() for f in live.iterdir()}
        assert changed_outputs(out) == ()


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.parent.name}/{run.name}")
def test_behind_a_rollback_the_restored_state_has_the_hash_of_the_snapshot(run: Path) -> None:
    ledger = ledger_of(run)
    begun: dict[int, tuple[str, int]] = {}
    for number, event in enumerate(ledger.events):
        state = core_state(replay(parse_ledger(restore(ledger, number).files[LEDGER_NAME]).events))
        if isinstance(event, RepairStarted):
            assert state is not None
            assert state.state_hash() == event.snapshot
            begun[event.index] = event.snapshot, len(state.findings)
        elif isinstance(event, RepairEnded) and event.transaction.decision != "accepted":
            snapshot, findings = begun[event.transaction.index]
            assert state is not None
            back = state.model_copy(update={"findings": state.findings[:findings]})
            assert back.state_hash() == snapshot == event.transaction.restored


@given(st.sampled_from(RUNS), st.data())
@settings(max_examples=40, deadline=None)
def test_restoring_a_restored_state_changes_nothing(run: Path, draw: st.DataObject) -> None:
    ledger = ledger_of(run)
    later = draw.draw(st.integers(0, len(ledger.entries) - 1))
    earlier = draw.draw(st.integers(0, later))
    once = restore(ledger, earlier)
    twice = restore(parse_ledger(restore(ledger, later).files[LEDGER_NAME]), earlier)
    assert dict(once.files) == dict(twice.files)
    if once.record.assembly is not None:
        assert sha256_text(once.files["program.py"].decode()) == once.record.assembly.digest


@given(st.sampled_from(RUNS), st.integers())
def test_an_event_that_is_not_there_is_a_mistake_of_the_caller(run: Path, event: int) -> None:
    count = len(ledger_of(run).entries)
    if 0 <= event < count:
        assert len(upto(ledger_of(run), event).entries) == event + 1
    else:
        with pytest.raises(ConfigError, match="has no event"):
            upto(ledger_of(run), event)
