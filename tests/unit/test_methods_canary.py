"""Hidden tests that are loaded beside a run reach no prompt and no ledger, whatever makes the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditcoder.eval.hidden import hidden_tests, judge
from auditcoder.eval.suites.reference import resolve
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.methods import METHODS
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_eval_suites import CANARY
from tests.unit.test_eval_suites import data as packs  # noqa: F401

Solve = Callable[..., Any]
RUNS: list[dict[str, Any]] = [
    {"method": "auditcoder", "granularity": "single"},
    *({"method": name} for name in METHODS if name != "ldb" or hasattr(SandboxExecutor, "trace")),
    {"method": "pycapsule", "options": (("native_report", True), ("recursion_trace", True))},
    {"method": "fresh-start", "options": (("of", "pycapsule"), ("restart_after", 2))},
]
ANSWER = "### reasoning\nSo.\n### requirements\nnone\n### code\n```python\n{}\n```"
WRONG = {
    "apps-11": "def repeat(text, times=2):\n    return 'no'",
    "apps-12": "print('no')",
    "humaneval-0": "def grow(x: float, times: int):\n    return 'no'",
}


@pytest.mark.parametrize("config", RUNS, ids=json.dumps)
@pytest.mark.parametrize("reference", ["apps:11", "apps:12", "humaneval:0"])
def test_the_canary_is_in_no_prompt(
    solve: Solve,
    executor: SandboxExecutor,
    packs: Path,  # noqa: F811
    reference: str,
    config: dict[str, Any],
) -> None:
    [task] = resolve(reference, packs)
    hidden = hidden_tests(task, packs)
    assert CANARY in repr(hidden.checks)
    journal, answer = MemoryJournal(), ANSWER.format(WRONG[task.id])
    run = solve(task, lambda role, prompt: answer, k=3, journal=journal, **config)
    assert [prompt for _, prompt in run.calls if CANARY in prompt] == []
    assert CANARY.encode() not in journal.data
    reacts = config["method"] != "direct"
    assert len(run.calls) > 1 if reacts else len(run.calls) == 1  # the failing program was really reacted to
    assert not judge(run.record.assembly.program, task, hidden, executor).passed
