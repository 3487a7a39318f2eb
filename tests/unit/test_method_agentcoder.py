"""AgentCoder: calls of the formula, what each agent is shown, suites and their bar, switches, unusable answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.eval.hidden import hidden_tests
from auditcoder.eval.suites.reference import resolve
from auditcoder.ledger.chain import Chain
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.method_result import method_result
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import ChecksFrozen, CodeWritten, MethodNoted, ModelCalled, RoundStarted
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_eval_suites import CANARY
from tests.unit.test_eval_suites import data as packs  # noqa: F401

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(Check(id="E1", input=FunctionInput(args=([7, -7],)), expected=Expected(value=7, has_value=True)),),
)


def program(body: str) -> str:
    return f"### reasoning\nAs asked.\n### code\n```python\ndef total(items):\n    {body}\n```"


RIGHT, WRONG = program("return sum(i for i in items if i > 0)"), program("return sum(items)")
ZERO, CRASH = program("return 0"), program("return 1 / 0")


def check(call: str, expected: str, label: str = "plain") -> dict[str, str]:
    return {"label": label, "input": call, "expected": expected}


def suite(
    *checks: dict[str, str], boundary: Sequence[dict[str, str]] = (), large: Sequence[dict[str, str]] = ()
) -> str:
    return json.dumps({"everyday": list(checks), "boundary": list(boundary), "large": list(large)})


SUITE = suite(
    check("total([1, 2])", "3"),
    boundary=[check("assert total([]) == 0", "", "empty"), check("total([-1, 4])", "4")],
    large=[check("total([1] * 2000)", "2000", "big")],
)


class Script:
    """Answers by agent, from queues; the last answer of a queue stays."""

    def __init__(
        self, codes: Sequence[str] = (RIGHT,), fixes: Sequence[str] = (WRONG,), suites: Sequence[str] = (SUITE,)
    ):
        self.queues = {"planner": list(suites), "generator": list(codes), "regenerator": list(fixes)}

    def __call__(self, role: str, prompt: str) -> str:
        queue = self.queues[role]
        return queue.pop(0) if len(queue) > 1 else queue[0]


def hows(run: Any) -> list[str]:
    return [event.how for event in run.events if isinstance(event, RoundStarted)]


def notes(run: Any, what: str) -> list[MethodNoted]:
    return [event for event in run.events if isinstance(event, MethodNoted) and event.what == what]


def frozen(run: Any) -> list[ChecksFrozen]:
    return [event for event in run.events if isinstance(event, ChecksFrozen)]


def assert_holds(journal: MemoryJournal, executor: SandboxExecutor) -> None:
    """Assert that a run verifies, that its executions come out again, and that it replays to its last event."""
    ledger = journal.ledger
    outputs = expected_outputs(fold_ledger(ledger))
    assert [str(difference) for difference in verify_chain(Chain(ledger, None), outputs=outputs).differences] == []
    assert [str(difference) for difference in execute_again(ledger, executor).differences] == []
    replayed = replay_run(ledger)
    assert [str(difference) for difference in replayed.differences] == []
    assert replayed.compared == len(ledger.events)


WHOLE, USED_UP, LIMIT = "every check passes", "the repair budget is used up", "the method's own limit is reached"
BAR, SPENT = "enough suites pass whole", "the call budget is used up"
RESAMPLE = ("mode", "resample")
SMALL = (("m", 2), RESAMPLE, ("n", 2))
CASES: list[tuple[dict[str, Any], dict[str, Any], int, list[str], str]] = [
    ({}, {"k": 30}, 2, [], WHOLE),
    ({"codes": (WRONG,), "fixes": (RIGHT,)}, {"k": 30}, 3, ["feedback"], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30}, 7, ["feedback"] * 5, LIMIT),
    ({"codes": (WRONG,)}, {"k": 30, "options": (("rounds", 2),)}, 4, ["feedback"] * 2, LIMIT),
    ({}, {"k": 1}, 2, [], WHOLE),
    ({"codes": (WRONG,)}, {"k": 1}, 3, ["feedback"], USED_UP),
    ({"codes": (WRONG,), "fixes": (RIGHT,)}, {"k": 1}, 3, ["feedback"], WHOLE),
    ({"codes": (WRONG,)}, {"k": 0}, 2, [], USED_UP),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 4}, 4, ["feedback"] * 2, SPENT),
    ({"codes": (WRONG,)}, {"k": 30, "max_calls": 1}, 1, [], SPENT),
    ({"codes": (WRONG,)}, {"adaptive": True}, 2 + 4, ["feedback"] * 4, USED_UP),
    ({"codes": (CRASH,), "fixes": (CRASH, ZERO, WRONG)}, {"adaptive": True}, 2 + 7, ["feedback"] * 7, USED_UP),
    ({}, {"k": 30, "options": (RESAMPLE,)}, 10, [], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30, "options": (RESAMPLE,)}, 60, ["retry"] * 5, LIMIT),
    ({"codes": (WRONG,)}, {"k": 30, "options": (("m", 10), RESAMPLE)}, 90, ["retry"] * 5, LIMIT),
    ({"codes": (WRONG,)}, {"k": 1, "options": (RESAMPLE,)}, 20, ["retry"], USED_UP),
    ({"codes": (WRONG,)}, {"k": 30, "options": (("epochs", 2), *SMALL)}, 12, ["retry"] * 2, LIMIT),
    ({"codes": (WRONG, WRONG, ZERO, RIGHT)}, {"k": 30, "options": SMALL}, 8, ["retry"], WHOLE),
    ({"codes": (WRONG,)}, {"k": 30, "options": SMALL, "max_calls": 5}, 5, ["retry"], SPENT),
    ({"codes": (WRONG,)}, {"k": 30, "options": SMALL, "max_calls": 7}, 7, ["retry"], SPENT),
    ({"codes": (WRONG,)}, {"adaptive": True, "options": SMALL}, 4 + 4 * 2, ["retry"] * 4, USED_UP),
]


@pytest.mark.parametrize(("answers", "config", "calls", "rounds", "reason"), CASES)
def test_calls_are_those_of_the_formula_and_the_run_verifies(
    solve: Solve,
    executor: SandboxExecutor,
    answers: dict[str, Any],
    config: dict[str, Any],
    calls: int,
    rounds: list[str],
    reason: str,
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(**answers), method="agentcoder", journal=journal, **config)
    assert len(run.calls) == calls
    assert hows(run) == rounds
    assert run.record.reason == reason
    result = method_result(run.events)
    assert (result.feedback_rounds, result.triggered_retries) == (rounds.count("feedback"), rounds.count("retry"))
    assert_holds(journal, executor)


def test_the_suite_alone_is_frozen_before_there_is_code_and_counts_as_the_models_own(solve: Solve) -> None:
    run = solve(TOTAL, Script(), method="agentcoder")
    [event] = frozen(run)
    assert [check.id for check in event.checks] == ["T1", "T2", "T3", "T4"]
    assert {check.origin for check in event.checks} == {"internal"}
    assert event.derivations[1] == ("T2", "written by the model, boundary: empty")
    kinds = [event.kind for event in run.events]
    assert kinds.index("checks.frozen") < kinds.index("code.written")
    assert run.record.rank.external == 0
    assert run.record.rank.internal == 4


def test_with_the_switch_the_examples_stand_first(solve: Solve) -> None:
    run = solve(TOTAL, Script(), method="agentcoder", options=(("include_examples", True),))
    assert [check.id for check in frozen(run)[0].checks] == ["E1", "T1", "T2", "T3", "T4"]


def test_the_designer_sees_no_code_and_the_writer_no_checks(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,)), method="agentcoder", k=1)
    designer, writer, reviser = (prompt for _, prompt in run.calls)
    assert "return sum" not in designer
    assert "-1, 4" not in writer
    assert "return sum(items)" in reviser
    assert "Failing check T3\nInput: total([-1, 4])\nExpected: 4\nObserved: 3" in reviser
    assert "total([1, 2])" not in reviser  # it passes
    agents = [event.agent for event in run.events if isinstance(event, ModelCalled)]
    assert agents == ["designer", "programmer", "reviser"]


def test_the_latest_program_is_kept_though_it_is_worse(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,), (CRASH,)), method="agentcoder", k=1)
    assert "1 / 0" in run.candidate.state.assembly.program
    assert [event.how for event in run.events if isinstance(event, CodeWritten)] == ["generated", "regenerated"]


def test_a_wrong_check_pushes_right_code_away(solve: Solve) -> None:
    run = solve(TOTAL, Script((RIGHT,), suites=(suite(check("total([1, 2])", "4")),)), method="agentcoder", k=1)
    assert hows(run) == ["feedback"]
    assert "return sum(items)" in run.candidate.state.assembly.program


@pytest.mark.parametrize(
    ("suites", "calls"),
    [((suite(),), 2), (("no form",), 3), ((suite(check("print(1)", "2"), check("total([1])", "x.y")),), 2)],
)
def test_without_a_check_that_can_be_read_the_first_program_is_final(
    solve: Solve, executor: SandboxExecutor, suites: tuple[str, ...], calls: int
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script((WRONG,), suites=suites), method="agentcoder", k=30, journal=journal)
    assert len(run.calls) == calls
    assert run.record.reason == "there is no check to fail"
    assert_holds(journal, executor)


def test_a_designer_that_cannot_be_read_is_asked_once_more(solve: Solve) -> None:
    run = solve(TOTAL, Script(suites=("no form", SUITE)), method="agentcoder")
    assert len(run.calls) == 3
    assert [note.item for note in notes(run, "parse-retry")] == ["checks of the task"]
    assert len(frozen(run)[0].checks) == 4


def test_a_refused_revision_costs_its_round_and_keeps_the_program(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,), ("no code",)), method="agentcoder", k=1)
    assert len(run.calls) == 4
    assert "return sum(items)" in run.candidate.state.assembly.program


def test_without_any_program_the_last_resort_is_revised(solve: Solve) -> None:
    run = solve(TOTAL, Script(("no code",), (RIGHT,)), method="agentcoder", k=1)
    assert len(run.calls) == 2 + 1 + 1
    assert run.candidate.rank.full_pass


def test_every_epoch_has_suites_of_its_own_and_nothing_is_fed_back(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,)), method="agentcoder", k=2, options=SMALL)
    assert [event.checks[0].id for event in frozen(run)] == ["T1.1.1", "T2.1.1", "T3.1.1"]
    assert {check.note for check in frozen(run)[1].checks} == {"suite 1 of epoch 2", "suite 2 of epoch 2"}
    assert len({prompt for role, prompt in run.calls if role == "generator"}) == 1
    assert run.record.checks == frozen(run)[-1].checks
    drawn = [dict(event.sampling) for event in run.events if isinstance(event, ModelCalled)]
    assert [each.get("temperature") for each in drawn] == ["0.0", "0.8", "0.0", "0.8", *["0.8"] * 8]


def test_an_adaptive_resampling_keeps_its_first_suites(solve: Solve) -> None:
    run = solve(TOTAL, Script((WRONG,)), method="agentcoder", adaptive=True, options=SMALL)
    assert len(frozen(run)) == 1


EASY, HARD = suite(check("total([1, 2])", "3")), suite(check("total([1, 2])", "3"), check("total([-1, 4])", "4"))


def test_the_bar_counts_suites_and_not_checks(solve: Solve, executor: SandboxExecutor) -> None:
    options, journal = (("bar", 2), ("m", 3), RESAMPLE, ("n", 2)), MemoryJournal()
    script = Script((ZERO, WRONG), suites=(EASY, HARD, EASY))
    run = solve(TOTAL, script, method="agentcoder", k=30, options=options, journal=journal)
    assert run.record.reason == BAR
    assert run.candidate.number == 1
    assert len(run.calls) == 5
    assert_holds(journal, executor)


def test_the_first_of_the_best_candidates_of_the_last_epoch_is_returned(
    solve: Solve, executor: SandboxExecutor
) -> None:
    options, journal = (("bar", 3), ("m", 2), RESAMPLE, ("n", 3)), MemoryJournal()
    other = program("return sum(items) + 0")
    script = Script((WRONG, ZERO, ZERO, CRASH, WRONG, other), suites=(EASY, HARD))
    run = solve(TOTAL, script, method="agentcoder", k=1, options=options, journal=journal)
    assert run.candidate.number == 3  # the first of epoch 2, where no suite passes whole: all its suites are hard
    assert_holds(journal, executor)


def test_an_epoch_without_a_program_keeps_the_old_one_with_its_checks(solve: Solve, executor: SandboxExecutor) -> None:
    journal = MemoryJournal()
    script = Script((WRONG, WRONG, "no code"))
    run = solve(TOTAL, script, method="agentcoder", k=1, options=SMALL, journal=journal)
    assert run.candidate.number == 0
    assert run.record.checks == frozen(run)[0].checks
    assert [result.check for result in run.record.report.results] == [check.id for check in run.record.checks]
    assert_holds(journal, executor)


def test_new_suites_that_cannot_be_read_leave_the_old_ones(solve: Solve, executor: SandboxExecutor) -> None:
    journal = MemoryJournal()
    script = Script((WRONG,), suites=(SUITE, SUITE, suite()))
    run = solve(TOTAL, script, method="agentcoder", k=1, options=SMALL, journal=journal)
    assert len(frozen(run)) == 1
    assert len(notes(run, "suites-kept")) == 1
    assert_holds(journal, executor)


def test_of_several_drawn_programs_the_refused_ones_do_not_count(solve: Solve) -> None:
    run = solve(TOTAL, Script(("no code", "no code", WRONG)), method="agentcoder", k=0, options=SMALL)
    assert run.candidate.number == 0
    assert "sum(items)" in run.candidate.state.assembly.program
    none = solve(TOTAL, Script(("no code",)), method="agentcoder", k=0, options=SMALL)
    assert "RuntimeError" in none.candidate.state.assembly.program


@pytest.mark.parametrize("reference", ["apps:11", "apps:12", "humaneval:0"])
def test_hidden_tests_reach_no_prompt_of_a_run_that_reacts(solve: Solve, packs: Path, reference: str) -> None:  # noqa: F811
    [task] = resolve(reference, packs)
    assert CANARY in repr(hidden_tests(task, packs).checks)
    name = task.entry.name
    given = "1\n" if task.entry.kind == "program" else f"{name}(1, 2)"
    signature = task.entry.signature.render().split(" ->")[0] if task.entry.signature else ""
    wrong = f"def {signature}:\n    return 'no'" if signature else "print('no')"
    code = f"### reasoning\nSo.\n### code\n```python\n{wrong}\n```"
    journal = MemoryJournal()
    script = Script((code,), (code,), (suite(check(given, "3")),))
    run = solve(task, script, method="agentcoder", k=3, journal=journal)
    assert len(run.calls) == 5
    assert [prompt for _, prompt in run.calls if CANARY in prompt] == []
    assert CANARY.encode() not in journal.data
