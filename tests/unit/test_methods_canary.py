"""Hidden tests that are loaded beside a run reach no prompt and no ledger, whatever makes the program.

Every agent of every method must have been asked, or the test says nothing about its prompts and fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.utils.callback import BaseCallback

from auditcoder.eval.hidden import hidden_tests, judge
from auditcoder.eval.suites.reference import resolve
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.baselines.base import RivalMethod
from auditcoder.programs.methods import METHODS
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import ROLES, Method
from auditcoder.records.events import ModelCalled
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from tests.answers import Forms, step_code, step_values
from tests.unit.test_eval_suites import CANARY
from tests.unit.test_eval_suites import data as packs  # noqa: F401

Solve = Callable[..., Any]
Config = dict[str, Any]
SWITCHED: list[Config] = [
    {"method": "pycapsule", "options": (("native_report", True), ("recursion_trace", True))},
    {"method": "fresh-start", "options": (("of", "pycapsule"), ("restart_after", 2))},
    {"method": "mapcoder", "options": (("native_report", True),)},
    {"method": "codesim", "options": (("native_report", True), ("replan_on_diagnosis", True))},
    {"method": "agentcoder", "options": (("include_examples", True),)},
    {"method": "ldb", "options": (("typed_verdicts", False),)},
    {"method": "bpd", "options": (("traces", "all"),)},
    {"method": "mgdebugger", "options": (("root_checks", "written"),)},
]
"""Switches that change what a prompt shows."""
RIVALS: list[Config] = [*({"method": name} for name in METHODS), *(one for one in SWITCHED if one["method"] in METHODS)]
SHAPES: list[Config] = [
    {"granularity": "single"},
    {"granularity": "coarse", "boundary": "confirmed", "local_checks": "confirmed", "plan_review": "model",
     "verify": "always", "weak": False},
]  # fmt: skip
"""AuditCoder without a plan, and with everything that it may ask for."""
REFERENCES = ["apps:11", "apps:12", "humaneval:0"]
WRONG = {
    "apps-11": "def part(text, times):\n    return 'no'\n\n\ndef repeat(text, times=2):\n    return part(text, times)",
    "apps-12": "def part(text, times):\n    return 'no'\n\n\nprint(part(input(), 1))",
    "humaneval-0": "def part(x, times):\n    return 'no'\n\n\ndef grow(x, times):\n    return part(x, times)",
}
INPUTS = {"apps-11": "repeat('ab', 2)", "apps-12": "1 2", "humaneval-0": "grow(1.5, 2)"}
EXPECTED = {"apps-11": "'abab'", "apps-12": "3", "humaneval-0": "3.5"}


class Asked(BaseCallback):  # type: ignore[misc]
    """Remembers the modules that were called: DSPy's own seam, so no agent can be asked beside it."""

    def __init__(self) -> None:
        self.modules: list[Any] = []

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        self.modules.append(instance)

    @property
    def agents(self) -> set[str]:
        """Return the agents of the rival method that were asked, by the attributes that hold them."""
        [method] = [module for module in self.modules if isinstance(module, RivalMethod)]
        called = {id(module) for module in self.modules}
        return {name for name in method.agents if id(getattr(method, name)) in called}


def model(task: Task, choice: int) -> Forms:
    """Return a model whose every program fails, with answers that take every method past its planning."""
    steps = [
        {"name": name, "goal": f"does {name} on it", "kind": "numerical"} for name in ("first_part", "second_part")
    ]
    told = {
        "steps": steps,
        "complaints": ["It is incomplete."] if choice == 0 else [],
        "input": INPUTS[task.id],
        "inputs": "{'text': 'a', 'x': 1, 'times': 2}",
        "expected": EXPECTED[task.id],
    }
    crash = task.id == "apps-11" and choice == -1  # some agents are asked about crashes alone
    code = WRONG[task.id].replace("'no'", "'no'[9]") if crash else WRONG[task.id]
    return Forms(step_code(code), choice, {**told, **step_values()})


def runs(solve: Solve, executor: SandboxExecutor, folder: Path, config: Config) -> Iterator[tuple[Any, set[str]]]:
    """Yield (run, asked agents) for every task and both ends of every choice, each looked through for the canary."""
    for reference in REFERENCES:
        [task] = resolve(reference, folder)
        hidden = hidden_tests(task, folder)
        assert CANARY in repr(hidden.checks)
        for choice in (0, -1):
            journal, asked = MemoryJournal(), Asked()
            with dspy.context(callbacks=[asked]):
                run = solve(task, model(task, choice), journal=journal, **{"k": 3, **config})
            assert [prompt for _, prompt in run.calls if CANARY in prompt] == []
            assert CANARY.encode() not in journal.data
            told = [event for event in run.events if isinstance(event, ModelCalled)]
            assert [event.role for event in told] == [role for role, _ in run.calls]  # every call was looked through
            if run.record.checks:
                assert not judge(run.record.assembly.program, task, hidden, executor).passed
            rival = config.get("method", "auditcoder") != "auditcoder"
            assert all(event.agent for event in told) == rival
            yield run, asked.agents if rival else {role for role, _ in run.calls}


@pytest.fixture
def data(packs: Path) -> Path:  # noqa: F811
    return packs


@pytest.mark.parametrize("config", RIVALS, ids=json.dumps)
def test_the_canary_is_in_no_prompt_of_a_rival(
    solve: Solve, executor: SandboxExecutor, data: Path, config: Config
) -> None:
    reacts = config["method"] != "direct"
    for run, _ in runs(solve, executor, data, config):
        assert len(run.calls) > 1 if reacts else len(run.calls) == 1  # the failing program was really reacted to


@pytest.mark.parametrize("name", METHODS)
def test_every_agent_of_a_method_was_asked(solve: Solve, executor: SandboxExecutor, data: Path, name: Method) -> None:
    asked: set[str] = set()
    for config in RIVALS:
        if config["method"] == name:
            for _, agents in runs(solve, executor, data, config):
                asked |= agents
    assert asked == set(METHODS[name].agents)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_canary_is_in_no_prompt_of_a_variant_and_every_role_was_asked(
    solve: Solve, executor: SandboxExecutor, data: Path, name: str
) -> None:
    asked: set[str] = set()
    own = preset(name)
    for shape in SHAPES:
        for _, roles in runs(solve, executor, data, {**shape, **own}):
            asked |= roles
    unasked = {"regenerator", "verifier"} if own.get("k") == 0 else set()
    unasked |= {"regenerator"} if own.get("feedback") == "resample" else set()
    assert asked == set(ROLES) - unasked
