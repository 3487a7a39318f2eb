"""LDB and BPD on real traces: what their prompts show of a run, and that their runs verify, run again and replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.ledger.chain import Chain
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import TraceRecorded
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_method_ldb import TOTAL, VERDICTS

Solve = Callable[..., Any]


def reply(code: str) -> str:
    """Return an answer that both methods read."""
    return f"### reasoning\nAs asked.\n### requirements\nnone\n### code\n```python\n{code}\n```"


LOOP = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result"
RIGHT = reply("def total(items):\n    return sum(i for i in items if i > 0)")
WRONG, CRASH = reply(LOOP), reply("def total(items):\n    return items[9]")
SHIFTED = reply(LOOP.replace("result = 0", "result = 1"))
BLINKING = reply("import time\n" + LOOP.replace("return result", "return result + time.time_ns()"))


def answers(*texts: str, verdicts: str = VERDICTS) -> Callable[[str, str], str]:
    left = list(texts)

    def script(role: str, prompt: str) -> str:
        if role == "verifier":
            return verdicts
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def traces(run: Any) -> list[TraceRecorded]:
    return [event for event in run.events if isinstance(event, TraceRecorded)]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("ldb", ()),
        ("ldb", (("level", "function"),)),
        ("ldb", (("typed_verdicts", False),)),
        ("bpd", ()),
        ("bpd", (("traces", "all"),)),
    ],
)
def test_runs_verify_run_again_and_replay(solve: Solve, executor: SandboxExecutor, method: str, options: Any) -> None:
    journal = MemoryJournal()
    script = answers(WRONG, CRASH, "no code", SHIFTED, "no code", "no code", RIGHT)
    run = solve(TOTAL, script, method=method, k=30, options=options, journal=journal)
    ledger = journal.ledger
    assert run.candidate.rank.full_pass
    assert len(traces(run)) >= 2
    assert {event.trace.reason for event in traces(run)} == {""}
    outputs = expected_outputs(fold_ledger(ledger))
    assert [str(difference) for difference in verify_chain(Chain(ledger, None), outputs=outputs).differences] == []
    assert [str(difference) for difference in replay_run(ledger).differences] == []
    assert [str(difference) for difference in execute_again(ledger, executor).differences] == []


@pytest.mark.parametrize("level", ["block", "line", "function"])
def test_the_judge_sees_the_blocks_of_the_run(solve: Solve, level: str) -> None:
    run = solve(TOTAL, answers(WRONG, RIGHT), method="ldb", k=1, options=(("level", level),))
    assert [role for role, _ in run.calls] == ["generator", "verifier", "regenerator"]
    blocks = run.calls[1][1].partition("### blocks")[2]
    assert "items = [1, -2]" in blocks
    assert "result = -1" in blocks
    assert ("Block 1 in total" in blocks) == (level != "function")


def test_the_fix_sees_the_values_of_the_run(solve: Solve) -> None:
    run = solve(TOTAL, answers(WRONG, RIGHT), method="bpd", k=1)
    assert run.candidate.rank.full_pass
    shown = run.calls[1][1].partition("### annotated")[2]
    added = next(line for line in shown.split("\n") if "result += item" in line)
    assert added.partition("#")[2].strip() == "result = 1, -1"


def test_a_program_that_reads_standard_input_is_traced_at_module_level(solve: Solve) -> None:
    given = Check(id="E1", input=ProgramInput(stdin="3\n"), expected=Expected(stdout="4\n"))
    task = Task(id="next", statement="Print the next number.", entry=EntryPoint(kind="program"), examples=(given,))
    wrong, right = reply("number = int(input())\nprint(number)"), reply("print(int(input()) + 1)")
    ldb = solve(task, answers(wrong, right), method="ldb", k=1)
    assert "number = 3" in ldb.calls[1][1].partition("### blocks")[2]
    bpd = solve(task, answers(wrong, right), method="bpd", k=1)
    assert "# number = 3" in bpd.calls[1][1].partition("### annotated")[2]


@pytest.mark.parametrize(("method", "calls"), [("ldb", 2), ("bpd", 2)])
def test_a_run_with_another_result_than_before_shows_no_values(solve: Solve, method: str, calls: int) -> None:
    run = solve(TOTAL, answers(BLINKING, RIGHT), method=method, k=1)
    assert len(run.calls) == calls
    assert [event.trace.reason != "" for event in traces(run)] == [True]
    assert "result += item  #" not in run.calls[1][1]
