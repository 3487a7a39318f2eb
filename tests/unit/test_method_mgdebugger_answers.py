"""MGDebugger where something is missing: what cannot be used, and other kinds of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.events import ProgramProbed
from auditcoder.records.task import (
    CallsInput,
    Check,
    EntryPoint,
    Expected,
    FunctionSignature,
    MethodCall,
    Parameter,
    ProgramInput,
    Task,
)
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_method_mgdebugger import (
    FAULTS,
    NAMES,
    RIGHT,
    SEED,
    TOTAL,
    WRITTEN,
    Script,
    differences,
    fenced,
    notes,
    source,
)

Solve = Callable[..., Any]
ECHO = Task(
    id="echo",
    statement="Print the number that is read, doubled.",
    entry=EntryPoint(kind="program", name=""),
    examples=(Check(id="E1", input=ProgramInput(stdin="4\n"), expected=Expected(stdout="8\n")),),
)


def test_without_examples_the_first_program_is_final(solve: Solve) -> None:
    run = solve(TOTAL.model_copy(update={"examples": ()}), Script(), method="mgdebugger", k=30)
    assert len(run.calls) == 1
    assert run.record.reason == "there is no check to fail"


def test_without_a_decomposition_the_program_is_repaired_as_one_function(solve: Solve) -> None:
    journal = MemoryJournal()
    script = Script(trees=("no tree", "def other():\n    return 1", "def total(:"), fixes={"total": ("x = 1", RIGHT)})
    run = solve(TOTAL, script, method="mgdebugger", k=1, options=(("inner", "native"),), journal=journal)
    assert script.asked == ["seed", "tree", "tree", "tree", "fix total", "fix total"]
    assert [note.item for note in notes(run, "parse-retry")] == ["decomposition of pass 1"] * 2 + [
        "debug of whole program"
    ]
    assert [note.item for note in notes(run, "unusable")] == ["decomposition of pass 1"]
    assert "An earlier answer was refused" in script.prompts(run, "tree")[1]
    assert "Failing check E1" in script.prompts(run, "fix total")[0]
    assert run.candidate.rank.full_pass
    assert differences(journal.ledger) == []


@pytest.mark.parametrize(
    ("tree", "kept", "detail"),
    [
        (source("total", total="def total(items):\n    return 0"), False, "other"),
        (source("total", total="def total(items):\n    return 1"), True, "the same"),
        (source("total", total="def total(items):\n    return 3"), True, "other"),
    ],
)
def test_a_tree_that_passes_fewer_checks_is_dropped(solve: Solve, tree: str, kept: bool, detail: str) -> None:
    script, journal = Script("def total(items):\n    return 1", trees=(tree,)), MemoryJournal()
    run = solve(TOTAL, script, method="mgdebugger", k=1, journal=journal)
    [note] = notes(run, "tree")
    assert note.kept is kept
    assert detail in note.detail
    assert [event.what for event in run.events if isinstance(event, ProgramProbed)][1] == (
        "function total" if kept else "whole program"
    )
    assert differences(journal.ledger) == []


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ("no form", "not of the required form"),
        ([], "not of the required form"),
        ([{"inputs": "[1]", "expected": "[1]"}], "no check that can be run"),
        ([{"inputs": '{"items": open("x")}', "expected": "1"}], "no check that can be run"),
    ],
)
def test_a_function_without_checks_is_left_as_it_is_and_noted(solve: Solve, answer: Any, detail: str) -> None:
    journal = MemoryJournal()
    script = Script(trees=(source("positive"),), checks={"positive": answer})
    run = solve(TOTAL, script, method="mgdebugger", k=1, journal=journal)
    [note] = notes(run, "unchecked")
    assert (note.item, note.kept) == ("function positive", False)
    assert detail in note.detail
    assert "fix positive" not in script.asked
    assert FAULTS["positive"] in run.record.assembly.program
    assert differences(journal.ledger) == []


def test_answers_of_the_debugger_that_cannot_be_used_change_nothing(solve: Solve) -> None:
    fixes = {"positive": ("no code {", "def positive(items, more):\n    return items", "def other():\n    return 1")}
    script, journal = Script(trees=(source("positive"),), fixes=fixes), MemoryJournal()
    run = solve(TOTAL, script, method="mgdebugger", k=1, journal=journal)
    assert script.asked.count("fix positive") == 3
    assert [note.item for note in notes(run, "unusable")] == ["debug of function positive"]
    assert "must keep its kind and its parameters: items" in script.prompts(run, "fix positive")[2]
    assert FAULTS["positive"] in run.record.assembly.program
    assert differences(journal.ledger) == []


def test_all_parse_retries_cost_what_the_formula_says(solve: Solve) -> None:
    script = Script(trees=("no", "no", source(*NAMES)))
    for name, queue in script.fixes.items():
        script.fixes[name] = ["no code {", "no code {", *queue] * 3
    run = solve(TOTAL, script, method="mgdebugger", k=1, options=(("inner", "native"), *WRITTEN))
    assert len(run.calls) == 1 + 3 + 4 * (1 + 3 * 3)


def test_functions_that_call_each_other_are_repaired_together(solve: Solve) -> None:
    even = "def even(n):\n    return n == 0 or odd(n - 1)"
    odd, wrong = "def odd(n):\n    return n > 0 and even(n - 1)", "def odd(n):\n    return n > 1 and even(n - 1)"
    tree = f"{even}\n\n\n{wrong}\n\n\ndef total(items):\n    return 7 if odd(len(items) + 1) else 0"
    checks = [{"inputs": '{"n": 3}', "expected": "True"}, {"inputs": '{"n": 1}', "expected": "True"}]
    script = Script("def total(items):\n    return -1", trees=(tree,), checks={"odd": checks})
    script.fixes["odd"] = [fenced(f"{even}\n\n\n{odd}")]
    journal = MemoryJournal()
    run = solve(TOTAL, script, method="mgdebugger", k=1, journal=journal)
    assert script.asked[:4] == ["seed", "tree", "checks odd", "fix odd"]
    assert even in script.prompts(run, "fix odd")[0]
    assert wrong in script.prompts(run, "fix odd")[0]
    assert odd in run.record.assembly.program
    assert differences(journal.ledger) == []


def test_a_program_is_divided_and_its_functions_run_without_starting_it(solve: Solve) -> None:
    seed = "print(int(input()) + 1)"
    tree = (
        "import sys\n\n\ndef twice(n):\n    return n + 1\n\n\ndef read():\n    return int(sys.stdin.read())\n\n\n"
        "def main():\n    print(twice(read()))\n\n\nmain()"
    )
    checks = [{"inputs": '{"n": 4}', "expected": "8"}]
    script = Script(seed, trees=(tree,), checks={"twice": checks})
    script.fixes["twice"] = [fenced("def twice(n):\n    return 2 * n")]
    journal = MemoryJournal()
    run = solve(ECHO, script, method="mgdebugger", k=1, journal=journal)
    assert script.asked == ["seed", "tree", "checks twice", "fix twice"]
    assert [note.item for note in notes(run, "unchecked")] == ["function read"]
    assert run.candidate.rank.full_pass
    assert differences(journal.ledger) == []


def test_a_program_without_functions_is_repaired_whole(solve: Solve) -> None:
    script = Script("print(int(input()) + 1)", trees=("print(int(input()) + 1)",))
    script.fixes[""] = [fenced("print(2 * int(input()))")]
    journal = MemoryJournal()
    run = solve(ECHO, script, method="mgdebugger", k=1, journal=journal)
    assert script.asked == ["seed", "tree", "tree", "tree", "fix "]
    assert run.candidate.rank.full_pass
    assert differences(journal.ledger) == []


def test_a_pass_that_the_budget_cuts_leaves_no_program(solve: Solve) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(right=True), method="mgdebugger", k=30, max_calls=8, journal=journal)
    assert run.record.assembly.program.strip() == SEED
    assert run.record.reason == "the call budget is used up"
    assert differences(journal.ledger) == []


def test_what_the_strict_gate_turns_away_is_not_run(solve: Solve) -> None:
    banned = "def positive(items):\n    return eval('items')"
    script, journal = Script(trees=(source("positive"),), fixes={"positive": (banned,)}), MemoryJournal()
    run = solve(TOTAL, script, method="mgdebugger", k=1, gate="strict", journal=journal)
    assert all("eval" not in event.program for event in run.events if isinstance(event, ProgramProbed))
    assert "the gate turns the program away" in notes(run, "unusable")[0].detail
    assert differences(journal.ledger) == []


BOX = Task(
    id="box",
    statement="A box that keeps a number and gives it doubled.",
    entry=EntryPoint(
        kind="class",
        name="Box",
        methods=(
            FunctionSignature(name="__init__", parameters=(Parameter(name="n", type="int"),)),
            FunctionSignature(name="get"),
        ),
    ),
    examples=(
        Check(
            id="E1",
            input=CallsInput(init=(3,), calls=(MethodCall(method="get"),)),
            expected=Expected(value=[6], has_value=True),
        ),
    ),
)


def test_a_class_is_entered_as_the_task_says_and_its_helpers_by_calls(solve: Solve, executor: SandboxExecutor) -> None:
    seed = "class Box:\n    def __init__(self, n):\n        self.n = n\n\n    def get(self):\n        return self.n"
    tree = f"def twice(n):\n    return n\n\n\n{seed.replace('return self.n', 'return twice(self.n)')}"
    script = Script(seed, trees=(tree,), checks={"twice": [{"inputs": '{"n": 3}', "expected": "6"}]})
    script.fixes["twice"] = [fenced("def twice(n):\n    return 2 * n")]
    journal = MemoryJournal()
    run = solve(BOX, script, method="mgdebugger", k=1, journal=journal)
    assert script.asked == ["seed", "tree", "checks twice", "fix twice"]
    assert run.candidate.rank.full_pass
    assert differences(journal.ledger) == []
    assert execute_again(journal.ledger, executor).differences == ()


def test_a_function_that_the_prelude_takes_the_name_of_is_left_alone(solve: Solve) -> None:
    task = TOTAL.model_copy(update={"prelude": "positive = 3\n\n\ndef three():\n    return positive\n"})
    script, journal = Script(trees=(source("positive"),)), MemoryJournal()
    run = solve(task, script, method="mgdebugger", k=1, journal=journal)
    assert [note.item for note in notes(run, "unchecked")] == ["function positive"]
    assert "checks positive" not in script.asked
    assert differences(journal.ledger) == []


@pytest.mark.parametrize("count", [1, 3, 12])
def test_as_many_checks_are_asked_for_as_there_are_visible_ones(solve: Solve, count: int) -> None:
    examples = tuple(TOTAL.examples[0].model_copy(update={"id": f"E{n}"}) for n in range(count))
    given = [{"inputs": f'{{"items": [{n}]}}', "expected": f"[{n}]"} for n in range(1, min(count, 8) + 1)]
    script, journal = Script(trees=(source("positive"),), checks={"positive": given}), MemoryJournal()
    run = solve(TOTAL.model_copy(update={"examples": examples}), script, method="mgdebugger", k=1, journal=journal)
    assert f"{len(given)} checks of the function" in script.prompts(run, "checks positive")[0]
    ran = [event.checks for event in run.events if isinstance(event, ProgramProbed)]
    assert [len(checks) for checks in ran[:2]] == [count, len(given)]
    assert differences(journal.ledger) == []
