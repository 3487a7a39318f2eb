"""The pipeline on scripted answers: which path is taken, what is recorded, what the program is in the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.base import sha256_text
from auditcoder.records.config import Role
from auditcoder.records.execution import CheckResult, ExecutionReport
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
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [], 0)),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    return sum(items)"
CRASH = "def total(items):\n    return items[0] + sum(i for i in items[1:] if i > 0)"


def fenced(code: str) -> str:
    return f"Here it is.\n```python\n{code}\n```\n"


def steps(*names: str) -> str:
    return json.dumps({"steps": [{"name": n, "goal": f"does {n} on it", "kind": "greedy"} for n in names]})


def detail(takes: str, gives: str, kind: str = "list[int]") -> str:
    return json.dumps({"takes": [takes], "gives": gives, "type": kind, "requires": "", "ensures": ""})


def kinds(run: Any) -> Counter[str]:
    return Counter(event.kind for event in run.events)


def test_a_right_first_program_ends_the_run_with_one_call(solve: Solve) -> None:
    run = solve(TOTAL, lambda role, prompt: fenced(RIGHT))
    assert run.candidate.rank.full_pass
    assert [role for role, _ in run.calls] == ["generator"]
    assert run.record.status == "finished"
    assert run.record.reason == "every check passes"
    assert run.record.assembly.program.strip() == RIGHT


def test_a_crash_is_traced_to_its_owner_and_the_repair_is_accepted(solve: Solve) -> None:
    answers = {"generator": CRASH, "regenerator": RIGHT}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]), granularity="single")
    [transaction] = run.record.transactions
    assert transaction.decision == "accepted"
    assert transaction.localization.rule == "Trace"
    assert transaction.localization.grade == "high"
    assert run.candidate.rank.full_pass
    prompt = run.calls[-1][1]
    assert "IndexError" in prompt
    assert "total([])" in prompt


def test_a_wrong_answer_of_a_sole_owner_is_an_executed_finding(solve: Solve) -> None:
    answers = {"generator": WRONG, "regenerator": RIGHT}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]), granularity="single")
    [transaction] = run.record.transactions
    assert (transaction.localization.rule, transaction.localization.anchor) == ("Local", "E2")
    assert transaction.decision == "accepted"
    assert {finding.evidence for finding in run.record.findings} == {"exec"}


def test_a_worse_repair_is_rolled_back_to_the_same_state(solve: Solve) -> None:
    answers = {"generator": WRONG, "regenerator": "def total(items):\n    return 7"}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]), granularity="single")
    [transaction] = run.record.transactions
    assert transaction.decision == "rolled-back"
    assert transaction.restored == transaction.snapshot
    assert run.record.assembly.program.strip() == WRONG
    assert run.record.reason == "the repair budget is used up"


def test_the_same_code_is_asked_for_once_more_and_then_rolled_back(solve: Solve) -> None:
    run = solve(TOTAL, lambda role, prompt: fenced(WRONG), granularity="single")
    [transaction] = run.record.transactions
    assert transaction.decision == "rolled-back"
    assert transaction.reason == "the same code came back"
    assert Counter(role for role, _ in run.calls) == {"generator": 1, "regenerator": 2}


@pytest.mark.parametrize(("k", "repairs"), [(0, 0), (1, 1), (3, 3)])
def test_k_bounds_the_repairs(solve: Solve, k: int, repairs: int) -> None:
    numbers = iter(range(100, 200))
    answers = {"generator": lambda: WRONG, "regenerator": lambda: f"def total(items):\n    return {next(numbers)}"}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]()), granularity="single", k=k)
    assert len(run.record.transactions) == repairs


def test_adaptive_stops_after_four_rounds_without_more_passed_checks(solve: Solve) -> None:
    numbers = iter(range(100, 200))
    answers = {"generator": lambda: WRONG, "regenerator": lambda: f"def total(items):\n    return {next(numbers)}"}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]()), granularity="single", adaptive=True)
    assert [t.decision for t in run.record.transactions] == ["rolled-back"] * 4


def test_auto_on_a_weak_backbone_plans_only_when_the_undivided_program_fails(solve: Solve) -> None:
    functions = {
        "keep_positive": "def keep_positive(items):\n    return [i for i in items if i > 0]",
        "add_up": "def add_up(kept):\n    return sum(kept)",
    }

    def answer(role: Role, prompt: str) -> str:
        if role == "generator":
            return fenced(next((code for name, code in functions.items() if name in prompt), WRONG))
        assert role == "planner"
        last = prompt[prompt.rindex(TOTAL.statement) :]
        if "keep_positive: " in last:
            return detail("items", "kept")
        return detail("kept", "answer", "int") if "add_up: " in last else steps(*functions)

    run = solve(TOTAL, answer)
    assert run.candidate.rank.full_pass
    assert [attempt.granularity for attempt in run.record.attempts] == ["single", "coarse"]
    assert [node.id for node in run.record.graph.nodes] == ["S0", "S1", "S2"]
    assert {line.owner for line in run.record.assembly.lines} == {"S0", "S1", "S2"}
    assert kinds(run)["code.written"] == 4  # the undivided one, two leaves, the linked root
    assert "repair.started" not in kinds(run)


@pytest.mark.parametrize("weak", [True, False], ids=["weak", "strong"])
def test_a_planner_that_never_answers_ends_in_a_single_owner(solve: Solve, weak: bool) -> None:
    def script(role: Role, prompt: str) -> str:
        return "no plan today" if role in ("planner", "replanner") else fenced(RIGHT)

    run = solve(TOTAL, script, weak=weak, granularity="fine")
    assert [node.id for node in run.record.graph.nodes] == ["S0"]
    assert run.record.attempts[0].fallback.startswith("coarse plan:")
    assert run.candidate.rank.full_pass
    planner = Counter(role for role, _ in run.calls)["planner"]
    assert planner == 6  # fine and coarse, each asked three times


def test_unusable_code_ends_in_the_program_of_last_resort(solve: Solve) -> None:
    run = solve(TOTAL, lambda role, prompt: "I would rather not.")
    assert run.record.status == "finished"
    assert "no usable program" in run.record.assembly.program
    assert {result.outcome for result in run.record.report.results} == {"runtime-error"}


def test_the_strict_gate_turns_a_program_away_before_it_runs(solve: Solve) -> None:
    reading = "import os\ndef total(items):\n    return len(os.listdir('/'))"
    run = solve(TOTAL, lambda role, prompt: fenced(reading), granularity="single", k=0, gate="strict")
    assert {result.outcome for result in run.record.report.results} == {"policy-reject"}
    warned = solve(TOTAL, lambda role, prompt: fenced(reading), granularity="single", k=0, gate="warn")
    assert "policy-reject" not in {result.outcome for result in warned.record.report.results}
    [assembled] = [event for event in warned.events if event.kind == "program.assembled"]
    assert any("os" in finding for finding in assembled.gate)


def test_a_resumed_run_repeats_no_call_and_ends_with_the_same_events(solve: Solve) -> None:
    answers = {"generator": WRONG, "regenerator": RIGHT}
    script = lambda role, prompt: fenced(answers[role])  # noqa: E731
    whole = solve(TOTAL, script, granularity="single")
    for cut in range(1, len(whole.events)):
        again = solve(TOTAL, script, granularity="single", journal=MemoryJournal(whole.events[:cut]))
        recorded = sum(event.kind == "model.called" for event in whole.events[:cut])
        assert len(again.calls) == len(whole.calls) - recorded
        assert again.record.assembly == whole.record.assembly
        assert [event.kind for event in again.events] == [event.kind for event in whole.events]


def test_a_pass_that_needs_the_calls_before_it_is_reported(solve: Solve) -> None:
    counting = "seen = [3, 1, 0]\ndef total(items):\n    return seen.pop(0)"
    run = solve(TOTAL, lambda role, prompt: fenced(counting), granularity="single", k=0)
    assert run.record.report.state_dependent
    assert not run.record.rank.full_pass
    assert run.record.reason == "the repair budget is used up; results depend on which checks ran before"
    assert run.candidate.rank == run.record.rank


def test_a_program_that_needs_the_calls_before_it_is_repaired(solve: Solve) -> None:
    counting = "seen = [3, 1, 0]\ndef total(items):\n    return seen.pop(0)"
    answers = {"generator": counting, "regenerator": RIGHT}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]), granularity="single")
    assert [transaction.decision for transaction in run.record.transactions] == ["accepted"]
    assert not run.record.report.state_dependent


def test_what_the_strict_gate_turned_away_is_not_run_for_evidence(solve: Solve) -> None:
    reading = "import os\ndef total(items):\n    return len(os.listdir('/'))"
    answers = {"generator": reading, "regenerator": RIGHT}
    run = solve(TOTAL, lambda role, prompt: fenced(answers[role]), granularity="single", gate="strict")
    [transaction] = run.record.transactions
    assert (transaction.localization.rule, transaction.decision) == ("Trace", "accepted")
    assert "calls.recorded" not in kinds(run)


def test_an_owner_that_takes_the_time_is_found_and_repaired_alone(solve: Solve) -> None:
    endless = "def keep_positive(items):\n    while len(items) > 1:\n        items = items[:]\n    return items"
    mended = "def keep_positive(items):\n    return [i for i in items if i > 0]"

    def answer(role: Role, prompt: str) -> str:
        if role == "generator":
            return fenced(endless if "keep_positive" in prompt else "def add_up(kept):\n    return sum(kept)")
        if role == "regenerator":
            return fenced(mended)
        assert role == "planner"
        last = prompt[prompt.rindex(TOTAL.statement) :]
        if "keep_positive: " in last:
            return detail("items", "kept")
        return detail("kept", "answer", "int") if "add_up: " in last else steps("keep_positive", "add_up")

    task = TOTAL.model_copy(update={"limits": Limits(cpu_seconds=0.3)})
    run = solve(task, answer, granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.localization.rule, transaction.scope.nodes) == ("Resource", ("S1",))
    assert transaction.localization.grade == "medium"
    [measured] = [finding for finding in run.record.findings if finding.obligation.kind == "resource"]
    assert (measured.owners, measured.evidence) == (("S1",), "exec")
    assert [support.finding for support in transaction.localization.supporting] == [measured.id]
    assert transaction.decision == "accepted"


class BrokenSandbox:
    """An executor that fails on every check and must not be asked for anything else."""

    def __init__(self, sound: SandboxExecutor) -> None:
        self.isolation = sound.isolation

    def run(self, program: str, entry: EntryPoint, checks: Sequence[Check], limits: Limits) -> ExecutionReport:
        results = tuple(CheckResult(check=check.id, outcome="harness-error") for check in checks)
        return ExecutionReport(program=sha256_text(program), results=results)

    def record(self, *arguments: Any, **named: Any) -> Any:
        raise AssertionError("nothing ran, so there is nothing to look at")

    confirm = measure = record


@pytest.mark.parametrize("verify", ["on-failure", "always"])
def test_an_abstention_that_no_finding_can_change_asks_no_model(
    solve: Solve, executor: SandboxExecutor, verify: str
) -> None:
    def script(role: Role, prompt: str) -> str:
        if role == "planner":
            last = prompt[prompt.rindex(TOTAL.statement) :]
            return detail("items", "kept", "int") if "add_up: " in last else steps("add_up")
        assert role == "generator"
        return fenced("def add_up(items):\n    return sum(items)")

    run = solve(TOTAL, script, granularity="coarse", sandbox=BrokenSandbox(executor), verify=verify)
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.reason) == ("abstained", "harness-error")
    assert {role for role, _ in run.calls} == {"planner", "generator"}
    assert run.record.findings == ()


def test_prompts_show_no_expected_value_of_what_is_not_a_check(solve: Solve) -> None:
    program = Task(
        id="echo",
        statement="Print the line backwards.",
        entry=EntryPoint(kind="program"),
        examples=(Check(id="E1", input=ProgramInput(stdin="abc\n"), expected=Expected(stdout="cba\n")),),
    )
    run = solve(program, lambda role, prompt: fenced("print(input()[::-1])"))
    assert run.candidate.rank.full_pass
    assert "abc" in run.calls[0][1]
