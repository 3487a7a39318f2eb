"""Traced runs through the executor: what is refused and why, restricted plans, blocks, odd programs."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from auditcoder.core.annotate import annotated
from auditcoder.core.blocks import block_map
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Limits, ProgramInput
from auditcoder.records.trace import Trace, TracedLine, TracePlan
from auditcoder.records.values import encode
from auditcoder.sandbox.executor import SandboxExecutor
from tests.tracing import traced

LIMITS = Limits(cpu_seconds=1)
ENTRY = EntryPoint(kind="function", name="f")


def trace(sandbox: SandboxExecutor, program: str, *args: Any, plan: TracePlan | None = None) -> Trace:
    check = Check(
        id="c",
        input=FunctionInput(args=tuple(encode(arg) for arg in args)),
        expected=Expected(value=encode("never"), has_value=True),
    )
    plain = sandbox.run(program, ENTRY, [check], LIMITS)
    found = sandbox.trace(program, ENTRY, check, LIMITS, plan or TracePlan())
    again = sandbox.run(program, ENTRY, [check], LIMITS)
    assert plain.results[0].outcome == again.results[0].outcome
    assert bool(found.reason) != bool(found.lines or found.blocks)
    return found


REFUSED = {
    "sets a tracer": (
        "import sys\ndef f():\n    sys.settrace(lambda *a: None)\n    x = 1\n    return x",
        "ended the tracing",
    ),
    "ends the tracing": ("import sys\ndef f():\n    sys.settrace(None)\n    return 1", "ended the tracing"),
    "calls itself without end": ("def f(n=0):\n    return f(n + 1)", "to the limit"),
    "too many lines": (
        "def f():\n    n = 0\n    while n < 9000:\n        n += 1\n        n += 0\n    return n",
        "20000 line events",
    ),
    "never ends": ("def f():\n    while True: pass", "ends with timeout"),
    "shows its line numbers": (
        "import sys\ndef f():\n\n\n    a = 1; b = 2\n    return sys._getframe().f_lineno",
        "otherwise",
    ),
    "depends on chance": ("import os\ndef f():\n    return os.urandom(8).hex()", "otherwise"),
    "does not parse": ("def f(:\n    return 1", "nothing of it ran"),
    "leaves by force": ("import os\ndef f():\n    os._exit(3)", "ended by force"),
    "looks for the tracer": ("import sys\ndef f():\n    return sys.gettrace() is None", "otherwise"),
}


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_no_trace_but_a_reason(executor: SandboxExecutor, case: str) -> None:
    program, reason = REFUSED[case]
    found = trace(executor, program)
    assert reason in found.reason
    assert not found.lines
    assert annotated(program, found) is None


def test_a_crash_while_loading_is_traced(executor: SandboxExecutor) -> None:
    program = "size = 4\nhalf = size // 0\ndef f():\n    return half\n"
    found = trace(executor, program)
    text = annotated(program, found)
    assert text is not None
    assert text.split("\n")[:2] == [
        "size = 4  # size = 4",
        "half = size // 0  # raises ZeroDivisionError('integer division or …",
    ]


def test_only_the_watched_parts_are_seen(executor: SandboxExecutor) -> None:
    program = (
        "def g(n):\n    m = n + 1\n    return m\n\ndef f(n):\n    for i in range(n):\n        k = g(i)\n    return k\n"
    )
    found = trace(executor, program, 3, plan=TracePlan(lines=((1, 3),)))
    assert {line.line for line in found.lines} == {1, 2, 3}
    assert found.events == 7  # the definition, and two in each call
    assert trace(executor, program, 9000, plan=TracePlan(lines=((5, 8),))).events == 18_003


def test_a_deep_recursion_that_ends_is_traced(executor: SandboxExecutor) -> None:
    program = "def f(n):\n    if n == 0:\n        return 0\n    return f(n - 1) + 1\n"
    found = trace(executor, program, 900)
    assert found.lines[0].values == ("900", "899", "898", "897", "1", "0")
    assert found.lines[0].count == 901


def test_a_program_that_recovers_from_too_deep_recursion(executor: SandboxExecutor) -> None:
    program = (
        "def g(n):\n    return g(n + 1)\n"
        "def f():\n    try:\n        g(0)\n    except RecursionError:\n        return 5\n"
    )
    found = trace(executor, program)
    assert "to the limit" in found.reason


def test_deep_nesting(executor: SandboxExecutor) -> None:
    body = "".join(f"{'    ' * depth}for i{depth} in range(1):\n" for depth in range(1, 19))
    program = f"def f():\n{body}{'    ' * 19}x = 1\n    return x + {'(' * 60}1{')' * 60}\n"
    found = trace(executor, program)
    assert len([line for line in found.lines if line.kind == "loop"]) == 18
    ladder = "def f(n):\n    if n == 0: return 0\n" + "".join(f"    elif n == {n}: return {n}\n" for n in range(1, 60))
    assert trace(executor, ladder, 59).reason == ""


def test_standard_input(executor: SandboxExecutor) -> None:
    program = "n = int(input())\nwhile n > 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\nprint(n)\n"
    check = Check(id="c", input=ProgramInput(stdin="6\n"), expected=Expected(stdout="2\n"))
    found = executor.trace(program, EntryPoint(kind="program"), check, LIMITS, TracePlan())
    assert annotated(program, found) == (
        "n = int(input())  # n = 6\n"
        "while n > 1:  # is True x8, False\n"
        "    n = n // 2 if n % 2 == 0 else 3 * n + 1  # n = 3, 10, 5, 16, ..., 2, 1 (8 in all)\n"
        "print(n)\n"
    )


def test_every_execution_of_a_block_is_seen(executor: SandboxExecutor) -> None:
    program = (
        "def g(n): return n + 1\n\n\n"
        "def f(n):\n    total = 0\n    for i in range(n):\n        total += g(i)\n    return total\n"
    )
    blocks = block_map(program)
    found = trace(executor, program, 3, plan=TracePlan(blocks=blocks.lines, kept=4))
    assert found.block_count == 12  # f: 1 + 4 heads + 3 bodies + 1; g: 3
    assert [block.index for block in found.blocks] == [0, 1, 10, 11]
    assert found.blocks[0].after == (("n", "3"), ("total", "0"))
    assert found.blocks[-1].before == (("n", "3"), ("total", "6"), ("i", "2"))


def test_a_function_of_one_line_is_counted_each_time() -> None:
    seen = traced("def g(n): return n + 1\n", "[g(i) for i in range(5)]", blocks=[(1, 0)])
    assert (seen.end["events"], seen.end["blocks"]) == (6, 5)


def test_a_value_that_a_condition_did_not_reach_is_not_shown_again() -> None:
    seen = traced("m = 9\nfor i in (0, 1):\n    if i == 0 and (m := 5):\n        pass\n")
    assert seen.lines[3, "assign", "m"] == (("5",), 1)
    assert seen.lines[3, "condition", ""] == (("True", "False"), 2)


@pytest.mark.parametrize(
    "program",
    [
        "x = 1",
        "x = 1\r\ny = 2\r\n",
        "x = '#'  # old\ny = 1\n",
        "x = '''\n# no comment\n'''\n",
        "if True:\n\tx = 1\n\n# end",
        "x = 1\f\n\f\ny = 2\n",
        "x = f'{1:{2}}'; y = \\\n  2\n",
        "x = (1,\n\n  # inside\n  2)\n",
        "x = '\u2028'\ny = 'é'\n",
    ],
)
def test_the_annotated_program_is_the_same_program(program: str) -> None:
    lines = tuple(
        TracedLine(line=number, kind="assign", name="x", values=("1", "'#'"), count=2)
        for number in range(1, program.count("\n") + 2)
    )
    text = annotated(program, Trace(check="c", lines=lines, events=1))
    assert text is not None
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(program))
    assert "# x = 1, '#'" in text


def test_a_lone_carriage_return_is_no_reason_for_a_wrong_line() -> None:
    program = "x = 1\ry = 2\nz = 3\n"
    lines = tuple(TracedLine(line=n, kind="assign", name="xyz"[n - 1], values=(str(n),), count=1) for n in (1, 2, 3))
    text = annotated(program, Trace(check="c", lines=lines, events=3))
    assert text is None or "z = 3  # z = 3" in text


def test_what_does_not_fit_is_left_out_and_that_is_said() -> None:
    program = "".join(f"x{n} = {n}\n" for n in range(9))
    lines = tuple(TracedLine(line=n + 1, kind="assign", name=f"x{n}", values=(str(n),), count=1) for n in range(9))
    text = annotated(program, Trace(check="c", lines=lines, events=9), limit=150)
    assert text is not None
    assert len(text) <= 150
    assert "left out" in text
    assert annotated(program, Trace(check="c", lines=lines, events=9), limit=40) is None


def test_clipped_values_leave_no_open_brackets_that_count() -> None:
    program = "".join(f"x{n} = [[{n}]]\n" for n in range(300))
    lines = tuple(
        TracedLine(line=n + 1, kind="assign", name=f"x{n}", values=("[[[[(((…",), count=1) for n in range(300)
    )
    text = annotated(program, Trace(check="c", lines=lines, events=300), limit=10**6)
    assert text is not None
    assert text.count("…") == 300
