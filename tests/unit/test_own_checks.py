"""Checks that a model writes: what is read of hostile text, what is refused, and that they run."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.programs.baselines.own_reading import read_check
from auditcoder.programs.baselines.own_values import MOST_ITEMS, encoded_constant
from auditcoder.records.task import (
    Check,
    EntryPoint,
    FunctionInput,
    FunctionSignature,
    Limits,
    Parameter,
    ProgramInput,
    Task,
    UnittestInput,
    checks_hash,
)
from auditcoder.records.values import decode
from auditcoder.sandbox.executor import SandboxExecutor


def signature(name: str, *parameters: str) -> FunctionSignature:
    return FunctionSignature(name=name, parameters=tuple(Parameter(name=parameter) for parameter in parameters))


POWER = Task(
    id="power", statement="Power.",
    entry=EntryPoint(kind="function", name="power", signature=signature("power", "base", "times")),
)  # fmt: skip
ECHO = Task(id="echo", statement="Echo.", entry=EntryPoint(kind="program"))
STACK = Task(
    id="stack", statement="A stack.",
    entry=EntryPoint(kind="class", name="Stack", methods=(signature("push", "item"), signature("pop"))),
)  # fmt: skip
FILES = Task(id="files", statement="Files.", entry=EntryPoint(kind="script", outputs=("out.txt",)))


def value(text: str) -> Any:
    return decode(encoded_constant(ast.parse(text, mode="eval").body))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, -2, (3, 'a'), {4}, {'k': [None, True]}]", [1, -2, (3, "a"), {4}, {"k": [None, True]}]),
        ("[0] * 3 + [1]", [0, 0, 0, 1]),
        ("2 * 'ab'", "abab"),
        ("list(range(1, 9, 3))", [1, 4, 7]),
        ("10 ** 9 - 1", 10**9 - 1),
        ("7 // 2 + 7 % 4", 6),
        ("sorted({3, 1})", [1, 3]),
        ("[true, false, null]", [True, False, None]),
        ("float('inf')", float("inf")),
        ("[[]] * 3", [[], [], []]),
        (f"[1] * {MOST_ITEMS}", [1] * MOST_ITEMS),
    ],
)
def test_constant_expressions_are_read(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x", "open('f')", "__import__('os')", "[1] * 10001", "[[]] * 10 ** 9", "'a' * 10 ** 12", "2 ** 10 ** 9",
        "range(5)", "list(range(10 ** 20))", "[[1] * 5000] * 3", "1 / 0", "7 // 0", "{[1]: 2}", "{**{}}", "-'a'",
        "'a' + 1", "[1] * 2.5", "1j", "...", "[x for x in (1, 2)]", "lambda: 1", "list(range(3), key=1)", "1 << 9",
        "2 ** -1", "2.0 ** 5000", "f'{1}'", "int('1' * 5)", "list([1], [2])", "set([[1]])", "True and 1",
        "(" * 60 + "[1] * 9" + ")" * 60 + " * 2000",
    ],
)  # fmt: skip
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no constant value"):
        value(text)


@pytest.mark.parametrize(
    ("text", "expected", "args", "result"),
    [
        ("power(2, 3)", "8", (2, 3), 8),
        ("assert power(2, 3) == 8", "", (2, 3), 8),
        ("power(2, 3) == 8", "True", (2, 3), 8),  # what the statement compares with counts
        ("power(2, times=3)", "8", (2, 3), 8),
        ("power(times=3, base=2)", "8", (2, 3), 8),
        ("assert not power(0, 1)", "", (0, 1), False),
        ("assert power(1, 1)", "", (1, 1), True),
        ("  power(\n 2,\n 3)  # note", " 'x' ", (2, 3), "x"),
        ("power(2, 3);", "None", (2, 3), None),
        ("2, 3", "8", (2, 3), 8),  # the arguments alone, as small models write them
        ("base=2, times=3", "8", (2, 3), 8),
        ("[2] * 2, list(range(3))", "8", ([2, 2], [0, 1, 2]), 8),
    ],
)
def test_a_call_of_the_function_is_read(text: str, expected: str, args: tuple[object, ...], result: object) -> None:
    read = read_check(POWER, text, expected)
    assert isinstance(read.input, FunctionInput)
    assert (read.input.args, read.expected.value, read.expected.has_value) == (args, result, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "8"), ("power(2, 3)", ""), ("power(2, 3)", "8; 9"), ("power(2, 3)", "return 8"), ("other(2, 3)", "8"),
        ("obj.power(2, 3)", "8"), ("power", "8"), ("power(2)", "8"), ("power(2, 3, 4)", "8"), ("power(2, 3", "8"),
        ("power(*[2, 3])", "8"), ("power(**{'base': 2})", "8"), ("power(2, exponent=3)", "8"),
        ("power(2, base=3)", "8"), ("power(2, power(1, 1))", "8"), ("x = power(2, 3)", "8"),
        ("power(2, 3) > 1", "8"), ("power(2, 3) == 8 == 8", "8"), ("import os; power(2, 3)", "8"),
        ("power(2, 3)", "power(2, 3)"), ("power(2, 3)\0", "8"), ("(" * 300 + "power(2, 3)" + ")" * 300, "8"),
        ("power(2, \ud800)", "8"), ("2", "8"), ("[2, 3]", "8"), ("2, 3) + (1", "8"), ("2, 3); print(1", "8"),
    ],
)  # fmt: skip
def test_what_is_no_call_of_the_function_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_check(POWER, text, expected)


def test_the_text_of_a_run_is_read() -> None:
    read = read_check(ECHO, "3\n1 2 3", "6")
    assert isinstance(read.input, ProgramInput)
    assert (read.input.stdin, read.expected.stdout) == ("3\n1 2 3\n", "6\n")


@pytest.mark.parametrize(("text", "expected"), [("3", " \n"), ("\ud800", "6"), ("3", "\udfff")])
def test_a_run_without_output_or_that_cannot_be_piped_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_check(ECHO, text, expected)


def test_a_script_is_not_checked() -> None:
    with pytest.raises(ValueError, match="script"):
        read_check(FILES, "in.txt", "out")


STACKED = (
    "class Stack:\n    def __init__(self):\n        self.items = []\n{}\n"
    "    def pop(self):\n        return self.items.pop()\n"
)
GOOD = STACKED.format("    def push(self, item):\n        self.items.append(item)")
BAD = STACKED.format("    def push(self, item):\n        self.items.insert(0, item)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = Stack()\ns.push(1)\ns.push(2)\ns.pop()", "2"),
        ("s = Stack(); s.push(1); s.push(item=2); assert s.pop() == 2; assert s.pop() == 1", ""),
    ],
)
def test_a_script_over_one_instance_runs_as_a_unit_test(executor: SandboxExecutor, text: str, expected: str) -> None:
    read = read_check(STACK, text, expected)
    assert isinstance(read.input, UnittestInput)
    check = Check(id="T1", origin="internal", input=read.input, expected=read.expected)
    outcomes = [executor.run(text, STACK.entry, [check], Limits()).results[0] for text in (GOOD, BAD)]
    assert [result.outcome for result in outcomes] == ["pass", "wrong-answer"]
    assert "1 != 2" in outcomes[1].message


@pytest.mark.parametrize(
    "text",
    [
        "", "s = Stack()", "Stack().pop()", "s = Other()\ns.pop()", "s = Stack()\nt.pop()",
        "s = Stack()\ns.items.pop()",
        "s = Stack()\ns._push(1)", "s = Stack()\ns.size()", "s = Stack()\ns.__init__()", "s = t = Stack()\ns.pop()",
        "s = Stack()\ns.push(open('f'))", "s = Stack(*[1])\ns.pop()", "s = Stack(**{})\ns.pop()",
        "s = Stack()\nimport os\ns.pop()", "s = Stack()\nfor i in [1]:\n    s.push(i)", "s = Stack()\ns.x = 1\ns.pop()",
        "s = Stack()\n" + "s.push(1)\n" * 13,
    ],
)  # fmt: skip
def test_another_script_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_check(STACK, text, "1")


PIECES = st.sampled_from([
    "power", "Stack", "s", "obj", "=", "==", "(", ")", "[", "]", "{", "}", ",", ".", ":", "\n", " ", "; ", "*", "**",
    "-", "+", "//", "%", "1", "0", "9" * 30, "2.5", "1e400", "1j", "'a'", "b'a'", "None", "true", "nan", "range",
    "list", "set", "sorted", "float", "'inf'", "push", "pop", "assert ", "not ", "lambda: ", "for x in ", "base=",
    "import os", "\\", "#", "\0", "\ud800", "f'{1}'", "is ", "...", "@",
])  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=24).map("".join))


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([POWER, ECHO, STACK, FILES]), st.sampled_from(["", "power(", "s = Stack()\ns."]), TEXTS, TEXTS)
def test_whatever_a_model_writes_is_a_check_or_refused(task: Task, begun: str, one: str, other: str) -> None:
    try:
        read = read_check(task, begun + one, other)
    except ValueError:
        return
    check = Check(id="T1", origin="internal", input=read.input, expected=read.expected)
    assert Check.model_validate_json(check.model_dump_json()) == check
    assert len(checks_hash((check,))) == 64


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (POWER, "power" + ".a" * 190 + "(1, 2)"),
        (POWER, "power(" + "[" * 190 + "]" * 190 + ", 1)"),
        (POWER, "power(" + "-" * 380 + "1, 2)"),
        (POWER, "power(" + "1 + " * 95 + "1, 2)"),
        (STACK, "s = Stack()\ns.push(" + "(" * 90 + "1" + ",)" * 90 + ")"),
        (STACK, "s = Stack()\ns" + ".push" * 70 + "(1)"),
    ],
)
def test_deep_texts_are_read_or_refused_at_any_depth_of_the_stack(task: Task, text: str) -> None:
    def at(depth: int) -> None:
        if depth:
            return at(depth - 1)
        try:
            read_check(task, text, "1")
        except ValueError:
            return None
        return None

    for depth in (0, 300, 600, 800):
        at(depth)
