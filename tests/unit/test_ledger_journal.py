from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auditcoder.core.protocols import Journal
from auditcoder.errors import (
    BackboneUnavailableError,
    LedgerCorruptError,
    LedgerDivergedError,
    LedgerError,
    RecordError,
)
from auditcoder.ledger.chain import Ledger, read_ledger
from auditcoder.ledger.journal import FileJournal, MemoryJournal, fixed_clock
from auditcoder.ledger.replay import ReplayingJournal
from auditcoder.records.events import AttemptStarted, ChecksRun, CodeRejected, Event, ModelCalled, RunResumed
from auditcoder.records.execution import CheckResult, ExecutionReport

MakeJournal = Callable[[tuple[Event, ...]], ReplayingJournal]


def attempt(index: int, reason: str = "asked") -> AttemptStarted:
    return AttemptStarted(index=index, granularity="single", reason=reason)


def call(key: str, response: str = "answer") -> ModelCalled:
    return ModelCalled(key=key, role="generator", model="m", prompt_hash="p", request="{}", response=response)


def never() -> ModelCalled:
    raise AssertionError("a recorded effect was performed again")


RECORDED: tuple[Event, ...] = (attempt(0), call("a"), call("b"))


@pytest.fixture(params=["file", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeJournal:
    def memory(recorded: tuple[Event, ...]) -> ReplayingJournal:
        return MemoryJournal(recorded)

    def file(recorded: tuple[Event, ...]) -> ReplayingJournal:
        with FileJournal.create(tmp_path / "run", clock=fixed_clock) as journal:
            for event in recorded:
                journal.emit(event)
        resumed = FileJournal.resume(tmp_path / "run", clock=fixed_clock)
        request.addfinalizer(resumed.close)
        return resumed

    return memory if request.param == "memory" else file


def test_a_new_run_appends(make: MakeJournal) -> None:
    journal: Journal = make(())
    journal.emit(attempt(0))
    assert journal.effect(ModelCalled, "a", lambda: call("a")) == call("a")
    assert isinstance(journal, ReplayingJournal)
    assert journal.ledger.events == (attempt(0), call("a"))
    assert (journal.cursor, journal.replaying) == (2, False)


def test_a_resumed_run_replays_and_then_appends(make: MakeJournal) -> None:
    journal = make(RECORDED)
    assert journal.replaying
    journal.emit(attempt(0))
    assert journal.effect(ModelCalled, "a", never) == call("a")
    assert journal.effect(ModelCalled, "b", never) == call("b")
    assert not journal.replaying
    assert journal.effect(ModelCalled, "c", lambda: call("c")) == call("c")
    assert journal.ledger.events == (*RECORDED, call("c"))


@pytest.mark.parametrize(
    ("act", "seq", "words"),
    [
        (lambda j: j.emit(attempt(1, "other")), 0, ("attempt.started", "index, reason")),
        (lambda j: j.emit(CodeRejected(node="S0", reason="", digest="")), 0, ("attempt.started", "code.rejected")),
        (lambda j: j.effect(ModelCalled, "a", never), 0, ("attempt.started", "model.called")),
        (lambda j: (j.emit(attempt(0)), j.effect(ModelCalled, "b", never)), 1, ("another request",)),
        (lambda j: (j.emit(attempt(0)), j.effect(ChecksRun, "a", never)), 1, ("model.called", "checks.run")),
        (lambda j: (j.emit(attempt(0)), j.emit(attempt(1))), 1, ("model.called", "attempt.started")),
    ],
    ids=["other content", "other kind", "effect for decision", "other key", "other effect", "decision for effect"],
)
def test_a_run_that_leaves_the_path_is_told_where(
    make: MakeJournal, act: Callable[[ReplayingJournal], object], seq: int, words: tuple[str, ...]
) -> None:
    journal = make(RECORDED)
    before = journal.ledger.data
    with pytest.raises(LedgerDivergedError) as caught:
        act(journal)
    assert caught.value.fields["seq"] == seq
    assert all(word in caught.value.message for word in (f"event {seq}", *words))
    assert "same task" in caught.value.hint
    assert journal.ledger.data == before


def test_an_effect_that_raises_leaves_nothing_and_can_be_tried_again(make: MakeJournal) -> None:
    journal = make(())

    def down() -> ModelCalled:
        raise BackboneUnavailableError("down")

    with pytest.raises(BackboneUnavailableError):
        journal.effect(ModelCalled, "a", down)
    assert journal.ledger == Ledger()
    assert journal.effect(ModelCalled, "a", lambda: call("a")) == call("a")


def failed(key: str) -> ModelCalled:
    return call(key, "").model_copy(update={"error": "backbone-unavailable: down"})


def test_a_run_that_stopped_at_a_failed_call_makes_it_again(make: MakeJournal) -> None:
    journal = make((attempt(0), failed("a")))
    seen: list[tuple[int, str, bool]] = []
    journal.subscribe(lambda seq, event, replayed: seen.append((seq, event.kind, replayed)))
    journal.emit(attempt(0))
    assert journal.effect(ModelCalled, "a", lambda: call("a")) == call("a")
    journal.emit(attempt(1))
    assert journal.ledger.events == (attempt(0), failed("a"), RunResumed(failed=1), call("a"), attempt(1))
    assert seen[1:4] == [(1, "model.called", True), (2, "run.resumed", False), (3, "model.called", False)]


def test_a_call_that_was_made_again_is_one_call_to_later_replays() -> None:
    journal = MemoryJournal(
        (failed("a"), RunResumed(failed=0), failed("a"), RunResumed(failed=2), call("a"), attempt(1))
    )
    seen: list[int] = []
    journal.subscribe(lambda seq, event, replayed: seen.append(seq))
    assert journal.effect(ModelCalled, "a", never) == call("a")
    journal.emit(attempt(1))
    assert (seen, journal.replaying) == ([0, 1, 2, 3, 4, 5], False)


def test_a_run_killed_just_before_it_makes_the_call_again() -> None:
    journal = MemoryJournal((failed("a"), RunResumed(failed=0)))
    assert journal.effect(ModelCalled, "a", lambda: call("a")) == call("a")
    assert journal.events == (failed("a"), RunResumed(failed=0), call("a"))


def test_failures_that_the_run_went_on_from_replay_as_they_were() -> None:
    journal = MemoryJournal((failed("a"), failed("a"), attempt(1)))
    assert journal.effect(ModelCalled, "a", never) == failed("a")
    assert journal.effect(ModelCalled, "a", never) == failed("a")
    journal.emit(attempt(1))


def test_an_effect_that_answers_something_else_is_refused(make: MakeJournal) -> None:
    journal = make(())

    def nested() -> ModelCalled:
        journal.emit(attempt(0))
        return call("a")

    with pytest.raises(LedgerError, match="not what was asked for"):
        journal.effect(ModelCalled, "a", lambda: call("b"))
    with pytest.raises(LedgerError, match="not what was asked for"):
        journal.effect(ModelCalled, "a", nested)


def test_an_event_that_cannot_be_written_leaves_the_journal_usable(make: MakeJournal) -> None:
    journal = make(())
    report = ExecutionReport(program="p", results=(CheckResult(check="c", outcome="pass", observed=float("nan")),))
    with pytest.raises(RecordError):
        journal.emit(ChecksRun(key="k", candidate=0, report=report))
    journal.emit(attempt(0))
    assert journal.ledger.events == (attempt(0),)


def test_observers_get_every_event_and_cannot_break_the_run(make: MakeJournal) -> None:
    journal = make(RECORDED[:1])
    seen: list[tuple[int, Event, bool]] = []
    oops = ValueError("oops")

    def broken(seq: int, event: Event, replayed: bool) -> None:
        raise oops

    journal.subscribe(broken)
    journal.subscribe(lambda seq, event, replayed: seen.append((seq, event, replayed)))
    journal.emit(attempt(0))
    journal.effect(ModelCalled, "a", lambda: call("a"))
    assert seen == [(0, attempt(0), True), (1, call("a"), False)]
    assert [(failure.seq, failure.error) for failure in journal.observer_failures] == [(0, oops), (1, oops)]


def test_what_was_returned_for_is_on_disk(tmp_path: Path) -> None:
    with FileJournal.create(tmp_path / "a" / "run") as journal:
        for index in range(3):
            journal.emit(attempt(index))
            assert read_ledger(tmp_path / "a" / "run").events == tuple(attempt(i) for i in range(index + 1))


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    FileJournal.create(tmp_path).close()
    with pytest.raises(LedgerError, match="holds a run already"):
        FileJournal.create(tmp_path)


def test_there_must_be_a_run_to_resume(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no run to go on with"):
        FileJournal.resume(tmp_path)


def test_a_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="cannot be opened"):
        FileJournal.create(tmp_path / "file" / "run")
    with pytest.raises(LedgerError, match="cannot be opened"):
        FileJournal.resume(tmp_path / "file")


def test_a_run_killed_before_its_first_event_resumes(tmp_path: Path) -> None:
    FileJournal.create(tmp_path).close()
    with FileJournal.resume(tmp_path) as journal:
        journal.emit(attempt(0))
    assert read_ledger(tmp_path).events == (attempt(0),)


def test_a_torn_tail_is_set_aside(tmp_path: Path) -> None:
    data = MemoryJournal(RECORDED).data
    (tmp_path / "ledger.jsonl").write_bytes(data[:-10])
    whole = b"".join(data.splitlines(keepends=True)[:2])
    FileJournal.resume(tmp_path).close()
    assert (tmp_path / "ledger.jsonl").read_bytes() == whole
    [aside] = tmp_path.glob("ledger.jsonl.torn-2-*")
    assert whole + aside.read_bytes() == data[:-10]


def test_a_corrupt_ledger_is_not_resumed_and_not_touched(tmp_path: Path) -> None:
    data = MemoryJournal(RECORDED).data.replace(b'"a"', b'"b"')
    (tmp_path / "ledger.jsonl").write_bytes(data)
    for _ in range(2):  # the lock is released again
        with pytest.raises(LedgerCorruptError, match="event 1"):
            FileJournal.resume(tmp_path)
    assert (tmp_path / "ledger.jsonl").read_bytes() == data


def test_two_processes_never_write_one_ledger(tmp_path: Path) -> None:
    script = "import sys, pathlib; from auditcoder.ledger.journal import FileJournal as F; "
    script += "F.resume(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(tmp_path)]
    with FileJournal.create(tmp_path) as journal:
        read_ledger(tmp_path)  # opening and closing the file elsewhere must not release the lock
        other = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "LedgerError: another process writes" in other.stderr
        with pytest.raises(LedgerError, match="another process writes"):
            FileJournal.resume(tmp_path)
        journal.emit(attempt(0))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = FileJournal.create(tmp_path)
    journal.close()
    journal.close()
    with pytest.raises(LedgerError, match="closed"):
        journal.emit(attempt(0))


FULL_DISK = """
import pathlib, resource, sys
from auditcoder.errors import LedgerError
from auditcoder.ledger.journal import FileJournal
from auditcoder.records.events import AttemptStarted
resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))
journal = FileJournal.create(pathlib.Path(sys.argv[1]))
for index in range(100):
    try:
        journal.emit(AttemptStarted(index=index, granularity="single", reason="r" * 300))
    except LedgerError as error:
        again = ""
        try:
            journal.emit(AttemptStarted(index=index, granularity="single", reason=""))
        except LedgerError as second:
            again = second.message
        sys.stdout.write(f"{index}|{error}|{again}")
        break
"""


def test_a_full_device_loses_nothing_that_was_written(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=True)
    index, message, again = ran.stdout.split("|")
    assert int(index) > 1
    assert "Nothing that was written before is lost" in message
    assert "--resume" in message
    assert "earlier write failed" in again
    ledger = read_ledger(tmp_path)
    assert len(ledger.entries) == int(index)
    assert ledger.torn  # the device took a part of the line: the second write must not have glued itself to it
    with FileJournal.resume(tmp_path) as journal:
        for event in ledger.events:
            journal.emit(event)
        journal.emit(attempt(7))
    assert read_ledger(tmp_path).events == (*ledger.events, attempt(7))


def test_an_interrupt_in_mid_line_closes_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = FileJournal.create(tmp_path)
    write = os.write

    def interrupted(descriptor: int, data: bytes) -> int:
        write(descriptor, bytes(data)[:9])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.emit(attempt(0))
    with pytest.raises(LedgerError, match="interrupted"):
        journal.emit(attempt(0))
    journal.close()
    with FileJournal.resume(tmp_path) as resumed:
        resumed.emit(attempt(0))
    assert read_ledger(tmp_path).events == (attempt(0),)
