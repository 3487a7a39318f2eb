"""Whether a value fits a Python annotation, as far as built-in types say it."""

from __future__ import annotations

import ast
from typing import Any

_PLAIN: dict[str, tuple[type[Any], ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "bytes": (bytes,), "complex": (complex,),
    "list": (list,), "tuple": (tuple,), "set": (set,), "frozenset": (frozenset,), "dict": (dict,),
    "None": (type(None),),
}  # fmt: skip


def fits(value: Any, annotation: str) -> bool:
    """Return whether a value can be what an annotation says; an annotation that is not understood fits everything.

    An int is a float; a bool is no int, because a model that mixes them up means something else.
    """
    try:
        tree = ast.parse(annotation.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return _fits(value, tree)


def _fits(value: Any, annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name(id=name):
            return type(value) in _PLAIN.get(name, (type(value),))
        case ast.Constant(value=None):
            return value is None
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Subscript(value=ast.Name(id=name) as outer, slice=inside):
            return _fits(value, outer) and _items_fit(value, name, inside)
    return True


def _items_fit(value: Any, outer: str, inside: ast.expr) -> bool:
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    if outer in ("list", "set", "frozenset"):
        return all(_fits(item, parts[0]) for item in value)
    if outer == "dict" and len(parts) == 2:
        return all(_fits(key, parts[0]) and _fits(item, parts[1]) for key, item in value.items())
    if outer == "tuple":
        return _tuple_fits(value, parts)
    return True


def _tuple_fits(value: tuple[Any, ...], parts: list[ast.expr]) -> bool:
    if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
        return all(_fits(item, parts[0]) for item in value)
    return len(value) == len(parts) and all(_fits(item, part) for item, part in zip(value, parts, strict=True))
