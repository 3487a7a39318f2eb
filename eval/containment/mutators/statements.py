"""A statement forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places


class DroppedStatement:
    """An update of something that goes on to exist becomes `pass`."""

    name = "dropped-statement"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every augmented assignment, call for its effect, and store into an object.

        Plain assignments to names stay: without them the name would be missing, which is another kind of fault. What
        a `while` loop needs to end stays as well.
        """
        nodes = places(function)
        loops = [node for node in nodes if isinstance(node, ast.While)]
        progress = {id(part) for loop in loops for statement in loop.body for part in ast.walk(statement)}
        for place, node in enumerate(nodes):
            if id(node) not in progress and _is_update(node):
                yield Edit(place, lambda _: ast.Pass())


def _is_update(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    stores = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    return stores or isinstance(node, ast.AugAssign)
