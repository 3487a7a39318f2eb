"""Another arithmetic operator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

_OTHER: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Add(),
    ast.FloorDiv: ast.Mult(),
    ast.Div: ast.Mult(),
    ast.Mod: ast.FloorDiv(),
    ast.Pow: ast.Mult(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
    ast.BitXor: ast.BitOr(),
}


class OtherOperator:
    """`a + b` becomes `a - b`."""

    name = "operator"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield one edit for every arithmetic expression or augmented assignment that is not about text."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _OTHER and not _about_text(node):
                yield Edit(place, _swap)


def _about_text(node: ast.AST) -> bool:
    """Return whether a text constant is an operand: another operator would only raise."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    if isinstance(node, ast.AugAssign):
        sides = (node.value, node.value)
    return any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in sides)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _swap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BinOp | ast.AugAssign)
    node.op = _OTHER[type(node.op)]
    return node
