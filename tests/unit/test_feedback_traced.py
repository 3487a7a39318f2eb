"""Runs that show traces: what the repair is told, and records that verify, replay and give forged traces away."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.verify import verify_ledger
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import EVENT, FeedbackChosen, TraceRecorded
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
Facts = list[dict[str, Any]]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=tuple(
        Check(id=f"E{n}", input=FunctionInput(args=(list(items),)), expected=Expected(value=value, has_value=True))
        for n, (items, value) in enumerate([((1, 2), 3), ((1, -2), 1), ((-5,), 0)], 1)
    ),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result"
CRASH = "def total(items):\n    return items[7]"
KEEP = "def keep_positive(items):\n    kept = [i for i in items if i > 0]\n    return kept"
KEEP_WRONG = "def keep_positive(items):\n    kept = [i for i in items if i]\n    return kept"
ADD = "def add_up(kept):\n    answer = sum(kept)\n    return answer"
SHOWN = "The values that this code took in"


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def whole(first: str, later: str) -> Callable[[str, str], str]:
    return lambda role, prompt: fenced(first if role == "generator" else later)


def solved(solve: Solve, script: Callable[[str, str], str], **config: Any) -> tuple[Any, Ledger]:
    journal = MemoryJournal()
    run = solve(TOTAL, script, journal=journal, **{"granularity": "single", **config})
    ledger = journal.ledger
    assert [str(difference) for difference in verify_ledger(ledger).differences] == []
    replayed = replay_run(ledger)
    assert [str(difference) for difference in replayed.differences] == []
    assert replayed.compared == len(ledger.events)
    return run, ledger


def last_prompt(run: Any) -> str:
    return str([prompt for role, prompt in run.calls if role == "regenerator"][-1])


@pytest.mark.parametrize("repair", ["bounded", "whole"])
@pytest.mark.parametrize("policy", ["trace", "auto"])
def test_a_repair_sees_the_values_of_the_first_failing_check(solve: Solve, policy: str, repair: str) -> None:
    run, _ = solved(solve, whole(WRONG, RIGHT), feedback=policy, repair=repair)
    assert run.candidate.rank.full_pass
    [traced] = [event for event in run.events if isinstance(event, TraceRecorded)]
    assert traced.trace.check == "E2"
    prompt = last_prompt(run)
    assert f"{SHOWN} failing check 1" in prompt
    assert "result += item  # result = 1, -1" in prompt
    assert prompt.count(SHOWN) == 1


def test_all_traces_show_every_failing_check(solve: Solve) -> None:
    run, _ = solved(solve, whole(WRONG, RIGHT), feedback="all-traces")
    assert [event.trace.check for event in run.events if isinstance(event, TraceRecorded)] == ["E2", "E3"]
    prompt = last_prompt(run)
    assert f"{SHOWN} failing check 1" in prompt
    assert f"{SHOWN} failing check 2" in prompt
    assert "result += item  # result = -5" in prompt


def test_a_crash_has_its_values_where_they_are_asked_for(solve: Solve) -> None:
    run, _ = solved(solve, whole(CRASH, RIGHT), feedback="trace")
    assert "# raises IndexError('list index out of range')" in last_prompt(run)


def test_a_crash_is_shown_with_its_error_where_the_rules_decide(solve: Solve) -> None:
    run, _ = solved(solve, whole(CRASH, RIGHT), feedback="auto")
    assert SHOWN not in last_prompt(run)
    [event] = [event for event in run.events if isinstance(event, FeedbackChosen)]
    assert event.shown == "error"
    assert not [event for event in run.events if isinstance(event, TraceRecorded)]


def test_only_the_code_in_scope_is_shown(solve: Solve) -> None:
    steps = [{"name": name, "goal": f"does {name} on it", "kind": "filtering"} for name in ("keep_positive", "add_up")]
    signatures = {
        "keep_positive": {"takes": ["items"], "gives": "kept", "type": "list[int]", "requires": "", "ensures": ""},
        "add_up": {"takes": ["kept"], "gives": "answer", "type": "int", "requires": "", "ensures": ""},
    }

    def script(role: str, prompt: str) -> str:
        last = prompt[prompt.rindex(TOTAL.statement) :]
        if role == "planner":
            named = [name for name in signatures if f"{name}: " in last]
            return json.dumps(signatures[named[0]] if named else {"steps": steps})
        if "def add_up(" in last:
            return fenced(ADD)
        return fenced(KEEP_WRONG if role == "generator" else KEEP)

    run, _ = solved(solve, script, feedback="trace", granularity="coarse")
    [transaction] = run.record.transactions
    traced = [event for event in run.events if isinstance(event, TraceRecorded)]
    assert traced
    program = run.candidate.state.assembly.program.splitlines()
    for first, last in traced[0].plan.lines:
        inside = "\n".join(program[first - 1 : last])
        assert ("keep_positive" in inside) == ("S1" in transaction.scope.nodes)
    shown = last_prompt(run).split(SHOWN)[1]
    assert ("# kept = " in shown) == ("S1" in transaction.scope.nodes)
    assert ("# answer = " in shown) == ("S2" in transaction.scope.nodes)


FORGED: list[tuple[str, Callable[[Facts, int], object]]] = [
    ("another check", lambda facts, at: facts[at]["trace"].update(check="E3")),
    ("no trace", lambda facts, at: facts.pop(at)),
    ("twice", lambda facts, at: facts.insert(at, dict(facts[at]))),
    ("other lines", lambda facts, at: facts[at]["plan"].update(lines=[[1, 1]])),
    ("no values", lambda facts, at: facts[at]["trace"].update(lines=[])),
    ("a reason", lambda facts, at: facts[at]["trace"].update(reason="too long")),
    ("another key", lambda facts, at: facts[at].update(key="0" * 64)),
    ("another candidate", lambda facts, at: facts[at].update(candidate=7)),
]


@pytest.mark.parametrize(("what", "forge"), FORGED, ids=[row[0] for row in FORGED])
@pytest.mark.parametrize("repair", ["bounded", "whole"])
def test_a_forged_trace_is_found(solve: Solve, repair: str, what: str, forge: Callable[[Facts, int], object]) -> None:
    _, ledger = solved(solve, whole(WRONG, RIGHT), feedback="trace", repair=repair)
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    forge(facts, next(at for at, fact in enumerate(facts) if fact["kind"] == "trace.recorded"))
    forged = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    assert verify_ledger(forged).differences, what


def test_traces_are_run_again_and_a_forged_value_is_found(solve: Solve, executor: Any) -> None:
    _, ledger = solved(solve, whole(WRONG, RIGHT), feedback="all-traces")
    again = execute_again(ledger, executor)
    assert (again.differences, again.explained) == ((), ())
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    traced = next(fact for fact in facts if fact["kind"] == "trace.recorded")
    traced["trace"]["lines"][0]["values"] = ["[9]"]
    forged = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    [difference] = execute_again(forged, executor).differences
    assert difference.what.startswith("trace on E2")
