"""Work that grows with the square of a size and is for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

SIZE = 10_000
_SCAN = f"_seen = 0\nfor _a in range({SIZE}):\n    for _b in range({SIZE}):\n        _seen += _a == _b"


class QuadraticWork:
    """Before a return, every pair of a large range is looked at."""

    name = "quadratic-work"
    aim: Aim = "timeout"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every return; for the last statement where there is none."""
        nodes = places(function)
        returns = [place for place, node in enumerate(nodes) if isinstance(node, ast.Return)]
        last = [place for place, node in enumerate(nodes) if node is function.body[-1]]
        for place in returns or last:
            yield Edit(place, _burdened)


def _burdened(node: ast.AST) -> list[ast.stmt]:
    assert isinstance(node, ast.stmt)
    return [*ast.parse(_SCAN).body, node]
