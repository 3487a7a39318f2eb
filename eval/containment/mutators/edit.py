"""One small change of one unit, and how it is applied: on the syntax tree, inside the body, nowhere else."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Protocol

Aim = Literal["wrong-answer", "exception", "interface", "timeout", "memory"]
"""What a fault is meant to make of a run; `interface` may end as a wrong answer or an exception."""
Function = ast.FunctionDef
Changed = ast.AST | list[ast.stmt]
"""What takes the place of a node; a list only for a statement."""


class Edit(NamedTuple):
    """A change of the node at one place of a function's body."""

    place: int
    """Index among `places(function)`."""
    change: Callable[[ast.AST], Changed]
    """Gets a copy of the node and returns what replaces it."""


class Mutator(Protocol):
    """One idea of a fault."""

    name: str
    aim: Aim

    def edits(self, function: Function, units: frozenset[str]) -> Iterator[Edit]:
        """Yield every change that the idea gives in a function, in the order of its places.

        Args:
            function: A function or method, without docstring.
            units: Plain names of the functions and methods of the program.
        """
        ...


def places(function: Function) -> tuple[ast.AST, ...]:
    """Return the nodes of a function's body in a fixed order; signature, decorators and annotations are not in it."""
    return tuple(node for statement in function.body for node in ast.walk(statement))


def applied(text: str, edit: Edit) -> str:
    """Return the text of a function with one edit.

    The result is what `ast.unparse` writes, like every unit of the study, so that it differs in the edit only.

    Raises:
        SyntaxError: the edit gives no Python.
    """
    function = parse_function(text)
    target = places(function)[edit.place]
    changed = edit.change(copy.deepcopy(target))
    _Replace(target, changed).generic_visit(function)
    written = ast.unparse(ast.fix_missing_locations(function))
    ast.parse(written)
    return written


def parse_function(text: str) -> Function:
    """Return the function that a text consists of.

    Raises:
        ValueError: it is something else.
    """
    body = ast.parse(text).body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise ValueError("expected the text of one function")
    return body[0]


def negated(test: ast.expr) -> ast.expr:
    """Return the negation of an expression; of a negated one what it negates."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(op=ast.Not(), operand=test)


def call_name(node: ast.AST) -> str:
    """Return the plain name that a call calls (`f` of `f()` and of `x.f()`), or an empty text."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, changed: Changed) -> None:
        self._target = target
        self._changed = changed

    def visit(self, node: ast.AST) -> Changed:
        return self._changed if node is self._target else self.generic_visit(node)
