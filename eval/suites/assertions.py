"""Visible examples that a benchmark writes as assertions or docstring examples, as typed checks. Nothing is run."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from auditcoder.records.task import Check, Comparator, Expected, FunctionInput, FunctionSignature
from auditcoder.records.values import encode
from auditcoder.tasks.literals import call, call_of, literal, literal_of
from auditcoder.tasks.signatures import completed, signature_of


class Shown(NamedTuple):
    """A visible assertion that says `f(args) == result`."""

    args: tuple[Any, ...]
    result: Any
    comparator: Comparator


def shown_by(assertion: str, name: str) -> Shown | None:
    """Return the call and result of `assert f(args) == literal` or `assert round(f(args), n) == literal`.

    Any other assertion gives None: its operands are no literals, and a loader runs nothing.
    """
    try:
        node = ast.parse(assertion.strip()).body[0]
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        return None
    return shown_in(node, name)


def shown_in(node: ast.stmt, name: str) -> Shown | None:
    """Return what `shown_by` does, of a statement that is parsed already."""
    test = node.test if isinstance(node, ast.Assert) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    try:
        made, comparator = _unrounded(test.left)
        called = call_of(made)
        return Shown(called.args, literal_of(test.comparators[0]), comparator) if called.name == name else None
    except ValueError:
        return None


def _unrounded(node: ast.expr) -> tuple[ast.expr, Comparator]:
    """Return the call inside `round(call, digits)` with the tolerance that rounding means; True is 1 as for `==`."""
    rounds = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round"
    if isinstance(node, ast.Call) and rounds and len(node.args) == 2:
        return node.args[0], Comparator(rel_tol=0, abs_tol=0.5 / 10 ** int(literal_of(node.args[1])), bool_is_int=True)
    return node, Comparator(bool_is_int=True)


def shown_in_text(text: str, name: str) -> list[Shown]:
    """Return the examples `>>> f(literals)` with a literal result that stand in a text, in order."""
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return []
    found = []
    for example in examples:
        try:
            called, result = call(example.source.strip()), literal(example.want.strip())
        except ValueError:
            continue
        if called.name == name:
            found.append(Shown(called.args, result, Comparator(bool_is_int=True)))
    return found


def checks_of(shown: Iterable[Shown]) -> tuple[Check, ...]:
    """Return the visible checks `example-1`, `example-2`, ..."""
    return tuple(call_check(f"example-{index}", one) for index, one in enumerate(shown, start=1))


def call_check(check_id: str, shown: Shown) -> Check:
    """Return the check of one call."""
    given = FunctionInput(args=tuple(encode(arg) for arg in shown.args))
    expected = Expected(value=encode(shown.result), has_value=True)
    return Check(id=check_id, input=given, expected=expected, comparator=shown.comparator)


def function_in(source: str, name: str) -> ast.FunctionDef | None:
    """Return the last top-level function of this name in a source, or None where it has none or does not parse."""
    try:
        nodes = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[-1] if found else None


def before(source: str, function: ast.FunctionDef) -> str:
    """Return what a source gives before a function: imports and helpers."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return "".join(source.splitlines(keepends=True)[: first - 1]).strip()


def signature(function: ast.FunctionDef | None, name: str, shown: Sequence[Shown]) -> FunctionSignature:
    """Return a function's signature with missing types taken from the examples; the bare name where it has none.

    A function with `*` or keyword-only parameters has none that a contract can hold.
    """
    try:
        bare = signature_of(function).signature if function else FunctionSignature(name=name)
    except ValueError:
        bare = FunctionSignature(name=name)
    return completed(bare, [one.args for one in shown], [one.result for one in shown])


def names_bound(source: str) -> list[str]:
    """Return the names that a source binds at its top level by functions, classes and imports.

    Raises:
        SyntaxError: it does not parse.
    """
    return [name for node in ast.parse(source).body for name in bound_by(node)]


def bound_by(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition or an import binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
