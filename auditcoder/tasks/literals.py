"""Python literals and calls with literal arguments, read without running anything."""

from __future__ import annotations

import ast
import warnings
from typing import Any, NamedTuple

MAX_LENGTH = 1_000_000
_FLOATS = ("inf", "-inf", "nan", "infinity", "-infinity")


class Call(NamedTuple):
    """`name(*args)`."""

    name: str
    args: tuple[Any, ...]


def literal(text: str) -> Any:
    """Return the value of a Python literal; `set()`, `frozenset(...)`, `float('inf')` and `float('nan')` included.

    Raises:
        ValueError: it is no literal.
    """
    return literal_of(_parse(text))


def call(text: str) -> Call:
    """Return name and arguments of a call like `f([1, 2], 'x')`.

    Raises:
        ValueError: it is no such call (keyword and starred arguments are none).
    """
    return call_of(_parse(text))


def call_of(node: ast.expr) -> Call:
    """Return name and arguments of a call node, as `call` does."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise ValueError("expected a call like f([1, 2], 'x') with positional arguments")
    return Call(node.func.id, tuple(literal_of(arg) for arg in node.args))


def literal_of(node: ast.expr) -> Any:
    """Return the value of a literal node, as `literal` does."""
    try:
        return _value(node)
    except (TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f"no Python literal: {error}") from error


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise ValueError("too long for a Python literal")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"no Python literal: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError(f"no Python literal: {error or 'nested too deeply'}") from error


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and not isinstance(node.value, complex) and node.value is not Ellipsis:
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Set):
        return {_value(item) for item in node.elts}
    if isinstance(node, ast.Dict):
        return {_value(k): _value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = _value(node.operand)
        if type(number) in (int, float):
            return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _made(node.func.id, [_value(arg) for arg in node.args])
    raise ValueError(f"no Python literal: {type(node).__name__} is not allowed here")


def _made(name: str, args: list[Any]) -> Any:
    if name == "set" and not args:
        return set()
    if name == "frozenset" and len(args) <= 1 and all(isinstance(arg, set | list | tuple) for arg in args):
        return frozenset(*args)
    if name == "float" and len(args) == 1 and isinstance(args[0], str) and args[0].lower() in _FLOATS:
        return float(args[0])
    raise ValueError(f"no Python literal: a call of {name}")


def source_complaint(source: str) -> str:
    """Return '' when the text compiles as Python, else why not. Nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<task>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"expected Python source: {error}"
    return ""
