"""Memory that grows without end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

_KEEP = "_kept = [0]\nfor _ in range(40):\n    _kept = _kept + _kept"


class DoubledMemory:
    """Before a return, a list is doubled forty times."""

    name = "doubled-memory"
    aim: Aim = "memory"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every return; for the last statement where there is none."""
        nodes = places(function)
        returns = [place for place, node in enumerate(nodes) if isinstance(node, ast.Return)]
        last = [place for place, node in enumerate(nodes) if node is function.body[-1]]
        for place in returns or last:
            yield Edit(place, _grown)


def _grown(node: ast.AST) -> list[ast.stmt]:
    assert isinstance(node, ast.stmt)
    return [*ast.parse(_KEEP).body, node]
