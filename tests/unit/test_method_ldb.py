"""LDB: calls by the formula, blocks and verdicts in the prompts, and what happens when either is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from auditcoder.core.blocks import block_map
from auditcoder.programs.baselines.ldb_agents import Turn, fitting
from auditcoder.programs.baselines.ldb_blocks import BLOCKS_SHOWN, blocks_text
from auditcoder.records.events import CodeWritten, MethodNoted, ModelCalled, RoundStarted, TraceRecorded
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Limits,
    Parameter,
    ProgramInput,
    Task,
)
from auditcoder.records.trace import Trace, TracedBlock, TracePlan
from auditcoder.sandbox.executor import SandboxExecutor

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [-4], 0)),
)


def program(*body: str) -> str:
    return "```python\ndef total(items):\n    " + "\n    ".join(body) + "\n```"


RIGHT = program("return sum(i for i in items if i > 0)")
WRONG = program("result = 0", "for item in items:", "    result += item", "return result")
CRASH = program("return items[9]")
VERDICTS = (
    '{"verdicts": [{"block": 0, "correct": true, "explanation": "starts at zero"},'
    ' {"block": 1, "correct": false, "explanation": "takes negative items too"},'
    ' {"block": 77, "correct": false, "explanation": "is not there"}]}'
)


class Traced:
    """The sandbox, with traces of a run that takes the blocks of the plan in order, over and over."""

    def __init__(self, sandbox: SandboxExecutor, ran: int = 4, reason: str = "") -> None:
        self.sandbox, self.ran, self.reason = sandbox, ran, reason
        self.plans: list[TracePlan] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sandbox, name)

    def trace(
        self, program: str, entry: EntryPoint, check: Check, limits: Limits, plan: TracePlan, before: Any = None
    ) -> Trace:
        self.plans.append(plan)
        ids = sorted({block for _, block in plan.blocks})
        half = plan.kept // 2
        kept = [n for n in range(self.ran) if n < half or n >= self.ran - half]
        blocks = tuple(
            TracedBlock(index=n, block=ids[n % len(ids)], function="total", before=(("result", str(n)),),
                        after=(("result", str(n + 1)),))
            for n in kept
        )  # fmt: skip
        return Trace(check=check.id, blocks=blocks, block_count=self.ran, events=self.ran, reason=self.reason)


@pytest.fixture
def traced(executor: SandboxExecutor) -> Traced:
    return Traced(executor)


def answers(*programs: str, verdicts: str = VERDICTS) -> Callable[[str, str], str]:
    """Return a script: programs in order, the last one from then on; the same verdicts for every judge."""
    left = list(programs)

    def script(role: str, prompt: str) -> str:
        if role == "verifier":
            return verdicts
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def noted(run: Any, what: str) -> list[MethodNoted]:
    return [event for event in run.events if isinstance(event, MethodNoted) and event.what == what]


@pytest.mark.parametrize(
    ("script", "config", "calls"),
    [
        pytest.param((RIGHT,), {"k": 30}, 1, id="minimum"),
        pytest.param((WRONG,), {"k": 30}, 21, id="worst"),
        pytest.param((WRONG, RIGHT), {"k": 30}, 3, id="one round"),
        pytest.param((WRONG,), {"k": 1}, 3, id="k=1"),
        pytest.param((CRASH,), {"k": 1}, 2, id="k=1 without judge"),
        pytest.param((CRASH,), {"k": 30}, 11, id="worst without judge"),
        pytest.param((CRASH, WRONG, RIGHT), {"k": 30}, 4, id="a judge in the second round only"),
        pytest.param((WRONG,), {"k": 0}, 1, id="no repair"),
        pytest.param((WRONG,), {"k": 30, "options": (("rounds", 2),)}, 5, id="two rounds"),
        pytest.param((WRONG,), {"adaptive": True}, 9, id="adaptive"),
        pytest.param((WRONG,), {"adaptive": True, "options": (("rounds", 2),)}, 9, id="adaptive reads no rounds"),
        pytest.param((CRASH, WRONG), {"adaptive": True}, 1 + 1 + 4 * 2, id="a rise resets the adaptive counter"),
        pytest.param((WRONG,), {"k": 30, "max_calls": 4}, 4, id="call budget"),
    ],
)
def test_calls_are_those_of_the_formula(
    solve: Solve, traced: Traced, script: Sequence[str], config: dict[str, Any], calls: int
) -> None:
    run = solve(TOTAL, answers(*script), method="ldb", sandbox=traced, **config)
    assert len(run.calls) == calls
    rounds = Counter(event.how for event in run.events if isinstance(event, RoundStarted))
    judged = sum(role == "verifier" for role, _ in run.calls)
    if "max_calls" not in config:
        assert calls == 1 + rounds["feedback"] + judged
    assert set(rounds) <= {"feedback"}


def test_without_checks_the_seed_is_the_program(solve: Solve, traced: Traced) -> None:
    run = solve(TOTAL.model_copy(update={"examples": ()}), answers(WRONG), method="ldb", sandbox=traced, k=30)
    assert (len(run.calls), run.record.reason) == (1, "there is no check to fail")


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"k": 30}, "the method's own limit is reached"),
        ({"k": 2}, "the repair budget is used up"),
        ({"adaptive": True}, "the repair budget is used up"),
    ],
)
def test_the_record_says_why_a_run_ended(solve: Solve, traced: Traced, config: Any, reason: str) -> None:
    run = solve(TOTAL, answers(WRONG), method="ldb", sandbox=traced, **config)
    assert run.record.reason == reason


def test_a_round_is_judge_then_repair_of_the_first_failing_check(solve: Solve, traced: Traced) -> None:
    run = solve(TOTAL, answers(WRONG, RIGHT), method="ldb", sandbox=traced, k=1)
    assert [role for role, _ in run.calls] == ["generator", "verifier", "regenerator"]
    assert [e.agent for e in run.events if isinstance(e, ModelCalled)] == ["programmer", "block-judge", "regenerator"]
    assert [e.how for e in run.events if isinstance(e, CodeWritten)] == ["generated", "regenerated"]
    assert [e.trace.check for e in run.events if isinstance(e, TraceRecorded)] == ["E2"]
    judge, repair = run.calls[1][1], run.calls[2][1]
    assert "Block 0 in total" in judge
    assert "result = 1" in judge
    assert "result += item" in judge
    assert "Failing check E2" in judge
    assert "Failing check E3" not in judge + repair
    assert "Block 1: wrong. takes negative items too" in repair
    assert "Block 77" not in repair
    assert judge.partition("### blocks\n")[2].partition("\n###")[0] in repair  # the numbers of the verdicts
    assert [note.detail for note in noted(run, "verdicts")] == ["right: 0; wrong: 1; 1 on blocks that were not shown"]


@pytest.mark.parametrize("verdicts", ["no form at all", '{"verdicts": [{"block": "x"}]}', "{}"])
def test_malformed_verdicts_do_not_stand_in_the_way(solve: Solve, traced: Traced, verdicts: str) -> None:
    run = solve(TOTAL, answers(WRONG, RIGHT, verdicts=verdicts), method="ldb", sandbox=traced, k=1)
    assert run.candidate.rank.full_pass
    assert len(run.calls) == 3
    assert verdicts in run.calls[2][1].partition("### verdicts")[2]  # free text goes on
    assert noted(run, "verdicts")[0].detail == "the answer is not of the required form"


@pytest.mark.parametrize(
    ("first", "reason", "ran", "why"),
    [
        pytest.param(CRASH, "", 4, "the outcome is runtime-error", id="no wrong answer"),
        pytest.param(WRONG, "too many events", 4, "too many events", id="no usable trace"),
        pytest.param(WRONG, "", 0, "no block ran", id="no block"),
    ],
)
def test_a_run_that_cannot_be_profiled_has_no_judge(
    solve: Solve, executor: SandboxExecutor, first: str, reason: str, ran: int, why: str
) -> None:
    sandbox = Traced(executor, ran, reason)
    run = solve(TOTAL, answers(first, RIGHT), method="ldb", sandbox=sandbox, k=1)
    assert [role for role, _ in run.calls] == ["generator", "regenerator"]
    assert [note.detail for note in noted(run, "judge-skipped")] == [why]
    assert "### verdicts\nnone" in run.calls[1][1]
    assert "Failing check" in run.calls[1][1]


@pytest.mark.parametrize(
    ("options", "kept", "blocks"),
    [
        pytest.param((), 10, 4, id="block"),
        pytest.param((("level", "line"),), 30, 4, id="line"),
        pytest.param((("level", "function"),), 30, 1, id="function"),
        pytest.param((("shown", 6),), 6, 4, id="shown"),
    ],
)
def test_level_and_blocks_shown(solve: Solve, traced: Traced, options: Any, kept: int, blocks: int) -> None:
    solve(TOTAL, answers(WRONG, RIGHT), method="ldb", sandbox=traced, k=1, options=options)
    assert traced.plans[0].kept == kept
    assert len({block for _, block in traced.plans[0].blocks}) == blocks


def test_module_level_is_traced_where_it_is_the_program(solve: Solve, traced: Traced) -> None:
    given = Check(id="E1", input=ProgramInput(stdin="3\n"), expected=Expected(stdout="4\n"))
    task = Task(id="next", statement="Print the next number.", entry=EntryPoint(kind="program"), examples=(given,))
    wrong, right = "```python\nprint(int(input()))\n```", "```python\nprint(int(input()) + 1)\n```"
    run = solve(task, answers(wrong, right), method="ldb", sandbox=traced, k=1)
    assert run.candidate.rank.full_pass
    assert len(traced.plans[0].blocks) == 1


def test_blocks_that_are_left_out_keep_their_numbers(solve: Solve, executor: SandboxExecutor) -> None:
    run = solve(TOTAL, answers(WRONG, RIGHT), method="ldb", sandbox=Traced(executor, ran=57), k=1)
    judge = run.calls[1][1]
    assert "(47 blocks left out)" in judge
    assert judge.count("\nbefore:\n") == 10
    assert judge.index("Block 4 in") < judge.index("(47 blocks") < judge.index("Block 52 in")


def test_without_types_the_judge_gives_a_text(solve: Solve, traced: Traced) -> None:
    script = answers(WRONG, RIGHT, verdicts='{"discussion": "Block 1 takes too much."}')
    run = solve(TOTAL, script, method="ldb", sandbox=traced, k=1, options=(("typed_verdicts", False),))
    assert "### verdicts\nBlock 1 takes too much." in run.calls[2][1]
    assert run.candidate.rank.full_pass


def test_the_conversation_is_kept_and_each_program_stands_in_it_once(solve: Solve, traced: Traced) -> None:
    second = program("return sum(items) + 0")
    run = solve(TOTAL, answers(WRONG, second, RIGHT), method="ldb", sandbox=traced, k=2)
    for _, prompt in run.calls[3:5]:
        history = prompt.partition("### history")[2].partition("### program")[0]
        assert history.count("def total") == 1
        assert "takes negative items too" in history
        assert history.count("result = 2") == 2  # behind block 1, and before block 2
        assert prompt.partition("### history")[2].count("def total(items):\n    return sum(items) + 0") == 1
        assert "sum of the positive items" in prompt


def test_the_oldest_rounds_leave_a_full_context(solve: Solve, traced: Traced) -> None:
    run = solve(TOTAL, answers(WRONG), method="ldb", sandbox=traced, k=3, options=(("context_tokens", 1),))
    assert all("### history\nnone" in prompt for _, prompt in run.calls[1:])
    assert all("sum of the positive items" in prompt and "def total" in prompt for _, prompt in run.calls[1:])
    turns = [Turn("p" * 100, f"failing {number}") for number in range(9)]
    kept = fitting(turns, {"task": "t" * 40}, "i" * 40, 100)
    assert "failing 8" in kept
    assert "failing 0" not in kept
    assert len(kept) + 80 <= 400


def test_long_values_show_both_ends() -> None:
    blocks = block_map("def f(x):\n    return x\n")
    ran = TracedBlock(index=3, block=0, function="f", before=(("x", "a" * 500 + "z" * 500),))
    text = blocks_text(Trace(check="E1", blocks=(ran,), block_count=5), blocks, 100)
    line = next(line for line in text.split("\n") if line.startswith("  x"))
    assert line == f"  x = {'a' * 46} ... {'z' * 50}"
    assert text.startswith("(3 blocks left out)")
    assert text.endswith("(1 block left out)")


def test_what_a_prompt_shows_of_blocks_is_bounded() -> None:
    body = "\n".join(f"    value = {'x' * 40}" for _ in range(100))
    blocks = block_map(f"def f(x):\n{body}\n    return x\n", "function")
    before = tuple((f"name{number}", "v" * 10**5) for number in range(500))
    ran = tuple(TracedBlock(index=n, block=0, function="f", before=before, after=before) for n in range(50))
    text = blocks_text(Trace(check="E1", blocks=ran[:2], block_count=2), blocks, 100)
    assert text.count("def f(x)") == 1
    assert text.count("(its lines are those of block 0)") == 1
    assert text.count("and 480 more") == 4
    assert len(text) < 4 * 21 * 115 + 2500
    text = blocks_text(Trace(check="E1", blocks=ran, block_count=50), blocks, 2000)
    assert "Block 0 in f" in text
    assert "characters left out" in text
    assert text.endswith("and 480 more")
    assert len(text) < BLOCKS_SHOWN + 50


def test_a_refused_repair_costs_its_round_and_keeps_the_program(solve: Solve, traced: Traced) -> None:
    run = solve(TOTAL, answers(WRONG, "no code"), method="ldb", sandbox=traced, k=1)
    assert len(run.calls) == 4
    assert "result += item" in run.candidate.state.assembly.program
