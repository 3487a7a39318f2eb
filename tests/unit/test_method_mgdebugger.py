"""MGDebugger: calls of the formula, the order of repair, what each agent is shown, switches, unusable answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.method_result import method_result
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import CodeWritten, MethodNoted, ModelCalled, ProgramProbed, RoundStarted
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Parameter,
    Task,
)

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the doubled positive items, and 1 more.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 7), example(2, [1, -2], 3), example(3, [-4], 1)),
)
PARTS = {
    "positive": "def positive(items):\n    return [item for item in items if item > 0]",
    "double": "def double(items):\n    return [2 * item for item in items]",
    "more": "def more(number):\n    return number + 1",
    "total": "def total(items):\n    return more(sum(double(positive(items))))",
}
FAULTS = {
    "positive": "def positive(items):\n    return items",
    "double": "def double(items):\n    return list(items)",
    "more": "def more(number):\n    return number - 1",
    "total": "def total(items):\n    return more(sum(double(positive(items))) - 1)",
}
CHECKS: dict[str, list[dict[str, str]]] = {
    "positive": [
        {"inputs": '{"items": [1, 2]}', "expected": "[1, 2]"},
        {"inputs": "{'items': [1, -2]}", "expected": "[1]"},
    ],
    "double": [{"inputs": '{"items": [1, 2]}', "expected": "[2, 4]"}],
    "more": [{"inputs": '{"number": 6}', "expected": "7"}],
    "total": [{"inputs": '{"items": [1, 2]}', "expected": "7"}],
}


def source(*faults: str, **parts: str) -> str:
    """Return the program in four functions with the named ones at fault."""
    made = {**PARTS, **{name: FAULTS[name] for name in faults}, **parts}
    return "\n\n\n".join(made.values())


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


SEED = "def total(items):\n    return sum(items)"
RIGHT = source()
NAMES = tuple(PARTS)


class Script:
    """Answers by agent; `fixes` by function from queues, of which the last answer stays."""

    def __init__(
        self, seed: str = SEED, trees: Sequence[str] = (), *, fixes: Mapping[str, Sequence[str]] | None = None,
        checks: dict[str, Any] | None = None, right: bool = False,
    ) -> None:  # fmt: skip
        self.seed = fenced(seed)
        self.trees = [f"### analysis\nsteps\n### tree_code\n{fenced(tree)}" for tree in trees or (source(*NAMES),)]
        bodies = PARTS if right else {name: code + "  # again" for name, code in FAULTS.items()}
        self.fixes = {name: [fenced(code) for code in (fixes or {}).get(name, (bodies[name],))] for name in NAMES}
        self.checks = {**CHECKS, **(checks or {})}
        self.asked: list[str] = []

    def agent(self, role: str, prompt: str) -> str:
        if role == "planner":
            if "Rewrite the program" in prompt:
                return "tree"
            return "checks " + prompt.partition("### function\n")[2].partition("(")[0]
        if role == "generator":
            return "seed"
        return "fix " + prompt.partition("### keep\n")[2].partition("def ")[2].partition("(")[0]

    def __call__(self, role: str, prompt: str) -> str:
        name = self.agent(role, prompt)
        self.asked.append(name)
        kind, _, function = name.partition(" ")
        if kind == "seed":
            return self.seed
        if kind == "checks":
            given = self.checks[function]
            return given if isinstance(given, str) else json.dumps({"reasoning": "so", "checks": given})
        queue = self.trees if kind == "tree" else self.fixes[function]
        return queue.pop(0) if len(queue) > 1 else queue[0]

    def prompts(self, run: Any, name: str) -> list[str]:
        return [prompt for asked, (_, prompt) in zip(self.asked, run.calls, strict=True) if asked == name]


def notes(run: Any, what: str) -> list[MethodNoted]:
    return [event for event in run.events if isinstance(event, MethodNoted) and event.what == what]


def differences(ledger: Ledger) -> list[str]:
    outputs = expected_outputs(fold_ledger(ledger))
    found = verify_chain(Chain(ledger, None), outputs=outputs).differences
    return [str(difference) for difference in (*found, *replay_run(ledger).differences)]


WHOLE, USED_UP, LIMIT = "every check passes", "the repair budget is used up", "the method's own limit is reached"
WRITTEN = (("root_checks", "written"),)
CASES: list[tuple[dict[str, Any], dict[str, Any], int, int, str]] = [
    ({"seed": RIGHT}, {"k": 30}, 1, 0, WHOLE),
    ({}, {"k": 0}, 1, 0, USED_UP),
    ({}, {"k": 1, "options": WRITTEN}, 2 + 2 * 4, 1, USED_UP),
    ({}, {"k": 1}, 2 + 2 * 4 - 1, 1, USED_UP),
    ({"right": True}, {"k": 1}, 2 + 2 * 4 - 1, 1, WHOLE),
    ({}, {"k": 1, "options": (("inner", "native"), *WRITTEN)}, 1 + 1 + 4 * (1 + 3), 1, USED_UP),
    ({}, {"k": 30, "options": WRITTEN}, 1 + 10 * (1 + 4 * (1 + 3)), 10, LIMIT),
    ({}, {"k": 30}, 1 + 10 * (4 * (1 + 3)), 10, LIMIT),
    ({}, {"k": 30, "options": (("attempts", 1), ("passes", 2), *WRITTEN)}, 1 + 2 * (1 + 4 * 2), 2, LIMIT),
    ({}, {"k": 2, "options": WRITTEN}, 1 + 2 * 17, 2, USED_UP),
    ({"trees": (RIGHT,)}, {"k": 30, "options": WRITTEN}, 1 + 1 + 4, 1, WHOLE),
    ({"trees": (source("more"),), "right": True}, {"k": 30, "options": WRITTEN}, 1 + 1 + 4 + 1, 1, WHOLE),
    ({"trees": (source("more", "double"),), "right": True}, {"k": 30, "options": WRITTEN}, 8, 1, WHOLE),
    ({}, {"adaptive": True, "options": WRITTEN}, 1 + 4 * 17, 4, USED_UP),
    ({}, {"k": 30, "max_calls": 9}, 9, 1, "the call budget is used up"),
    ({}, {"k": 30, "max_calls": 1}, 1, 0, "the call budget is used up"),
]


@pytest.mark.parametrize(("answers", "config", "calls", "passes", "reason"), CASES)
def test_calls_are_those_of_the_formula_and_the_run_verifies(
    solve: Solve, answers: dict[str, Any], config: dict[str, Any], calls: int, passes: int, reason: str
) -> None:
    journal = MemoryJournal()
    run = solve(TOTAL, Script(**answers), method="mgdebugger", journal=journal, **config)
    assert len(run.calls) == calls
    assert [event.how for event in run.events if isinstance(event, RoundStarted)] == ["feedback"] * passes
    assert run.record.reason == reason
    assert differences(journal.ledger) == []


def test_functions_are_repaired_callees_first_and_what_passes_its_checks_is_left_alone(solve: Solve) -> None:
    script = Script(trees=(source("positive", "more"),), right=True)
    run = solve(TOTAL, script, method="mgdebugger", k=1)
    assert script.asked == [
        "seed", "tree", "checks positive", "fix positive", "checks double", "checks more", "fix more",
    ]  # fmt: skip
    probed = [event.what for event in run.events if isinstance(event, ProgramProbed)]
    assert probed == [
        "tree", "function positive", "function positive", "function double", "function more", "function more",
        "function total",
    ]  # fmt: skip
    assert run.record.assembly.program.strip() == RIGHT
    assert [event.how for event in run.events if isinstance(event, CodeWritten)] == ["generated", "merged"]
    assert [(note.item, note.score, note.detail) for note in notes(run, "sub-repairs")] == [
        ("pass 1", 2.0, "of 4 functions")
    ]
    result = method_result(run.events)
    assert (result.feedback_rounds, result.triggered_retries) == (1, 0)
    assert [event.agent for event in run.events if isinstance(event, ModelCalled)] == [
        "programmer", "decomposer", "check-writer", "debugger", "check-writer", "check-writer", "debugger",
    ]  # fmt: skip


def test_each_agent_is_shown_its_inputs_and_not_the_task(solve: Solve) -> None:
    task = TOTAL.model_copy(update={"statement": "Secret wish: the sum of doubled positive items, and 1."})
    script = Script(trees=(source("positive"),))
    run = solve(task, script, method="mgdebugger", k=1, options=(("inner", "native"),))
    assert all("Secret wish" not in prompt for role, prompt in run.calls if role != "generator")
    tree, checks = script.prompts(run, "tree")[0], script.prompts(run, "checks positive")[0]
    assert SEED in tree
    assert "Expected" not in tree
    assert "positive(items)" in checks
    assert "- total([1, 2])\n  gives 7" in checks
    first, second, _ = script.prompts(run, "fix positive")
    assert "### function\n" + FAULTS["positive"] in first
    assert "def double" not in first
    assert "Input: positive([1, -2])\nExpected: [1]\nObserved: [1, -2]" in first
    assert "These pass:\n- positive([1, 2])\n  gives [1, 2]" in first
    assert FAULTS["positive"] + "  # again" in second  # the version that was installed


def test_of_the_versions_of_a_function_the_one_that_passes_most_checks_is_kept(solve: Solve) -> None:
    half = "def positive(items):\n    return [1, 2] if items == [1, 2] else []"
    fixes = {"positive": (half, "def positive(items):\n    return 1 / 0", "def positive(items):\n    return None")}
    script = Script(trees=(source("positive"),), fixes=fixes)
    run = solve(TOTAL, script, method="mgdebugger", k=1, options=(("inner", "native"),))
    assert half in run.record.assembly.program
    assert script.asked.count("fix positive") == 3


def test_of_the_passes_the_latest_that_passes_most_visible_checks_is_the_program(solve: Solve) -> None:
    one = source("total", total="def total(items):\n    return 7")
    other = source("total", total="def total(items):\n    return more(2)")
    none = source("total", total="def total(items):\n    return 0")
    own = {"total": ("no code at all",)}
    script = Script(trees=(one, other, none), fixes=own)
    run = solve(TOTAL, script, method="mgdebugger", k=3, options=(("passes", 3),))
    assert "more(2)" in run.record.assembly.program
    passed = [event.rank.external for event in run.events if event.kind == "candidate.ranked"]
    active = [event.active for event in run.events if event.kind == "candidate.ranked"]
    assert (passed, active) == ([0, 1, 1, 0], [True, True, True, False])


@pytest.mark.parametrize(("from_last", "shown"), [(False, SEED), (True, "def positive")])
def test_every_pass_begins_at_the_first_program_unless_told_otherwise(
    solve: Solve, from_last: bool, shown: str
) -> None:
    script, journal = Script(), MemoryJournal()
    options = (("continue_from_last", from_last), ("passes", 2))
    run = solve(TOTAL, script, method="mgdebugger", k=5, options=options, journal=journal)
    first, second = script.prompts(run, "tree")
    assert SEED in first
    assert shown in second
    assert differences(journal.ledger) == []


def test_what_repeats_a_call_is_a_fresh_draw(solve: Solve) -> None:
    script = Script(trees=("no tree", source(*NAMES)))
    run = solve(TOTAL, script, method="mgdebugger", k=2, options=(("attempts", 2),))
    drawn = [
        (call.agent, dict(call.sampling)["temperature"] != "0.0")
        for call in run.events
        if isinstance(call, ModelCalled)
    ]
    first = [
        ("decomposer", False),
        ("decomposer", True),
        ("check-writer", False),
        ("debugger", False),
        ("debugger", True),
    ]
    assert drawn[1:6] == first
    assert all(fresh for _, fresh in drawn[-10:])


def test_an_adaptive_run_ends_behind_four_passes_without_a_further_check(solve: Solve) -> None:
    trees = (source(*NAMES), source("total", total="def total(items):\n    return 7"), source(*NAMES))
    run = solve(TOTAL, Script(trees=trees), method="mgdebugger", adaptive=True, options=(("passes", 1),))
    assert len([event for event in run.events if isinstance(event, RoundStarted)]) == 2 + 4
    assert run.record.reason == USED_UP
