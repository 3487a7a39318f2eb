"""Ledgers of real runs on tasks of ours, kept as they were written: every decision is made again and compared.

The pipeline runs over each ledger with a journal that replays it. No model and no sandbox is there: a step that asks
for one, or decides anything else than the recorded run did, fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest

from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.ledger.chain import read_ledger
from auditcoder.ledger.fold import fold
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import changed_outputs, load_run
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ModelFacts, Role
from auditcoder.records.events import ModelCalled, RunStarted
from auditcoder.records.execution import IsolationReport
from auditcoder.sandbox.predicates import MeteredEvaluator

RUNS = sorted(path for path in (Path(__file__).parent / "runs").iterdir() if path.is_dir())


class NoSandbox:
    """An executor that knows its isolation and runs nothing."""

    def __init__(self, isolation: IsolationReport) -> None:
        self._isolation = isolation

    def isolation(self) -> IsolationReport:
        return self._isolation

    def run(self, *arguments: Any, **named: Any) -> Any:
        raise AssertionError("a replay ran a program")

    confirm = record = measure = run


class NoModel:
    """An engine that must not be asked."""

    def complete(self, request: Any) -> Any:
        raise AssertionError("a replay asked a model")


def decisions(runs: Sequence[Path]) -> set[str]:
    return {transaction.decision for run in runs for transaction in load_run(run).transactions}


def test_the_kept_runs_hold_an_accepted_and_a_rolled_back_repair_and_a_plan() -> None:
    assert {"accepted", "rolled-back"} <= decisions(RUNS)
    assert any(len(record.graph.nodes) > 1 for record in map(load_run, RUNS) if record.graph)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_record_and_program_are_what_the_ledger_says(run: Path) -> None:
    assert changed_outputs(run) == ()
    events = read_ledger(run).events
    models = {event.model_hash for event in events if isinstance(event, ModelCalled)}
    assert all(len(digest) == 64 for digest in models)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_core_decides_the_same_again(run: Path) -> None:
    events = read_ledger(run).events
    started = events[0]
    assert isinstance(started, RunStarted)
    journal = MemoryJournal(events)
    facts: dict[Role, ModelFacts] = dict(started.models)
    sampling = {"temperature": 0.0, "max_tokens": 1024, "seed": started.config.seed}
    profile = Profile.model_validate({"name": "replay", "engine": "lm", "model": "replay", "sampling": sampling})
    lms: dict[Role, dspy.LM] = {
        role: lm_over(
            RecordingEngine(
                NoModel(), journal=journal, role=role, facts=known, supports_schema=True, supports_prefill=True
            ),
            profile,
        )
        for role, known in facts.items()
    }
    solve_task(
        started.task,
        started.config,
        journal=journal,
        executor=NoSandbox(started.isolation),
        evaluator=MeteredEvaluator(),
        lms=lms,
        facts=facts,
    )
    assert journal.events == events
    assert fold(journal.events) == fold(events)
