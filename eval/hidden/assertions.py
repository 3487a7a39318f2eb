"""Published test functions cut into single hidden tests, each a unit test of its own."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from auditcoder.records.task import Check, Expected, UnittestInput

CHECK = "check"
"""Name of the test function in the HumanEval family."""


def unittest_check(check_id: str, source: str) -> Check:
    """Return the check whose unit tests must all pass."""
    return Check(id=check_id, input=UnittestInput(source=source), expected=Expected(passes=True))


def split_test(source: str, name: str) -> tuple[Check, ...]:
    """Return one check for every assertion of a test function `check(candidate)`, in order.

    What the function does between its assertions stands before each later one; a loop with assertions is one check.
    Assertions of a constant are left out. A source of another form is one check that calls `check` with the function.

    Args:
        source: The published test.
        name: The function that is tested.
    """
    tree = ast.parse(source)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == CHECK]
    if len(tests) != 1 or len(tests[0].args.args) != 1:
        return (unittest_check("hidden-1", _case(source, [f"{CHECK}({name})"])),)
    test = tests[0]
    around = ast.unparse(ast.Module([node for node in tree.body if node is not test and not _calls_check(node)], []))
    given = test.args.args[0].arg
    named = [] if given == name else [f"{given} = {name}"]
    bodies = list(_single(test.body))
    return tuple(
        unittest_check(f"hidden-{number}", _case(around, [*named, *map(ast.unparse, body)]))
        for number, body in enumerate(bodies, start=1)
    )


def assertion_check(check_id: str, assertion: str, around: str = "") -> Check:
    """Return the check of one assertion that calls the function by its name."""
    return unittest_check(check_id, _case(around, [assertion]))


def is_closed(assertion: str, known: Sequence[str]) -> bool:
    """Return whether an assertion uses built-ins, names that it binds itself and the known ones only."""
    names = [node for node in ast.walk(ast.parse(assertion.strip())) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(known) | set(dir(builtins))
    return all(node.id in bound for node in names)


def _calls_check(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == CHECK


def _single(body: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield each asserting statement behind what is done before it, and at the last one also what is done after it."""
    asserting = [node for node in body if any(isinstance(part, ast.Assert) for part in ast.walk(node))]
    telling = [node for node in asserting if not _is_constant(node)] or asserting
    for one in telling:
        yield [
            node
            for place, node in enumerate(body)
            if node is one or (node not in asserting and (place < body.index(one) or one is telling[-1]))
        ]


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant)


def _case(around: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"        {line}" for text in lines for line in text.splitlines())
    return f"import unittest\n\n{around}\n\nclass HiddenCheck(unittest.TestCase):\n    def test_check(self):\n{body}\n"
