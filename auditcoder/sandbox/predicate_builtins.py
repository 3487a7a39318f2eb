"""Metered builtins: C functions only ever see metered iterators and weighed values."""

from __future__ import annotations

from typing import Any

from auditcoder.sandbox.predicate_meter import MAX_BITS, Meter, Unrecorded, fail, size, unrecorded
from auditcoder.sandbox.predicate_ops import Operators

_TYPES: dict[str, type] = {
    "int": int, "float": float, "bool": bool, "str": str, "list": list, "tuple": tuple, "dict": dict, "set": set,
    "frozenset": frozenset, "range": range,
}  # fmt: skip
_SCALARS = (int, float, bool, str, type(None))
_LONGEST_NUMBER = 500


FUNCTIONS = (
    "abs", "all", "any", "bool", "chr", "dict", "divmod", "enumerate", "float", "frozenset", "int", "isinstance", "len",
    "list", "map", "max", "min", "ord", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple",
    "zip",
)  # fmt: skip


def builtins_of(meter: Meter) -> dict[str, Any]:
    """Return the builtins of one evaluation, by name."""
    functions = _Builtins(meter)
    names: dict[str, Any] = {name: getattr(functions, f"{name}_") for name in FUNCTIONS}
    return {**names, "True": True, "False": False, "None": None}


class _Builtins:
    """One method a builtin, named with a trailing underscore."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.operators = Operators(meter)

    def items(self, value: Any) -> list[Any]:
        return list(self.meter.iterate(value))

    def keys(self, value: Any) -> list[Any]:
        return [self.meter.key(item) for item in self.meter.iterate(value)]

    def abs_(self, value: Any) -> Any:
        return abs(value)

    def all_(self, value: Any) -> bool:
        return all(self.meter.iterate(value))

    def any_(self, value: Any) -> bool:
        return any(self.meter.iterate(value))

    def bool_(self, *value: Any) -> bool:
        return bool(*value)

    def chr_(self, value: Any) -> str:
        return chr(value)

    def ord_(self, value: Any) -> int:
        return ord(value)

    def dict_(self, value: Any = (), **more: Any) -> dict[Any, Any]:
        pairs = value.items() if type(value) is dict else [tuple(self.items(p)) for p in self.meter.iterate(value)]
        return {**{self.meter.key(key): item for key, item in pairs}, **more}

    def divmod_(self, left: Any, right: Any) -> tuple[Any, Any]:
        return self.operators.binary("FloorDiv", left, right), self.operators.binary("Mod", left, right)

    def enumerate_(self, value: Any, start: int = 0) -> list[tuple[int, Any]]:
        return list(enumerate(self.meter.iterate(value), start))

    def float_(self, value: Any = 0.0) -> float:
        return float(self._number_text(value))

    def int_(self, value: Any = 0, *base: Any) -> int:
        return int(self._number_text(value), *base)

    def _number_text(self, value: Any) -> Any:
        if type(value) in (str, bytes) and len(value) > _LONGEST_NUMBER:
            raise fail("a text too long for a number")
        return value

    def frozenset_(self, value: Any = ()) -> frozenset[Any]:
        return frozenset(self.keys(value))

    def set_(self, value: Any = ()) -> set[Any]:
        return set(self.keys(value))

    def isinstance_(self, value: Any, kinds: Any) -> bool:
        """Types are recognized by the builtin of the same name."""
        self._recorded(value)
        wanted = kinds if type(kinds) is tuple else (kinds,)
        named = {getattr(self, f"{name}_"): kind for name, kind in _TYPES.items()}
        return isinstance(value, tuple(named[kind] for kind in wanted))

    def len_(self, value: Any) -> int:
        self._recorded(value)
        return len(value)

    def list_(self, value: Any = ()) -> list[Any]:
        return self.items(value)

    def tuple_(self, value: Any = ()) -> tuple[Any, ...]:
        return tuple(self.items(value))

    def map_(self, function: Any, *values: Any) -> list[Any]:
        if not callable(function):
            raise TypeError("map needs a function")
        return [function(*args) for args in self.zip_(*values)]

    def max_(self, *values: Any, **options: Any) -> Any:
        return max(self._weighed(values), **self._options(options, "default"))

    def min_(self, *values: Any, **options: Any) -> Any:
        return min(self._weighed(values), **self._options(options, "default"))

    def _weighed(self, values: tuple[Any, ...]) -> list[Any]:
        items = self.items(values[0] if len(values) == 1 else values)
        self.meter.weigh(items)
        return items

    def sorted_(self, value: Any, **options: Any) -> list[Any]:
        """Pay n log n walks: comparing two items costs at most their weight."""
        chosen = self._options(options, "reverse")
        items = self.items(value)
        before = self.meter.left
        self.meter.weigh(items)
        self.meter.pay((before - self.meter.left) * len(items).bit_length())
        return sorted(items, **chosen)

    def _options(self, options: dict[str, Any], extra: str) -> dict[str, Any]:
        unknown = sorted(set(options) - {"key", extra})
        if unknown:
            raise TypeError(f"unknown option {unknown[0]!r}")
        return options

    def pow_(self, base: Any, exponent: Any, modulus: Any = None) -> Any:
        if modulus is None:
            return self.operators.binary("Pow", base, exponent)
        self.meter.pay(500)
        if any(type(value) is int and value.bit_length() > MAX_BITS for value in (base, exponent, modulus)):
            raise fail(f"an integer of more than {MAX_BITS} bits")
        return pow(base, exponent, modulus)

    def range_(self, *bounds: Any) -> range:
        return range(*bounds)

    def reversed_(self, value: Any) -> list[Any]:
        if type(value) not in (list, tuple, str, bytes, range, dict):
            raise TypeError(f"a {type(value).__name__} cannot be reversed")
        return self.items(value)[::-1]

    def round_(self, value: Any, digits: Any = None) -> Any:
        return round(value) if digits is None else round(value, max(-30, min(30, digits)))

    def str_(self, value: Any = "") -> str:
        """Only scalars: the text of a set would depend on hashes."""
        if type(value) not in _SCALARS:
            raise TypeError(f"str of a {type(value).__name__}")
        self.meter.pay(size(value) * 8 if type(value) is int else 0)
        return str(value)

    def sum_(self, value: Any, start: Any = 0) -> Any:
        total = start
        for item in self.meter.iterate(value):
            total = self.operators.binary("Add", total, item)
        return total

    def zip_(self, *values: Any) -> list[tuple[Any, ...]]:
        return list(zip(*(self.meter.iterate(value) for value in values), strict=False))

    def _recorded(self, value: Any) -> None:
        if type(value) is Unrecorded:
            raise unrecorded()
