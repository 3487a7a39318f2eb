"""Direct: one call, one program, no reaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(
        Check(id="E1", input=FunctionInput(args=([1, 2],)), expected=Expected(value=3, has_value=True)),
        Check(id="E2", input=FunctionInput(args=([1, -2],)), expected=Expected(value=1, has_value=True)),
    ),
)
RIGHT = "```python\ndef total(items):\n    return sum(i for i in items if i > 0)\n```"
WRONG = "```python\ndef total(items):\n    return sum(items)\n```"


def test_one_call_makes_the_program(solve: Callable[..., Any]) -> None:
    run = solve(TOTAL, lambda role, prompt: RIGHT, method="direct")
    assert len(run.calls) == 1
    assert run.candidate.rank.full_pass
    assert run.record.reason == "every check passes"


def test_a_failure_is_not_reacted_to(solve: Callable[..., Any]) -> None:
    run = solve(TOTAL, lambda role, prompt: WRONG, method="direct", k=30)
    assert len(run.calls) == 1
    assert run.record.reason == "the method makes one program"
    assert run.record.format == "1.2"


def test_without_any_usable_answer_the_last_resort_stands_in(solve: Callable[..., Any]) -> None:
    run = solve(TOTAL, lambda role, prompt: "no code", method="direct")
    assert len(run.calls) == 2  # a refused answer is asked for once more, as in every method
    assert "RuntimeError" in run.candidate.state.assembly.program
