"""The real pipeline on a scripted model: what it writes folds to what it holds, and resumes from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, scripted_facts
from auditcoder.ledger.chain import LEDGER_NAME, parse_ledger
from auditcoder.ledger.fold import core_state, fold_ledger, replay
from auditcoder.ledger.journal import FileJournal, MemoryJournal
from auditcoder.ledger.outputs import changed_outputs, load_run, write_outputs
from auditcoder.ledger.replay import ReplayingJournal
from auditcoder.programs.session import Candidate
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, Role, RunConfig
from auditcoder.records.events import ModelCalled, RepairEnded, RepairStarted
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator

CHECKS = tuple(
    Check(id=f"e{n}", input=ProgramInput(stdin=given), expected=Expected(stdout=wanted))
    for n, (given, wanted) in enumerate([("1 2 3\n", "6\n"), ("7\n", "7\n"), ("0\n", "0\n")])
)
TASK = Task(id="sum", statement="Print the sum of the integers.", entry=EntryPoint(kind="program"), examples=CHECKS)
CONFIG = RunConfig(model="scripted", granularity="single", k=3, boundary="none")
BODY = "def main():\n    print({})\n\n\nif __name__ == '__main__':\n    main()\n"
ANSWERS = [
    "sum(int(w) for w in input().split()[1:])",  # passes e2 alone
    "input().split(1)",  # raises: rolled back
    "max(int(w) for w in input().split())",  # passes e1 and e2: accepted
    "sum(int(w) for w in input().split())",  # passes all: accepted
]


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


def solve(journal: ReplayingJournal, executor: SandboxExecutor) -> tuple[Candidate, int]:
    """Return the final candidate, and how many calls reached the model."""

    def answer(request: object) -> str:
        asked = sum(isinstance(event, ModelCalled) for event in journal.ledger.events)
        return f"```python\n{BODY.format(ANSWERS[asked])}```"

    engine, facts = ScriptedEngine(answer), scripted_facts()
    lms: dict[Role, Any] = {
        role: lm_over(
            RecordingEngine(
                engine, journal=journal, role=role, facts=facts, supports_schema=True, supports_prefill=False
            ),
            Profile(name="scripted", engine="lm", model="scripted"),
        )
        for role in ROLES
    }
    final = solve_task(
        TASK, CONFIG, journal=journal, executor=executor, evaluator=MeteredEvaluator(), lms=lms,
        facts=dict.fromkeys(ROLES, facts),
    )  # fmt: skip
    return final, len(engine.requests)


@pytest.fixture(scope="module")
def recorded(executor: SandboxExecutor) -> tuple[bytes, Candidate]:
    journal = MemoryJournal()
    final, calls = solve(journal, executor)
    assert calls == len(ANSWERS)
    return journal.data, final


def test_the_fold_holds_what_the_pipeline_holds(recorded: tuple[bytes, Candidate]) -> None:
    data, final = recorded
    ledger = parse_ledger(data)
    state = core_state(replay(ledger.events))
    assert state == final.state
    record = fold_ledger(ledger)
    assert [done.decision for done in record.transactions] == ["rolled-back", "accepted", "accepted"]
    assert (record.status, record.candidate, record.rank) == ("finished", final.number, final.rank)
    assert final.rank.full_pass
    assert record.graph == final.state.graph
    [root] = record.responsibilities
    assert len(root.versions) == 3  # the one that was rolled back was never active
    assert root.transactions == (0, 1, 2)


def test_every_snapshot_hash_can_be_computed_from_the_events_before_it(recorded: tuple[bytes, Candidate]) -> None:
    events = parse_ledger(recorded[0]).events
    opened = [n for n, event in enumerate(events) if isinstance(event, RepairStarted)]
    assert len(opened) == 3
    for number in opened:
        state, event = core_state(replay(events[:number])), events[number]
        assert state is not None
        assert isinstance(event, RepairStarted)
        assert state.state_hash() == event.snapshot


def test_a_rollback_folds_to_the_restored_hash(recorded: tuple[bytes, Candidate]) -> None:
    events = parse_ledger(recorded[0]).events
    [number] = [
        n
        for n, event in enumerate(events)
        if isinstance(event, RepairEnded) and event.transaction.decision == "rolled-back"
    ]
    event = events[number]
    assert isinstance(event, RepairEnded)
    assert event.transaction.restored == event.transaction.snapshot


def test_the_run_resumes_from_anywhere_without_paying_twice(
    recorded: tuple[bytes, Candidate], executor: SandboxExecutor, tmp_path: Path
) -> None:
    lines = recorded[0].splitlines(keepends=True)
    events = parse_ledger(recorded[0]).events
    for kept in (*range(0, len(lines), 2), len(lines)):
        run_dir = tmp_path / str(kept)
        run_dir.mkdir()
        (run_dir / LEDGER_NAME).write_bytes(b"".join(lines[:kept]) + b"".join(lines[kept : kept + 1])[:40])
        with FileJournal.resume(run_dir) as journal:
            final, calls = solve(journal, executor)
            assert not journal.replaying
        paid = sum(isinstance(event, ModelCalled) for event in events[:kept])
        assert calls == len(ANSWERS) - paid
        assert final.state.assembly == recorded[1].state.assembly
        record = write_outputs(run_dir)
        assert (run_dir / LEDGER_NAME).read_bytes().startswith(b"".join(lines[:kept]))
        assert [event.kind for event in journal.ledger.events] == [event.kind for event in events]
        assert load_run(run_dir) == record
        assert changed_outputs(run_dir) == ()
