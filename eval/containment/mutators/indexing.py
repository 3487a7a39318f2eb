"""An index past the end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.boundaries import shifted
from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class ShiftedIndex:
    """`x[i]` becomes `x[i + 1]`."""

    name = "index-shift"
    aim: Aim = "exception"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every read of an item by something else than a text or a slice."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_index(node.slice):
                yield Edit(place, _shift)


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return isinstance(node, ast.Name | ast.BinOp | ast.UnaryOp | ast.Call)


def _shift(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Subscript)
    node.slice = shifted(node.slice, 1)
    return node
