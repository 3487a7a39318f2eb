"""Signatures from text, and what is missing in them from the examples."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from auditcoder.records.task import FunctionSignature, Parameter

_MAX_PARAMETERS = 50


class Parsed(NamedTuple):
    """A signature, and how many arguments a call must give at least (defaults may be left out)."""

    signature: FunctionSignature
    required: int


def parse_signature(text: str) -> Parsed:
    """Return the signature written as `f(a: int, b: list[int]) -> int`; `def`, the colon and `self` may be there.

    Raises:
        ValueError: it is no signature, or has other than positional parameters.
    """
    head = text.strip().removeprefix("def ").rstrip().removesuffix(":")
    try:
        body = ast.parse(f"def {head}: ...").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError("expected a signature like f(a: int, b: list[int]) -> int") from error
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise ValueError("expected one signature")
    return signature_of(body[0])


def signature_of(node: ast.FunctionDef) -> Parsed:
    """Return the signature of a function definition.

    Raises:
        ValueError: it has other than positional parameters.
    """
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs:
        raise ValueError("expected positional parameters only, no * or **")
    named = [*args.posonlyargs, *args.args]
    if named and named[0].arg == "self":
        named = named[1:]
    if len(named) > _MAX_PARAMETERS:
        raise ValueError(f"expected at most {_MAX_PARAMETERS} parameters")
    if not all(name.isascii() for name in (node.name, *(arg.arg for arg in named))):
        raise ValueError("expected names in ASCII")
    parameters = tuple(Parameter(name=arg.arg, type=_annotation(arg.annotation)) for arg in named)
    signature = FunctionSignature(name=node.name, parameters=parameters, returns=_annotation(node.returns))
    return Parsed(signature, len(named) - min(len(named), len(args.defaults)))


def _annotation(node: ast.expr | None) -> str:
    if node is None:
        return "Any"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def completed(
    signature: FunctionSignature, calls: Sequence[Sequence[Any]], results: Sequence[Any]
) -> FunctionSignature:
    """Return the signature with each missing type inferred from the calls and results of the examples."""
    parameters = tuple(
        parameter
        if parameter.type != "Any"
        else Parameter(name=parameter.name, type=type_of([args[index] for args in calls if index < len(args)]))
        for index, parameter in enumerate(signature.parameters)
    )
    returns = signature.returns if signature.returns != "Any" else type_of(results)
    return FunctionSignature(name=signature.name, parameters=parameters, returns=returns)


def inferred(name: str, calls: Sequence[Sequence[Any]], results: Sequence[Any]) -> FunctionSignature:
    """Return a signature made from examples alone: parameters `a`, `b`, ... with inferred types."""
    count = max((len(args) for args in calls), default=0)
    names = [chr(ord("a") + i) if i < 26 else f"a{i}" for i in range(count)]
    empty = FunctionSignature(name=name, parameters=tuple(Parameter(name=n) for n in names))
    return completed(empty, calls, results)


def type_of(values: Iterable[Any]) -> str:
    """Return the narrowest annotation that covers the values, `Any` when there is no simple one."""
    values = list(values)
    kinds = {type(value) for value in values}
    optional = type(None) in kinds
    kinds -= {type(None)}
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) != 1:
        return "None" if optional and not kinds else "Any"
    kind = kinds.pop()
    rest = [value for value in values if value is not None]
    name = _container(kind, rest) if kind in (list, tuple, set, frozenset, dict) else kind.__name__
    return f"{name} | None" if optional else name


def _container(kind: type[Any], values: list[Any]) -> str:
    if kind is dict:
        keys, items = (type_of(x) for x in ([k for v in values for k in v], [i for v in values for i in v.values()]))
        return "dict" if (keys, items) == ("Any", "Any") else f"dict[{keys}, {items}]"
    if kind is tuple and len({len(value) for value in values}) == 1 and 0 < len(values[0]) <= 6:
        return f"tuple[{', '.join(type_of(column) for column in zip(*values, strict=True))}]"
    inner = type_of(item for value in values for item in value)
    if inner == "Any":
        return kind.__name__
    return f"tuple[{inner}, ...]" if kind is tuple else f"{kind.__name__}[{inner}]"
