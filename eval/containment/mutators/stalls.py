"""A loop that does not progress."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditcoder.eval.containment.mutators.edit import Aim, Edit, Function, places

_LEFT = "_left"


class StalledLoop:
    """In a `while` loop the update of what it tests is forgotten; a `for` loop takes the first item for ever."""

    name = "stalled-loop"
    aim: Aim = "timeout"

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield an edit for every update in a `while` loop and for every `for` loop."""
        nodes = places(function)
        updates = {id(node) for loop in nodes if isinstance(loop, ast.While) for node in _updates(loop)}
        for place, node in enumerate(nodes):
            if id(node) in updates:
                yield Edit(place, lambda _: ast.Pass())
            elif isinstance(node, ast.For) and not node.orelse:
                yield Edit(place, _first_for_ever)


def _updates(loop: ast.While) -> Iterator[ast.stmt]:
    """Yield the statements of a loop that change a name which its test reads."""
    read = {part.id for part in ast.walk(loop.test) if isinstance(part, ast.Name)}
    for part in (part for statement in loop.body for part in ast.walk(statement)):
        if isinstance(part, ast.AugAssign | ast.Assign):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            if any(isinstance(target, ast.Name) and target.id in read for target in targets):
                yield part


def _first_for_ever(node: ast.AST) -> list[ast.stmt]:
    """Return the loop as one over a list of what is left, from which nothing is taken."""
    assert isinstance(node, ast.For)
    items = ast.Call(func=ast.Name(id="list", ctx=ast.Load()), args=[node.iter], keywords=[])
    left = ast.Name(id=_LEFT, ctx=ast.Load())
    first = ast.Subscript(value=left, slice=ast.Constant(value=0), ctx=ast.Load())
    keep = ast.Assign(targets=[ast.Name(id=_LEFT, ctx=ast.Store())], value=items)
    take = ast.Assign(targets=[node.target], value=first)
    return [keep, ast.While(test=left, body=[take, *node.body], orelse=[])]
