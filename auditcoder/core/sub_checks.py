"""Checks of one function inside a program, derived by a model from the checks of the whole (MGDebugger, section 2).

Values are read as literals, never by replacing words in them, and compared with the task's comparator (section 7.9).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.core.bottom_up import Definition, parameters
from auditcoder.core.local_admission import read_value
from auditcoder.errors import RecordError
from auditcoder.records.base import canonical_json
from auditcoder.records.task import Check, Comparator, Expected, FunctionInput, Task
from auditcoder.records.values import Value, decode, encode

MOST = 8
"""Checks of one function at most; the method asks for as many as there are visible ones."""


_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<body>.*?)\n\s*```\s*", re.DOTALL)


class SubCheckText(NamedTuple):
    """A check as the model gave it."""

    inputs: str
    """A dict literal: parameter names and their values."""
    expected: str
    """A literal."""


def checkable(definition: Definition | None) -> ast.FunctionDef | str:
    """Return the function whose calls can be checked, or why there is none."""
    if definition is None:
        return "it has no definition of its own"
    if isinstance(definition, ast.ClassDef):
        return "a class is no function"
    if isinstance(definition, ast.AsyncFunctionDef) or _yields(definition):
        return "a call of it gives no plain value"
    if any(name[0] == "*" or name[-1] == "=" for name in parameters(definition)):
        return "its parameters are not all positional"
    return "it reads its input itself" if any(map(_reads, ast.walk(definition))) else definition


def comparator_of(task: Task, visible: Sequence[Check]) -> Comparator:
    """Return what compares the results of a function inside a program: the task's own where that compares values."""
    return visible[0].comparator if task.entry.kind == "function" and visible else Comparator()


def answered_checks(response: str, most: int) -> list[SubCheckText]:
    """Return the checks in a recorded answer, as they were taken when it came.

    Args:
        response: Canonical JSON of the response.
        most: How many are taken at most.

    Raises:
        RecordError: there are none in it, or it is no answer.
    """
    try:
        text = "\n".join(str(part["text"]) for part in json.loads(response)["message"]["parts"])
        fence = _FENCED.fullmatch(text)
        given = json.loads(fence["body"] if fence else text)["checks"]
        return [SubCheckText(str(check["inputs"]), str(check["expected"])) for check in given[:most]]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise RecordError("the recorded answer holds no checks") from error


def read_sub_checks(
    function: ast.FunctionDef, given: Sequence[SubCheckText], comparator: Comparator
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Return the checks that could be read, and why the others could not; a call that was given before is left out.

    Args:
        function: One that is checkable.
        given: Texts of a model.
        comparator: Compares its results.
    """
    checks: list[Check] = []
    refused: list[str] = []
    known: set[bytes] = set()
    for number, text in enumerate(given[:MOST], 1):
        try:
            args, expected = _args(function, text.inputs), read_value(text.expected)
        except (RecordError, ValueError, TypeError, RecursionError) as error:
            refused.append(f"check {number}: {error.message if isinstance(error, RecordError) else 'no values'}")
            continue
        if (call := canonical_json(list(args))) not in known:
            known.add(call)
            checks.append(_check(f"{function.name}:{number}", args, expected, comparator))
    return tuple(checks), tuple(refused)


def _check(check_id: str, args: tuple[Value, ...], expected: Value, comparator: Comparator) -> Check:
    return Check(
        id=check_id,
        origin="internal",
        input=FunctionInput(args=args),
        expected=Expected(value=expected, has_value=True),
        comparator=comparator,
        note="derived by the model from the visible checks of the whole program",
    )


def _args(function: ast.FunctionDef, text: str) -> tuple[Value, ...]:
    """Return the values in the order of the parameters.

    Raises:
        RecordError: a value cannot be read, is missing, or is of no parameter.
    """
    inputs = decode(read_value(text))
    if not isinstance(inputs, dict):
        raise RecordError("the inputs are no dict of parameters")
    names = parameters(function)
    unknown = [name for name in inputs if name not in names]
    if unknown:
        raise RecordError(f"there is no parameter {str(unknown[0])[:60]!r}")
    required = len(names) - len(function.args.defaults)
    count = max([required, *(names.index(name) + 1 for name in inputs)])
    missing = [name for name in names[:count] if name not in inputs]
    if missing:
        raise RecordError(f"the parameter {missing[0]!r} has no value")
    return tuple(encode(inputs[name]) for name in names[:count])


def _reads(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="input")) | ast.Attribute(attr="stdin"):
            return True
    return False


def _yields(function: ast.FunctionDef) -> bool:
    """Return whether a function is a generator: a `yield` in it, and not in a function inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return False
