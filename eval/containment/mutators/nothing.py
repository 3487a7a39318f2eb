"""A value that is None where something is done with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class NoneValue:
    """`x = value` becomes `x = None`."""

    name = "none-value"
    aim: Aim = "exception"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every plain assignment of something else than None."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.Assign) and not _is_none(node.value):
                yield Edit(place, _forget)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _forget(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Assign)
    node.value = ast.Constant(value=None)
    return node
