"""Arguments in the wrong order at a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, call_name, places


class SwappedArguments:
    """`f(a, b)` becomes `f(b, a)` where `f` is a library function."""

    name = "argument-swap"
    aim: Aim = "wrong-answer"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every call of something else than a unit with two or more arguments."""
        yield from _swaps(function, units, own=False)


class SwappedUnitArguments:
    """`unit(a, b)` becomes `unit(b, a)`: the call no longer keeps the interface."""

    name = "unit-argument-swap"
    aim: Aim = "interface"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every call of a unit with two or more arguments."""
        yield from _swaps(function, units, own=True)


def _swaps(function: Function, units: frozenset[str], *, own: bool) -> Iterator[Edit]:
    for place, node in enumerate(places(function)):
        if isinstance(node, ast.Call) and (call_name(node) in units) == own and _can_swap(node):
            yield Edit(place, _swap)


def _can_swap(node: ast.Call) -> bool:
    first = node.args[:2]
    if len(first) < 2 or any(isinstance(arg, ast.Starred) for arg in first):
        return False
    return ast.dump(first[0]) != ast.dump(first[1])


def _swap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Call)
    node.args[:2] = node.args[1::-1]
    return node
