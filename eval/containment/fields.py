"""What a method reads, writes and calls of its own object, read off the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

_CHANGING = frozenset(
    "append appendleft add extend insert update setdefault pop popitem popleft remove discard clear sort reverse"
    "".split()
)


class Access(NamedTuple):
    """The attributes that a method reads and writes, and the methods of its class that it calls; all sorted."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    calls: tuple[str, ...]


def access_of(function: ast.FunctionDef, cls: str, methods: Collection[str]) -> Access:
    """Return what a method does with `self` (or its class by name).

    A write is a store into the attribute, into an item of it or into an attribute of it, and a call of a method of it
    that changes its object by the name of it (`append`, `pop`, ...). What is written through an item or such a call is
    read as well.
    """
    selves = {"self", "cls", cls}
    reads, writes, calls = set[str](), set[str](), set[str]()
    for node in ast.walk(function):
        name = _own(node, selves)
        if name in methods:
            calls.add(name)
        elif name and isinstance(node, ast.Attribute):
            (reads if isinstance(node.ctx, ast.Load) else writes).add(name)
        if isinstance(node, ast.AugAssign):
            reads.update(filter(None, [_own(node.target, selves)]))
        changed = _own(_changed(node), selves)
        if changed and changed not in methods:
            writes.add(changed)
    return Access(tuple(sorted(reads)), tuple(sorted(writes)), tuple(sorted(calls)))


def _own(node: ast.AST | None, selves: Collection[str]) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in selves:
        return node.attr
    return ""


def _changed(node: ast.AST) -> ast.AST | None:
    """Return the innermost object whose inside a node changes: `x` of `x[0][1] = ...` and of `x[0].append(...)`."""
    inside: ast.AST | None = None
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        inside = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        inside = node.func.value
    while isinstance(inside, ast.Subscript) or (
        isinstance(inside, ast.Attribute) and not isinstance(inside.value, ast.Name)
    ):
        inside = inside.value
    return inside
