"""What a statement gives values to: targets, parameters, and the names that the expressions beside them assign."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Literal, NamedTuple

from auditcoder.sandbox.worker.trace_peek import Peek, mangled, peek_of

globals()["__builtins__"] = dict(vars(builtins))

NAME_LIMIT = 60
"""Characters of a target's text."""
_OWN_BODY = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


Rule = Literal["always", "same-place", "other-object"]
"""When a value is shown: if the target still leads to the same place as when the statement began (`x[i] += f()`); if
the name stands for another object than when the statement began (`a and (x := b)`, which may not come to assign)."""


class Target(NamedTuple):
    """Something that has a value: its text, and how to look at it without running code of the program."""

    name: str
    peek: Peek
    rule: Rule = "always"


def parameters_of(arguments: ast.arguments, owner: str) -> tuple[Target, ...]:
    """Return the parameters of a function in their order."""
    every = [*arguments.posonlyargs, *arguments.args]
    every += [arguments.vararg] if arguments.vararg else []
    every += arguments.kwonlyargs
    every += [arguments.kwarg] if arguments.kwarg else []
    return tuple(Target(each.arg, ("name", mangled(each.arg, owner))) for each in every)


def named(target: ast.expr) -> str:
    """Return the text of a target."""
    name = ast.unparse(target)
    return name if len(name) <= NAME_LIMIT else f"{name[: NAME_LIMIT - 1]}…"


def targets_of(targets: list[ast.expr], owner: str, value: ast.expr | None = None) -> tuple[Target, ...]:
    """Return what an assignment gives values to, and what the expression beside it assigns, each text once.

    A target that is found by way of a name which the same statement assigns behind it is left out: when one looks, that
    name leads elsewhere.
    """
    leaves = [leaf for target in targets for leaf in _leaves(target)]
    found = {each.name: each for each in (walrus_targets(value, owner) if value is not None else ())}
    for index, leaf in enumerate(leaves):
        peek = peek_of(leaf, owner)
        later = {other.id for other in leaves[index + 1 :] if isinstance(other, ast.Name)}
        name = named(leaf)
        found.pop(name, None)
        if peek is not None and (isinstance(leaf, ast.Name) or not later & _names(leaf)):
            found[name] = Target(name, peek)
    return tuple(found.values())


def walrus_targets(value: ast.expr, owner: str, *, truth: bool | None = None) -> tuple[Target, ...]:
    """Return what an expression assigns in the scope around it; what it may skip has a rule.

    Args:
        value: The expression.
        owner: Name of the class around.
        truth: Whether it was true, where that is known.
    """
    sure = frozenset(_walruses(value, truth))
    rules: dict[str, Rule] = {name: "always" if name in sure else "other-object" for name in _every_walrus(value)}
    return tuple(Target(name, ("name", mangled(name, owner)), rule) for name, rule in rules.items())


def captured_by(pattern: ast.AST) -> Iterator[str]:
    """Yield the names that a pattern gives values to, in the order of the text."""
    for child in ast.iter_child_nodes(pattern):
        if isinstance(child, ast.pattern):
            yield from captured_by(child)
    for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
        if isinstance(name, str):
            yield name


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _leaves(element)
    elif isinstance(target, ast.Starred):
        yield from _leaves(target.value)
    else:
        yield target


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _every_walrus(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
        yield node.target.id
    if not isinstance(node, _OWN_BODY):
        for child in ast.iter_child_nodes(node):
            yield from _every_walrus(child)


def _walruses(node: ast.AST, truth: bool | None) -> Iterator[str]:
    """Yield the names that an expression assigns for certain whenever it comes to its end."""
    parts: list[tuple[ast.AST, bool | None]]
    match node:
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name
            parts = [(node.value, truth)]
        case ast.BoolOp():
            whole = truth is isinstance(node.op, ast.And)  # no operand was skipped, and each was like the whole
            parts = [(each, truth) for each in node.values] if whole else [(node.values[0], None)]
        case ast.UnaryOp(op=ast.Not()):
            parts = [(node.operand, None if truth is None else not truth)]
        case ast.IfExp():
            parts = [(node.test, None)]
        case ast.Compare():
            compared = node.comparators if truth else node.comparators[:1]  # a chain ends at its first falsehood
            parts = [(each, None) for each in (node.left, *compared)]
        case _:
            parts = [] if isinstance(node, _OWN_BODY) else [(child, None) for child in ast.iter_child_nodes(node)]
    for part, true in parts:
        yield from _walruses(part, true)
