"""A writer is killed by SIGKILL at random moments, again and again: nothing that `append` returned for is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.records.events import ModelCalled

KILLS = 30
NURSERY = """
# Forks one writer for each line "RUN_DIR STOP" on standard input, so that imports are paid once.
import os, pathlib, sys
from datetime import UTC, datetime, timedelta
from auditcoder.ledger.journal import FileJournal
from auditcoder.records.events import AttemptStarted, ModelCalled

def say(text):
    os.write(1, (text + "\\n").encode())

def perform(index):
    say(f"performed {index}")
    size = 200_000 if index % 7 == 0 else index % 50
    return ModelCalled(key=str(index), role="planner", model="m", prompt_hash="", request="{}", response="r" * size)

def write(run_dir, stop):
    make = FileJournal.resume if (run_dir / "ledger.jsonl").exists() else FileJournal.create
    journal = make(run_dir, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=journal.cursor))
    journal.subscribe(lambda seq, event, replayed: replayed or say(f"stored {seq}"))
    while journal.cursor < stop:
        index = journal.cursor
        if index % 3:
            journal.effect(ModelCalled, str(index), lambda: perform(index))
        else:
            journal.emit(AttemptStarted(index=index, granularity="single", reason="driver"))

for line in sys.stdin:
    run_dir, stop = line.split()
    child = os.fork()
    if not child:
        try:
            write(pathlib.Path(run_dir), int(stop))
        except BaseException as error:
            say(f"error {error!r}")
        os._exit(0)
    say(f"pid {child}")
    os.waitpid(child, 0)
    say("gone")
"""


class Round(NamedTuple):
    """What one writer said: events that it stored, effects that it performed."""

    stored: list[int]
    performed: list[int]


class Nursery:
    """Starts writers and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def close(self) -> None:
        self._process.communicate()

    def run(self, run_dir: Path, stop: int, kill_after: int = -1, delay: float = 0.0) -> Round:
        """Let a writer run to `stop`, or kill it `delay` seconds after it has stored some events."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        said = Round([], [])
        self._process.stdin.write(f"{run_dir} {stop}\n")
        pid, killed = 0, False
        for line in self._process.stdout:
            word, _, value = line.strip().partition(" ")
            assert word != "error", value
            if word == "gone":
                break
            if word == "pid":
                pid = int(value)
            else:
                getattr(said, word).append(int(value))
            if pid and not killed and 0 <= kill_after <= len(said.stored):
                time.sleep(delay)
                os.kill(pid, signal.SIGKILL)
                killed = True
        return said


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def test_kill_at_random_moments_loses_nothing_and_repeats_nothing(nursery: Nursery, tmp_path: Path) -> None:
    moments, run_dir = random.Random(20260101), tmp_path / "killed"
    before = 0
    for _ in range(KILLS):
        said = nursery.run(run_dir, 10**9, kill_after=moments.randrange(8), delay=moments.random() / 100)
        ledger = read_ledger(run_dir) if (run_dir / LEDGER_NAME).exists() else None
        count = len(ledger.entries) if ledger else 0
        assert said.stored == list(range(before, before + len(said.stored)))
        assert count >= before + len(said.stored)  # what append returned for is there
        assert count <= before + len(said.stored) + 1  # and no more than the one event it was writing
        assert all(index >= before for index in said.performed)  # no effect that the ledger held was performed again
        before = count
    assert before > KILLS
    nursery.run(run_dir, before + 10)
    nursery.run(tmp_path / "quiet", before + 10)
    assert (run_dir / LEDGER_NAME).read_bytes() == (tmp_path / "quiet" / LEDGER_NAME).read_bytes()
    calls = [event.key for event in read_ledger(run_dir).events if isinstance(event, ModelCalled)]
    assert len(calls) == len(set(calls)) > KILLS // 2
