"""An operand of the wrong type."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

_STRICT = (ast.Add, ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)


class WrongOperandType:
    """`a + b` becomes `a + [b]`."""

    name = "operand-type"
    aim: Aim = "exception"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every arithmetic expression whose operands must fit."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.BinOp) and isinstance(node.op, _STRICT) and not isinstance(node.right, ast.List):
                yield Edit(place, _wrap)


def _wrap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BinOp)
    node.right = ast.List(elts=[node.right], ctx=ast.Load())
    return node
