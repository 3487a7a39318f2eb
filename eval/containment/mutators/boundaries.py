"""A range or a slice that begins or ends one place off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, call_name, places


class OffByOne:
    """`range(n)` becomes `range(n - 1)`, `x[a:b]` becomes `x[a + 1:b]` or `x[a:b - 1]`."""

    name = "boundary"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every range, and one for every given end of a slice."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.Call) and call_name(node) == "range" and node.args:
                yield Edit(place, _shorter_range)
            elif isinstance(node, ast.Slice):
                if node.lower is not None:
                    yield Edit(place, _later)
                if node.upper is not None:
                    yield Edit(place, _earlier)


def shifted(node: ast.expr, by: int) -> ast.expr:
    """Return an expression plus or minus a number."""
    sign: ast.operator = ast.Add() if by > 0 else ast.Sub()
    return ast.BinOp(left=node, op=sign, right=ast.Constant(value=abs(by)))


def _shorter_range(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Call)
    stop = min(1, len(node.args) - 1)
    node.args[stop] = shifted(node.args[stop], -1)
    return node


def _later(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Slice)
    assert node.lower is not None
    node.lower = shifted(node.lower, 1)
    return node


def _earlier(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Slice)
    assert node.upper is not None
    node.upper = shifted(node.upper, -1)
    return node
