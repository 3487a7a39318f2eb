"""BPD: calls under each protocol; which failures are answered with values, which with the error, and what is noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.programs.baselines.bpd import ALL_SHOWN, NO_ROOM
from auditcoder.records.events import MethodNoted, RoundStarted
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task
from auditcoder.records.trace import Trace, TracedLine

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
EXAMPLES = tuple(
    Check(id=f"E{number}", input=FunctionInput(args=(list(items),)), expected=Expected(value=value, has_value=True))
    for number, (items, value) in enumerate([((1, 2), 3), ((1, -2), 1), ((-4,), 0)], 1)
)
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=EXAMPLES,
)
SHOWN = "Find the first value that contradicts what the task asks for"


class Tracing:
    """The real executor, with a tracer on a script."""

    def __init__(self, executor: Any, reasons: dict[str, str] | None = None) -> None:
        self._executor, self._reasons = executor, reasons or {}
        self.traced: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)

    def trace(self, program: str, entry: EntryPoint, check: Check, limits: Any, plan: Any, before: Any = None) -> Trace:
        self.traced.append(check.id)
        if check.id in self._reasons:
            return Trace(check=check.id, reason=self._reasons[check.id])
        line = TracedLine(line=2, kind="return", values=(f"'seen on {check.id}'",), count=1)
        return Trace(check=check.id, lines=(line,), events=1)


def program(body: str) -> str:
    return f"### reasoning\nAs asked.\n### requirements\nnone\n### code\n```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG = program("return sum(i for i in items if i > 0)"), program("return sum(items)")
CRASH = program("return items[9]")


def answers(*texts: str) -> Callable[[str, str], str]:
    left = list(texts)
    return lambda role, prompt: left.pop(0) if len(left) > 1 else left[0]


def fallbacks(run: Any) -> list[tuple[str, str]]:
    return [(e.item, e.detail) for e in run.events if isinstance(e, MethodNoted) and e.what == "trace-fallback"]


@pytest.mark.parametrize("traces", ["one", "all"])
@pytest.mark.parametrize(
    ("script", "config", "calls"),
    [
        ((RIGHT,), {"k": 30}, 1),
        ((WRONG, RIGHT), {"k": 30}, 2),
        ((WRONG,), {"k": 30}, 6),
        ((WRONG,), {"k": 1}, 2),
        ((WRONG,), {"k": 0}, 1),
        ((WRONG,), {"adaptive": True}, 5),
        ((WRONG,), {"k": 30, "max_calls": 4}, 4),
    ],
)
def test_calls_are_those_of_the_formula(
    solve: Solve, executor: Any, traces: str, script: tuple[str, ...], config: dict[str, Any], calls: int
) -> None:
    options = (("traces", traces),)
    run = solve(TOTAL, answers(*script), method="bpd", options=options, sandbox=Tracing(executor), **config)
    assert len(run.calls) == calls
    assert [e.how for e in run.events if isinstance(e, RoundStarted)] == ["feedback"] * (calls - 1)


@pytest.mark.parametrize(("traces", "seen"), [("one", ["E2"]), ("all", ["E2", "E3"])])
def test_a_wrong_answer_is_answered_with_the_values_of_failing_runs(
    solve: Solve, executor: Any, traces: str, seen: list[str]
) -> None:
    options = (("traces", traces),)
    run = solve(TOTAL, answers(WRONG), method="bpd", k=1, options=options, sandbox=Tracing(executor))
    prompt = run.calls[1][1]
    assert SHOWN in prompt
    assert [check.id for check in EXAMPLES if f"seen on {check.id}" in prompt] == seen
    assert fallbacks(run) == []


def test_control_characters_of_a_program_are_shown_escaped(solve: Solve, executor: Any) -> None:
    run = solve(TOTAL, answers(program("return len('\u202e')")), method="bpd", k=1, sandbox=Tracing(executor))
    assert "\u202e" not in run.calls[1][1]
    assert "return len('\\x202e')" in run.calls[1][1]


def test_a_crash_is_answered_with_the_error(solve: Solve, executor: Any) -> None:
    run = solve(TOTAL, answers(CRASH), method="bpd", k=1, sandbox=Tracing(executor))
    assert SHOWN not in run.calls[1][1]
    assert "IndexError" in run.calls[1][1]
    assert fallbacks(run) == [("E1", "the outcome is runtime-error")]


def test_without_a_usable_trace_the_error_is_told(solve: Solve, executor: Any) -> None:
    run = solve(TOTAL, answers(WRONG), method="bpd", k=1, sandbox=Tracing(executor, {"E2": "too many events"}))
    assert SHOWN not in run.calls[1][1]
    assert "2 fail." in run.calls[1][1]
    assert fallbacks(run) == [("E2", "too many events")]


def test_of_all_traces_those_there_are_are_shown(solve: Solve, executor: Any) -> None:
    sandbox = Tracing(executor, {"E2": "another result"})
    run = solve(TOTAL, answers(WRONG), method="bpd", k=1, options=(("traces", "all"),), sandbox=sandbox)
    prompt = run.calls[1][1]
    assert SHOWN in prompt
    assert "seen on E3" in prompt
    assert "seen on E2" not in prompt
    assert fallbacks(run) == [("E2", "another result")]


MANY = TOTAL.model_copy(
    update={
        "examples": tuple(
            Check(id=f"E{n}", input=FunctionInput(args=([-n],)), expected=Expected(value=0, has_value=True))
            for n in range(1, 21)
        )
    }
)


def test_all_traces_together_have_a_limit(solve: Solve, executor: Any) -> None:
    long = program("\n    ".join([*(f"part_{n} = {'x' * 60!r}" for n in range(60)), "return sum(items)"]))
    sandbox = Tracing(executor)
    run = solve(MANY, answers(long), method="bpd", k=2, options=(("traces", "all"),), sandbox=sandbox)
    shown = run.calls[1][1].partition("### annotated")[2]
    seen = [check.id for check in MANY.examples if f"'seen on {check.id}'" in shown]
    assert seen == [f"E{n}" for n in range(1, len(seen) + 1)]  # in order, until there is no room
    assert 3 <= len(seen) < 20
    assert len(shown) < ALL_SHOWN + 6000
    assert len(sandbox.traced) == 2 * (len(seen) + 1)  # no run is traced for nothing, but the one that did not fit
    assert {detail for _, detail in fallbacks(run)} == {NO_ROOM}
    assert f"and {20 - len(seen) - 3} more failing checks" in shown


def test_the_history_holds_what_was_said_earlier(solve: Solve, executor: Any) -> None:
    run = solve(TOTAL, answers(WRONG, CRASH, WRONG), method="bpd", k=3, sandbox=Tracing(executor))
    last = run.calls[3][1]
    assert "Program 1:" in last
    assert last.count("What was said about it:") == 2
    assert last.index("return items[9]") < last.index("IndexError") < last.rindex("return sum(items)")
    assert last.count("seen on E2") == 2  # of the first program, in the history, and of the last one


def test_the_first_prompt_is_that_of_the_structured_error_loop(solve: Solve, executor: Any) -> None:
    bpd = solve(TOTAL, answers(WRONG), method="bpd", k=0, sandbox=Tracing(executor))
    assert bpd.calls == solve(TOTAL, answers(WRONG), method="pycapsule", k=0).calls


def test_a_refused_fix_costs_its_round_and_keeps_the_program(solve: Solve, executor: Any) -> None:
    run = solve(TOTAL, answers(WRONG, "no code"), method="bpd", k=1, sandbox=Tracing(executor))
    assert len(run.calls) == 3
    assert "sum(items)" in run.candidate.state.assembly.program
