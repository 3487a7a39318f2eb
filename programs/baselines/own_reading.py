"""One check as a model writes it, read as hostile text: a call, the text of a run, or a script over one instance."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection
from typing import NamedTuple

from auditcoder.programs.baselines.own_values import encoded_constant
from auditcoder.records.task import (
    CheckInput,
    EntryPoint,
    Expected,
    FunctionInput,
    ProgramInput,
    Task,
    UnittestInput,
)

MOST_STATEMENTS = 12
"""Statements of a script over one instance."""


class ReadCheck(NamedTuple):
    """What two texts mean: an input, and what must come of it."""

    input: CheckInput
    expected: Expected


def read_check(task: Task, given: str, expected: str) -> ReadCheck:
    """Return the input and the expected result that two texts mean.

    Raises:
        ValueError: why they are no check of this task.
    """
    try:
        if task.entry.kind == "program":
            return _of_program(given, expected)
        if task.entry.kind == "function":
            return _of_function(task, given, expected)
        if task.entry.kind == "class":
            return _of_class(task.entry, given, expected)
    except (RecursionError, MemoryError) as error:
        raise ValueError("it is nested too deeply") from error
    raise ValueError("a script is not checked by a short text")


def _of_program(given: str, expected: str) -> ReadCheck:
    if not expected.strip():
        raise ValueError("there is no expected output")
    for text in (given, expected):
        text.encode("utf-8")  # a lone surrogate is a ValueError: no such text can be piped
    stdin, stdout = (text.strip("\n") + "\n" for text in (given, expected))
    return ReadCheck(ProgramInput(stdin=stdin), Expected(stdout=stdout))


def _of_function(task: Task, given: str, expected: str) -> ReadCheck:
    name = task.entry.name
    if not _mentions(given, name):  # the arguments alone, as small models write them
        given = f"{name}({given.strip()})"
    statements = _parsed(given)
    if len(statements) != 1:
        raise ValueError("more than one statement")
    call, result = _call_and_result(statements[0], expected)
    if ast.unparse(call.func) != name:
        raise ValueError(f"it does not call {name}")
    args = _positional(task, call)
    return ReadCheck(
        FunctionInput(args=tuple(encoded_constant(arg) for arg in args)),
        Expected(value=encoded_constant(result), has_value=True),
    )


def _mentions(given: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", given) is not None


def _positional(task: Task, call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call in the order of the signature."""
    names = [parameter.name for parameter in task.entry.signature.parameters] if task.entry.signature else []
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    args = [*call.args, *(named.pop(name) for name in names[len(call.args) :] if name in named)]
    counts = {len(check.input.args) for check in task.examples if isinstance(check.input, FunctionInput)}
    if named or (task.entry.signature and len(args) not in {len(names), *counts}):
        raise ValueError(f"not the arguments of {task.entry.name}")
    return args


def _of_class(entry: EntryPoint, given: str, expected: str) -> ReadCheck:
    """Return a script over one instance as a unit test, written anew from what was understood of it."""
    made, *calls = _parsed(given)
    if not (isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Name)):
        raise ValueError(f"it does not begin with an instance of {entry.name}")
    built, instance = made.value, made.targets[0].id
    if not (isinstance(built, ast.Call) and ast.unparse(built.func) == entry.name):
        raise ValueError(f"it does not begin with an instance of {entry.name}")
    if not calls or len(calls) > MOST_STATEMENTS:
        raise ValueError("no method is called, or too many are")
    methods = {method.name for method in entry.methods}
    lines = [f"checked = {entry.name}({_arguments(built)})"]
    for statement in calls[:-1]:
        call, own = _called(statement)
        lines.append(_step(call, own, instance, methods))
    call, result = _call_and_result(calls[-1], expected)
    lines.append(_step(call, result, instance, methods))
    body = "\n".join(f"        {line}" for line in lines)
    source = f"import unittest\n\n\nclass Checked(unittest.TestCase):\n    def test_checked(self):\n{body}\n"
    return ReadCheck(UnittestInput(source=source), Expected(passes=True))


def _step(call: ast.Call, result: ast.expr | None, instance: str, methods: Collection[str]) -> str:
    """Return one line of the unit test: a call of a method, compared where a result is known."""
    func = call.func
    if not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == instance):
        raise ValueError("it calls something else than a method of the instance")
    if func.attr not in methods or func.attr.startswith("_"):
        raise ValueError(f"there is no method {func.attr}"[:100])
    told = f"checked.{func.attr}({_arguments(call)})"
    if result is None:
        return told
    encoded_constant(result)
    return f"self.assertEqual({told}, {ast.unparse(result)})"


def _arguments(call: ast.Call) -> str:
    """Return the arguments of a call as Python, every one of them a constant."""
    named = [f"{keyword.arg}={_constant(keyword.value)}" for keyword in call.keywords if keyword.arg]
    if len(named) < len(call.keywords):
        raise ValueError("arguments are unpacked from something")
    return ", ".join([*map(_constant, call.args), *named])


def _constant(node: ast.expr) -> str:
    encoded_constant(node)
    return ast.unparse(node)


def _call_and_result(statement: ast.stmt, expected: str) -> tuple[ast.Call, ast.expr]:
    """Return the checked call, and its result: what the statement compares it with, else the expected text.

    Raises:
        ValueError: there is no call, or no result.
    """
    call, own = _called(statement)
    if own is not None:
        return call, own
    if not expected.strip():
        raise ValueError("there is no expected result")
    [result, *more] = _parsed(expected)
    if more or not isinstance(result, ast.Expr):
        raise ValueError("the expected result is no value")
    return call, result.value


def _called(statement: ast.stmt) -> tuple[ast.Call, ast.expr | None]:
    """Return the call of `f(1)`, `f(1) == 2` or `assert f(1) == 2`, and what it is compared with, if anything."""
    if not isinstance(statement, ast.Assert | ast.Expr):
        raise ValueError("a statement that is no call and no assertion")
    node = statement.test if isinstance(statement, ast.Assert) else statement.value
    compared: ast.expr | None = None
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.Is):
        compared, node = node.comparators[0], node.left
    elif isinstance(statement, ast.Assert):
        compared = ast.Constant(value=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            compared, node = ast.Constant(value=False), node.operand
    if not isinstance(node, ast.Call):
        raise ValueError("a statement that is no call and no assertion")
    return node, compared


def _parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a text, one at least.

    Raises:
        ValueError: it is empty, or no Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is no Python: {type(error).__name__}") from error
    if not statements:
        raise ValueError("it is empty")
    return statements
