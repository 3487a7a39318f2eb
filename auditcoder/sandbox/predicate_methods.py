"""Metered methods of the built-in types: an allow-list of pure ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from auditcoder.sandbox.predicate_meter import MAX_SIZE, Meter, fail, size

_SET_METHODS = frozenset(
    {"issubset", "issuperset", "isdisjoint", "union", "intersection", "difference", "symmetric_difference"}
)
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        "startswith endswith isdigit isalpha isalnum islower isupper isspace isdecimal isnumeric isidentifier isascii"
        " istitle lower upper casefold swapcase title capitalize strip lstrip rstrip split rsplit splitlines count find"
        " rfind index rindex partition rpartition removeprefix removesuffix replace join".split()
    ),
    list: frozenset({"count", "index", "copy"}),
    tuple: frozenset({"count", "index"}),
    range: frozenset({"count", "index"}),
    dict: frozenset({"keys", "values", "items", "get", "copy"}),
    set: _SET_METHODS | {"copy"},
    frozenset: _SET_METHODS,
    int: frozenset({"bit_length", "bit_count"}),
    float: frozenset({"is_integer"}),
}
METHOD_NAMES = frozenset(name for names in _METHODS.values() for name in names)
"""Every attribute that a predicate may name."""
_NO_RANGE_WALK = (int, bool)


def bound_method(meter: Meter, value: Any, name: str) -> Callable[..., Any]:
    """Return a function that calls the method after paying for it.

    Raises:
        PredicateError: the method is not on the list.
    """
    kind = type(value)
    if name not in _METHODS.get(kind, ()):
        raise fail(f"{kind.__name__}.{name} is not allowed in a predicate")
    special = _SPECIAL.get((kind, name))

    def call(*args: Any) -> Any:
        meter.pay(size(value) // 4 + sum(size(arg) for arg in args) // 4)
        if special is not None:
            return special(meter, value, *args)
        if kind in (set, frozenset):
            return _set_method(meter, value, name, args)
        for arg in args:
            meter.weigh(arg)
        if kind in (list, tuple):
            meter.weigh(value)
        if kind is range and any(type(arg) not in _NO_RANGE_WALK for arg in args):
            meter.pay(len(value))
        result = getattr(value, name)(*args)
        return list(result) if kind is dict and name != "copy" else result

    return call


def _set_method(meter: Meter, value: Any, name: str, args: tuple[Any, ...]) -> Any:
    if name == "copy" and not args:
        return value.copy()
    meter.weigh(value)
    others = [[meter.key(item) for item in meter.iterate(arg)] for arg in args]
    return getattr(value, name)(*others)


def _get(meter: Meter, value: dict[Any, Any], key: Any, default: Any = None) -> Any:
    return value.get(meter.key(key), default)


def _join(meter: Meter, value: str, parts: Any) -> str:
    items = list(meter.iterate(parts))
    length = sum(size(item) for item in items) + len(value) * len(items)
    _made(meter, length)
    return value.join(items)


def _replace(meter: Meter, value: str, old: Any, new: Any, count: int = -1) -> str:
    if type(old) is not str or type(new) is not str:
        raise TypeError("str.replace needs texts")
    _made(meter, len(value) + value.count(old) * len(new))
    return value.replace(old, new, count)


def _made(meter: Meter, length: int) -> None:
    if length > MAX_SIZE:
        raise fail(f"more than {MAX_SIZE} characters would be made")
    meter.pay(length)


_SPECIAL: dict[tuple[type, str], Callable[..., Any]] = {
    (dict, "get"): _get,
    (str, "join"): _join,
    (str, "replace"): _replace,
}
