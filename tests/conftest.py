"""Fixtures that several kinds of tests share: the sandbox, and a run of the pipeline on scripted answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, scripted_facts
from auditcoder.core.protocols import Executor
from auditcoder.ledger.fold import fold
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.session import Candidate
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, Role, RunConfig
from auditcoder.records.events import Event
from auditcoder.records.run import RunRecord
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator
from tests.answers import Forms

Script = Callable[[Role, str], str] | Forms
"""Answers a prompt (all messages as one text) of a role, or by the form that is asked for."""


@dataclass(frozen=True)
class ScriptedRun:
    """What a run on scripted answers left behind."""

    candidate: Candidate
    record: RunRecord
    events: tuple[Event, ...]
    calls: tuple[tuple[Role, str], ...]
    """(role, prompt) of every call that reached the script."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test in a folder of its own: what the user left in the checkout (`runs/`) is no part of it."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def solve(executor: SandboxExecutor) -> Callable[..., ScriptedRun]:
    """Return a function that solves a task on a script: `solve(task, script, weak=True, **config)`."""

    def run(
        task: Task,
        script: Script,
        *,
        weak: bool = True,
        sandbox: Executor = executor,
        journal: MemoryJournal | None = None,
        **config: Any,
    ) -> ScriptedRun:
        calls: list[tuple[Role, str]] = []
        ledger = journal if journal is not None else MemoryJournal()

        def engine(role: Role) -> RecordingEngine:
            def answer(request: Any) -> str:
                prompt = "\n".join([request.system or "", *(message.text or "" for message in request.messages)])
                calls.append((role, prompt))
                if isinstance(script, Forms):
                    return script.answer(prompt, (request.config.response_format or {}).get("schema"))
                return script(role, prompt)

            inner = ScriptedEngine(answer)
            return RecordingEngine(
                inner, journal=ledger, role=role, facts=scripted_facts(), supports_schema=True, supports_prefill=False
            )

        facts = scripted_facts().model_copy(update={"strength": "weak" if weak else "strong"})
        sampling = {"temperature": 0.0, "max_tokens": 1024, "seed": int(config.get("seed", 0))}  # as a replay samples
        profile = Profile.model_validate(
            {"name": "scripted", "engine": "lm", "model": "scripted", "sampling": sampling}
        )
        candidate = solve_task(
            task,
            RunConfig(**{"boundary": "none", **config}),
            journal=ledger,
            executor=sandbox,
            evaluator=MeteredEvaluator(),
            lms={role: lm_over(engine(role), profile) for role in ROLES},
            facts=dict.fromkeys(ROLES, facts),
        )
        return ScriptedRun(candidate, fold(ledger.events), ledger.events, tuple(calls))

    return run


def fenced(code: str) -> str:
    """Return code as a model answers it."""
    return f"```python\n{code}\n```"


def form(**fields: Any) -> str:
    """Return an answer under a schema."""
    return json.dumps(fields)
