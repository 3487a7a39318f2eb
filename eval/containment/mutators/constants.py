"""Another constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class OtherConstant:
    """A number becomes its successor or predecessor, a truth value the other one, a text an empty one."""

    name = "constant"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield one or two edits for every constant outside f-strings."""
        nodes = places(function)
        inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for place, node in enumerate(nodes):
            if not isinstance(node, ast.Constant) or id(node) in inside:
                continue
            if isinstance(node.value, bool):
                yield Edit(place, _flip)
            elif isinstance(node.value, int | float):
                yield Edit(place, _more)
                yield Edit(place, _less)
            elif isinstance(node.value, str) and node.value:
                yield Edit(place, _emptied)


def _flip(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    return ast.Constant(value=not node.value)


def _more(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    return ast.Constant(value=node.value + 1)


def _less(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    return ast.Constant(value=node.value - 1)


def _emptied(node: ast.AST) -> ast.AST:
    return ast.Constant(value="")
