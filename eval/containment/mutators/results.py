"""A wrong result of the right type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, negated, places

_TRUTH = (ast.Compare, ast.BoolOp)


class WrongResult:
    """`return a < b` becomes `return not a < b`; `return total + x` becomes `return total`."""

    name = "result"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every returned condition and every returned operation."""
        for place, node in enumerate(places(function)):
            if not isinstance(node, ast.Return):
                continue
            if isinstance(node.value, _TRUTH) or _is_not(node.value):
                yield Edit(place, _negate)
            elif isinstance(node.value, ast.BinOp):
                yield Edit(place, _left_only)


def _is_not(node: ast.expr | None) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _negate(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    assert node.value is not None
    node.value = negated(node.value)
    return node


def _left_only(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    assert isinstance(node.value, ast.BinOp)
    node.value = node.value.left
    return node
