"""Values that a model writes into its checks: constant expressions, read without running them, in bounded size.

Beside literals, what makes big inputs short: `[0] * 5000`, `list(range(1000))`, `"ab" * 200`, `10 ** 9`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from auditcoder.errors import RecordError
from auditcoder.records.base import canonical_json
from auditcoder.records.values import Value, encode
from auditcoder.tasks.literals import literal_of

MOST_ITEMS = 10_000
"""Items and characters of one value: enough to expose a quadratic program, small enough for a record."""
MOST_BITS = 512
"""Bits of one whole number."""
_SEQUENCES = (str, list, tuple)
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_MAKERS: Mapping[str, Callable[[Any], Any]] = {
    "list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "sorted": sorted, "str": str,
}  # fmt: skip
_JSON_NAMES = {"true": True, "false": False, "null": None}
_REFUSED = (TypeError, ValueError, ArithmeticError, RecursionError, MemoryError)


def encoded_constant(node: ast.expr) -> Value:
    """Return the encoded value of a constant expression.

    Raises:
        ValueError: it is none, it is too big, or its value cannot be recorded.
    """
    try:
        value = _constant(node)
        if _size(value) > MOST_ITEMS:
            raise ValueError("a value that is too big")
        encoded = encode(value)
        canonical_json(encoded)
    except (*_REFUSED, RecordError) as error:
        raise ValueError(f"no constant value: {error}"[:160]) from error
    return encoded


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        items = [_constant(item) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items) if isinstance(node, ast.Tuple) else set(items)
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {_constant(k): _constant(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(_constant(node.operand))
    if isinstance(node, ast.BinOp):
        return _computed(node)
    if isinstance(node, ast.Name) and node.id in _JSON_NAMES:
        return _JSON_NAMES[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, args = node.func.id, node.args
        if name == "range" and 1 <= len(args) <= 3:
            return _small(range(*(_constant(arg) for arg in args)))
        if name in _MAKERS and len(args) == 1:
            return _small(_MAKERS[name](_small(_constant(args[0]))))
    if isinstance(node, ast.Dict):
        raise ValueError("a dict with something unpacked into it")
    return literal_of(node)


def _computed(node: ast.BinOp) -> Any:
    left, right = _constant(node.left), _constant(node.right)
    compute = _ARITHMETIC.get(type(node.op))
    if compute is None:
        raise ValueError(f"{type(node.op).__name__} is not allowed")
    if isinstance(right, _SEQUENCES) and isinstance(left, int):
        left, right = right, left
    if isinstance(left, _SEQUENCES):
        repeats = isinstance(node.op, ast.Mult) and isinstance(right, int)
        joins = isinstance(node.op, ast.Add) and type(left) is type(right)
        if not (repeats or joins):
            raise ValueError("sequences are joined or repeated, nothing else")
        grown = _size(left) * max(right, 0) if isinstance(right, int) else _size(left) + _size(right)
        if grown > MOST_ITEMS:
            raise ValueError("a value that is too big")
        return compute(left, right)
    _number(left)
    _number(right)
    if isinstance(node.op, ast.Pow) and not (
        isinstance(right, int) and 0 <= right and _bits(left) * right <= MOST_BITS
    ):
        raise ValueError("a power that is too big")
    value = compute(left, right)
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError("a number that is too big")
    return value


def _number(value: Any) -> Any:
    if type(value) not in (int, float):
        raise ValueError(f"{type(value).__name__} is no number")
    return value


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 64


def _small(value: Any) -> Any:
    if hasattr(value, "__len__") and len(value) > MOST_ITEMS:
        raise ValueError("a value that is too big")
    return value


def _size(value: Any) -> int:
    """Return how many items and characters a value holds; an item counts 1 at least, even an empty one."""
    if isinstance(value, str | bytes | range):
        return len(value)
    if isinstance(value, dict):
        return sum(max(1, _size(key)) + max(1, _size(item)) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return sum(max(1, _size(item)) for item in value)
    return 1
