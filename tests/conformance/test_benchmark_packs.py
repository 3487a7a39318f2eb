"""The published packs themselves: only where `AUDITCODER_DATA` names the folder that holds them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.eval.hidden import CALLS, apps_hidden, hidden_tests, judge
from auditcoder.eval.suites import apps, humaneval
from auditcoder.sandbox.executor import SandboxExecutor

DATA = os.environ.get("AUDITCODER_DATA", "")
pytestmark = pytest.mark.skipif(not DATA, reason="AUDITCODER_DATA names no folder with the benchmark packs")


def _rows(path: Path) -> list[dict[str, Any]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


def test_apps_texts_are_typed_as_the_pack_types_them() -> None:
    folder = Path(DATA) / "apps"
    rows, styles = apps.rows_by_id(folder), apps.styles_by_id(folder)
    for case in _rows(folder / CALLS):
        typed = [apps.typed_call(case["id"], styles[case["id"]].kinds, test) for test in rows[case["id"]]["test_list"]]
        assert [(list(call.args), call.result) for call in typed if call] == [
            (one["args"], one["expected"]) for one in case["cases"]
        ]


def test_the_packs_load_whole() -> None:
    tasks, evals = apps.load(None, DATA), humaneval.load(None, DATA)
    assert (len(tasks), len(evals)) == (85, 164)
    assert sum(task.entry.kind == "function" for task in tasks) == 53
    assert sum(len(task.examples) for task in evals) == 457
    assert {task.id for task in evals if not task.examples} == {f"humaneval-{n}" for n in (38, 41, 50, 83)}


@pytest.mark.slow
def test_humaneval_solutions_pass_visible_and_hidden(executor: SandboxExecutor) -> None:
    rows = {row["task_id"]: row for row in _rows(Path(DATA) / "humaneval" / humaneval.OFFICIAL)}
    for task in humaneval.load(None, DATA):
        row = rows[task.id.replace("humaneval-", "HumanEval/")]
        program = row["prompt"] + row["canonical_solution"]
        visible = executor.run(program, task.entry, task.examples, task.limits)
        assert [result.message for result in visible.results if result.outcome != "pass"] == [], task.id
        assert judge(program, task, hidden_tests(task, DATA), executor).passed, task.id


@pytest.mark.slow
def test_recorded_apps_programs_get_the_recorded_verdict(executor: SandboxExecutor) -> None:
    """All programs that pass, and every sixth wrong one (those take long: each test may run into its limit)."""
    tasks = {task.id: task for task in apps.load(None, DATA)}
    rows = _rows(Path(DATA) / "llm-programs" / "apps.jsonl")
    wrong = [row for row in rows if row["rerun"] == "wrong"]
    differs: list[int] = []
    for row in [row for row in rows if row["rerun"] == "pass"] + wrong[::6]:
        number = int(row["task_id"])
        hidden = apps_hidden(number, DATA, mode="stdin")
        if judge(row["code"], tasks[f"apps-{number}"], hidden, executor).passed != (row["rerun"] == "pass"):
            differs.append(number)
    assert differs == []
