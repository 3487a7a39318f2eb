"""Own checks of each kind of task in whole runs: they run, they are shown, and the run verifies, executes, replays."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.task import (
    Check,
    Comparator,
    EntryPoint,
    Expected,
    FunctionSignature,
    Parameter,
    ProgramInput,
    Task,
)
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_method_agentcoder import Script, assert_holds, check, frozen, suite

Solve = Callable[..., Any]


def signature(name: str, *parameters: str) -> FunctionSignature:
    return FunctionSignature(name=name, parameters=tuple(Parameter(name=parameter) for parameter in parameters))


DOUBLE = Task(id="double", statement="Print the number that is read, doubled.", entry=EntryPoint(kind="program"))
STACK = Task(
    id="stack",
    statement="A stack: push an item, pop the newest one.",
    entry=EntryPoint(kind="class", name="Stack", methods=(signature("push", "item"), signature("pop"))),
)
FILES = Task(
    id="files", statement="Write hello to out.txt.", entry=EntryPoint(kind="script", outputs=("out.txt",))
)  # fmt: skip
PUSH = "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, item):\n        {}\n"
POP = "    def pop(self):\n        return self.items.pop()"


def fenced(source: str) -> str:
    return f"### reasoning\nSo.\n### code\n```python\n{source}\n```"


BAD_STACK, STACKED = (
    fenced(PUSH.format("self.items.insert(0, item)") + POP),
    fenced(PUSH.format("self.items.append(item)") + POP),
)
RUNS: list[tuple[Task, str, str, str, list[str]]] = [
    (
        DOUBLE,
        suite(check("4\n", "8"), check("0", "0")),
        fenced("print(int(input()) + 4)"),
        fenced("print(2 * int(input()))"),
        ["Failing check T2\nInput: standard input:\n0\n\nExpected: standard output:\n0\nObserved: 4"],
    ),
    (
        STACK,
        suite(
            check("s = Stack()\ns.push(1)\ns.pop()", "1"),
            check("s = Stack(); s.push(1); s.push(2); s.pop(); s.pop()", "1", "order"),
        ),
        BAD_STACK,
        STACKED,
        ["Failing check T2\nInput: unit test:", "Expected: all tests pass", "2 != 1"],
    ),
]


@pytest.mark.parametrize(("task", "checks", "wrong", "right", "told"), RUNS, ids=["program", "class"])
@pytest.mark.parametrize("method", ["agentcoder", "codecor"])
def test_own_checks_drive_a_repair(
    solve: Solve,
    executor: SandboxExecutor,
    task: Task,
    checks: str,
    wrong: str,
    right: str,
    told: list[str],
    method: str,
) -> None:
    journal, answers = MemoryJournal(), Script((wrong,), (right,), (checks,))
    run = solve(task, answers if method == "agentcoder" else pooled(checks, wrong, right), method=method,
                journal=journal)  # fmt: skip
    assert run.record.reason == "every check passes"
    assert len(frozen(run)[0].checks) == 2
    shown = run.calls[-1][1] if method == "agentcoder" else run.calls[-3][1]
    assert [each for each in told if each not in shown] == []
    assert_holds(journal, executor)


def pooled(checks: str, wrong: str, right: str) -> Callable[[str, str], str]:
    """Return the answers of CodeCoR's agents, with one brief that survives."""
    listed = [each for group in json.loads(checks).values() for each in group]
    names = ("clarity", "relevance", "conciseness", "context")

    def answer(role: str, prompt: str) -> str:
        if role == "planner" and "Write task briefs" in prompt:
            return json.dumps({"briefs": ["way 1", "way 2", "way 3"]})
        if role == "reviewer":
            sums = (4, 0, 0) if "### kind\nbrief" in prompt else (4, 0)
            return json.dumps({"scores": [dict.fromkeys(names, each == 4) for each in sums]})
        return {
            "planner": json.dumps({"checks": listed}),
            "generator": wrong,
            "verifier": json.dumps({"advice": ["change 1", "change 2"]}),
            "regenerator": right,
        }[role]

    return answer


def test_a_task_with_files_has_no_own_checks(solve: Solve, executor: SandboxExecutor) -> None:
    journal, script = MemoryJournal(), Script((fenced("print('no')"),), suites=(suite(check("in.txt", "hello")),))
    run = solve(FILES, script, method="agentcoder", k=30, journal=journal)
    assert len(run.calls) == 2
    assert run.record.reason == "there is no check to fail"
    assert_holds(journal, executor)


def test_own_results_are_compared_as_those_of_the_examples(solve: Solve) -> None:
    one = Check(
        id="E1", input=ProgramInput(stdin="1\n"), expected=Expected(stdout="2\n"),
        comparator=Comparator(kind="floats", abs_tol=0.5),
    )  # fmt: skip
    task = DOUBLE.model_copy(update={"examples": (one,)})
    script = Script((fenced("print(2 * int(input()) + 0.4)"),), suites=(suite(check("4", "8.0")),))
    run = solve(task, script, method="agentcoder")
    assert frozen(run)[0].checks[0].comparator == one.comparator
    assert run.candidate.rank.full_pass
