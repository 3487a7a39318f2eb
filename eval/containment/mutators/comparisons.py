"""Another comparison: the boundary on the wrong side, or the opposite."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

_OTHER: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}


class OtherComparison:
    """`a < b` becomes `a <= b`, `a == b` becomes `a != b`."""

    name = "comparison"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield one edit for every comparison; of a chain its first operator changes."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.Compare):
                yield Edit(place, _swap)


def _swap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _OTHER[type(node.ops[0])]
    return node
