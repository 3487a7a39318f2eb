"""A key that is not there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class MissingKey:
    """`d['name']` becomes `d['name_']`, and `d[key]` becomes `d[str(key) + '_']`."""

    name = "missing-key"
    aim: Aim = "exception"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every read of an item by a constant text or by a name."""
        for place, node in enumerate(places(function)):
            if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
                continue
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                yield Edit(place, _other_text)
            elif isinstance(node.slice, ast.Name):
                yield Edit(place, _other_key)


def _other_text(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.slice, ast.Constant)
    node.slice = ast.Constant(value=str(node.slice.value) + "_")
    return node


def _other_key(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Subscript)
    text = ast.Call(func=ast.Name(id="str", ctx=ast.Load()), args=[node.slice], keywords=[])
    node.slice = ast.BinOp(left=text, op=ast.Add(), right=ast.Constant(value="_"))
    return node
