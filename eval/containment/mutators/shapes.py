"""A result of another type, shape or order than was promised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class OtherShape:
    """`return x` becomes `return [x]`, `return str(x)` or `return None`; `return (a, b)` becomes `return (b, a)`."""

    name = "result-shape"
    aim: Aim = "interface"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield the edits for every returned value."""
        for place, node in enumerate(places(function)):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            yield Edit(place, _listed)
            yield Edit(place, _as_text)
            if not isinstance(node.value, ast.Constant) or node.value.value is not None:
                yield Edit(place, _nothing)
            if isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
                yield Edit(place, _reversed)


def _listed(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    assert node.value is not None
    node.value = ast.List(elts=[node.value], ctx=ast.Load())
    return node


def _as_text(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    assert node.value is not None
    node.value = ast.Call(func=ast.Name(id="str", ctx=ast.Load()), args=[node.value], keywords=[])
    return node


def _nothing(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(value=None)
    return node


def _reversed(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Return)
    assert isinstance(node.value, ast.Tuple)
    node.value.elts.reverse()
    return node
