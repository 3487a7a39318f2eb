"""A condition negated, or its parts joined the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, negated, places


class OtherCondition:
    """`if c` becomes `if not c`, `a and b` becomes `a or b`."""

    name = "condition"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every branch, conditional expression and boolean operation; loops are left alone."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.If | ast.IfExp):
                yield Edit(place, _negate)
            elif isinstance(node, ast.BoolOp):
                yield Edit(place, _join_otherwise)


def _negate(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = negated(node.test)
    return node


def _join_otherwise(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return node
