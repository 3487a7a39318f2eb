"""Traces that a program forged, and records of traces that were tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.verify import verify_ledger
from auditcoder.core.annotate import annotated
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.events import EVENT
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Limits
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.sandbox.executor import SandboxExecutor
from tests.unit.test_method_ldb import TOTAL
from tests.unit.test_methods_traced import RIGHT, WRONG, answers

LINE: dict[str, Any] = {"r": "line", "l": 2, "k": "assign", "n": "x", "v": ["1"], "c": 1}
BLOCK: dict[str, Any] = {"r": "block", "i": 0, "b": 0, "f": "f", "x": [["a", "1"]], "y": []}
END: dict[str, Any] = {"r": "traced", "events": 1, "blocks": 0, "undisturbed": True}
BY_BLOCK = TracePlan(blocks=((2, 0), (3, 1)), kept=4)


def trace(sandbox: SandboxExecutor, records: list[Any], last: str = "return 1", plan: TracePlan | None = None) -> Trace:
    """Return the trace of a program that writes records of its own before it ends."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    writing = f"    data = {text!r}.encode()\n    while data: data = data[os.write(3, data):]\n"
    program = f"import os\ndef f():\n{writing}    {last}\n"
    check = Check(id="c", input=FunctionInput(args=()), expected=Expected(value=2, has_value=True))
    entry = EntryPoint(kind="function", name="f")
    found = sandbox.trace(program, entry, check, Limits(cpu_seconds=1), plan or TracePlan())
    shown = annotated(program, found)
    assert shown is None or all(sign.isprintable() or sign == "\n" for sign in shown)
    return found


REFUSED: dict[str, list[Any]] = {
    "the end too early": [LINE, END],
    "no such line": [{**LINE, "l": 99}],
    "line 0": [{**LINE, "l": 0}],
    "a line that is a text": [{**LINE, "l": "2"}],
    "a line that is true": [{**LINE, "l": True}],
    "another kind": [{**LINE, "k": "secret"}],
    "a kind that is a list": [{**LINE, "k": ["assign"]}],
    "a name that is a number": [{**LINE, "n": 4}],
    "values that are no list": [{**LINE, "v": "1"}],
    "no values": [{**LINE, "v": []}],
    "too many values": [{**LINE, "v": ["1"] * 7}],
    "a value that is a list": [{**LINE, "v": [["1"]]}],
    "a giant count": [{**LINE, "c": 2**70}],
    "a negative count": [{**LINE, "c": -1}],
    "a broken count": [{**LINE, "c": 1.5}],
    "the same line twice": [LINE, LINE],
    "lines out of order": [{**LINE, "l": 3}, LINE],
    "a block where lines were asked for": [BLOCK],
    "a call": [{"r": "call", "n": 1, "u": "f", "a": []}],
    "nothing but a kind": [{"r": "line"}],
    "more than is kept": [{**LINE, "n": f"x{n}", "v": ["y" * 60] * 6} for n in range(12_000)],
}


@pytest.mark.parametrize("records", REFUSED.values(), ids=REFUSED.keys())
def test_forged_lines_are_refused(executor: SandboxExecutor, records: list[Any]) -> None:
    found = trace(executor, records)
    assert found.reason
    assert (found.lines, found.blocks) == ((), ())


@pytest.mark.parametrize(
    "records",
    [
        [{**BLOCK, "i": n} for n in range(5)],
        [BLOCK, BLOCK],
        [{**BLOCK, "b": 7}],
        [{**BLOCK, "b": [0]}],
        [{**BLOCK, "x": [["a", "1"]] * 40}],
        [{**BLOCK, "x": "ab"}],
        [{**BLOCK, "x": [["a", 1]]}],
        [{**BLOCK, "i": -1}],
        [{**BLOCK, "f": None}],
        [LINE],
    ],
    ids=str,
)
def test_forged_blocks_are_refused(executor: SandboxExecutor, records: list[Any]) -> None:
    found = trace(executor, records, plan=BY_BLOCK)
    assert found.reason
    assert (found.lines, found.blocks) == ((), ())


@pytest.mark.parametrize("kind", [[], {}, None, 3, "no kind"], ids=str)
def test_a_record_of_no_kind_ends_the_run(executor: SandboxExecutor, kind: Any) -> None:
    check = Check(id="c", input=FunctionInput(args=()), expected=Expected(value=1, has_value=True))
    text = json.dumps({"r": kind}) + "\n"
    program = f"import os\ndef f():\n    os.write(3, {text!r}.encode())\n    return 1\n"
    result = executor.run(program, EntryPoint(kind="function", name="f"), [check], Limits()).results[0]
    assert (result.outcome, result.detail) == ("runtime-error", "protocol")


def test_what_looks_right_is_cut_and_has_no_control_characters(executor: SandboxExecutor) -> None:
    forged = {**LINE, "l": 1, "n": "a\nb" * 90, "v": ["\x1b[2J\u2028\u202e\ud800\0" * 50], "c": 10**6}
    found = trace(executor, [forged])
    assert found.reason == ""
    assert (len(found.lines[0].name), len(found.lines[0].values[0])) == (60, 40)
    assert found.lines[0].name.startswith("a?ba?b")
    assert set(found.lines[0].values[0]) == set("?[2J")


def test_a_forged_end_with_a_way_out_is_refused_or_of_the_same_run(executor: SandboxExecutor) -> None:
    for end in ({**END, "events": 10**6}, {**END, "undisturbed": 1}, {**END, "events": "1"}, {"r": "traced"}):
        assert trace(executor, [LINE, end], "os._exit(0)").reason
    found = trace(executor, [LINE, END], "os._exit(0)")
    assert found.reason == ""
    assert [line.values for line in found.lines] == [("1",)]


def test_records_behind_the_end_of_the_run_are_refused(executor: SandboxExecutor) -> None:
    late = 'import threading, time\n    threading.Thread(target=lambda: [os.write(3, b\'{"r":"line"}\\n\') for _ in range(9000)]).start()\n    time.sleep(0.02)\n    return 1'  # noqa: E501
    assert trace(executor, [], late).reason


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "the key": (lambda event: event.update(key="0" * 64), "V3"),
    "the plan": (lambda event: event["plan"].update(lines=[[1, 1]]), "V3"),
    "the check": (lambda event: event["trace"].update(check="E3"), "V3"),
}


@pytest.mark.parametrize("case", TAMPERED, ids=str)
def test_a_tampered_trace_of_a_rival_is_found(solve: Callable[..., Any], case: str) -> None:
    change, number = TAMPERED[case]
    facts = _bpd_run(solve)
    change(_traced(facts))
    found = verify_ledger(_ledger(facts)).differences
    assert number in {difference.check for difference in found}


def test_tampered_values_are_found_by_running_again(solve: Callable[..., Any], executor: SandboxExecutor) -> None:
    facts = _bpd_run(solve)
    assert execute_again(_ledger(facts), executor).differences == ()
    _traced(facts)["trace"]["lines"][0]["values"] = ["[9]"]
    [difference] = execute_again(_ledger(facts), executor).differences
    assert difference.check == "V22"


def _bpd_run(solve: Callable[..., Any]) -> list[dict[str, Any]]:
    journal = MemoryJournal()
    solve(TOTAL, answers(WRONG, RIGHT), method="bpd", k=1, journal=journal)
    assert verify_ledger(journal.ledger).differences == ()
    return [json.loads(entry.raw)["event"] for entry in journal.ledger.entries]


def _traced(facts: list[dict[str, Any]]) -> dict[str, Any]:
    return next(fact for fact in facts if fact["kind"] == "trace.recorded")


def _ledger(facts: list[dict[str, Any]]) -> Any:
    return MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
