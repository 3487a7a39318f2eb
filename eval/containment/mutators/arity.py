"""A call with one argument too few or too many."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, call_name, places


class WrongArity:
    """`f(a, b)` becomes `f(a)`; `f(a)` becomes `f(a, a)`."""

    name = "arity"
    aim: Aim = "exception"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every call of a unit, or of a built-in like `len`, with positional arguments."""
        for place, node in enumerate(places(function)):
            if isinstance(node, ast.Call) and node.args and (call_name(node) in units or call_name(node) in _STRICT):
                yield Edit(place, _other_count)


_STRICT = frozenset({"len", "abs", "ord", "chr", "append", "sqrt"})
"""Functions that take exactly one argument."""


def _other_count(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Call)
    if len(node.args) > 1:
        del node.args[-1]
    else:
        node.args.append(node.args[0])
    return node
