"""Metered operators: what the compiled predicate calls instead of Python's own."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from auditcoder.sandbox.predicate_meter import MAX_BITS, MAX_SIZE, Meter, fail, size
from auditcoder.sandbox.predicate_methods import bound_method

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow, "LShift": operator.lshift,
    "RShift": operator.rshift, "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge,
}  # fmt: skip
_NUMBERS = (bool, int, float)
_SEQUENCES = (str, bytes, list, tuple)
_SETS = (set, frozenset)


class Operators:
    """The hooks of one evaluation."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter

    def hooks(self) -> dict[str, Any]:
        """Return the global names that compiled predicates use."""
        return {
            "_bin_": self.binary, "_cmp_": self.compare, "_key_": self.meter.key, "_getiter_": self.meter.iterate,
            "_getitem_": self.item, "_getattr_": self.attribute, "_iter_unpack_sequence_": self.unpack,
        }  # fmt: skip

    def binary(self, name: str, left: Any, right: Any) -> Any:
        """Return `left op right` after checking that the result stays small."""
        self.meter.pay()
        kinds = (type(left), type(right))
        if all(kind in _NUMBERS for kind in kinds):
            result = _BINARY[name](left, _small(name, left, right))
            if type(result) not in _NUMBERS:
                raise fail("complex numbers are not used in predicates")
            return result
        if name == "Mult" and any(kind in _SEQUENCES for kind in kinds) and any(kind in (bool, int) for kind in kinds):
            sequence, count = (left, right) if kinds[0] in _SEQUENCES else (right, left)
            self.made(len(sequence) * max(0, count))
        elif name == "Add" and kinds[0] is kinds[1] and kinds[0] in _SEQUENCES:
            self.made(len(left) + len(right))
        elif name in ("Sub", "BitAnd", "BitOr", "BitXor") and all(kind in _SETS for kind in kinds):
            self.meter.weigh(left)
            self.meter.weigh(right)
        elif not (name == "BitOr" and kinds == (dict, dict)):
            raise TypeError(f"{name} of {kinds[0].__name__} and {kinds[1].__name__}")
        else:
            self.made(len(left) + len(right))
        return _BINARY[name](left, right)

    def made(self, count: int) -> None:
        """Pay for a new container or text of `count` items."""
        if count > MAX_SIZE:
            raise fail(f"more than {MAX_SIZE} items would be made")
        self.meter.pay(count)

    def compare(self, names: str, left: Any, right: Any, *rest: Callable[[], Any]) -> Any:
        """Return the truth of a comparison chain; a later operand is evaluated only when it is reached."""
        first, *later = names.split()
        if not self._one(first, left, right):
            return False
        for name, thunk in zip(later, rest, strict=True):
            left, right = right, thunk()
            if not self._one(name, left, right):
                return False
        return True

    def _one(self, name: str, left: Any, right: Any) -> bool:
        self.meter.pay()
        if name in ("Is", "IsNot"):
            if not any(value is None or type(value) is bool for value in (left, right)):
                raise fail("'is' compares with None, True or False only")
            return (left is right) == (name == "Is")
        if name in ("In", "NotIn"):
            return self._contains(left, right) == (name == "In")
        self.meter.weigh(left)
        self.meter.weigh(right)
        return bool(_COMPARE[name](left, right))

    def _contains(self, left: Any, right: Any) -> bool:
        kind = type(right)
        if kind in _SETS or kind is dict:
            return self.meter.key(left) in right
        if kind is range:
            self.meter.pay(0 if type(left) is int else len(right))
            return left in right
        if kind not in _SEQUENCES:
            raise TypeError(f"'in' a {kind.__name__}")
        self.meter.weigh(left)
        self.meter.weigh(right)
        self.meter.pay(size(right) // 16)
        return left in right

    def item(self, container: Any, key: Any) -> Any:
        """Return `container[key]`."""
        self.meter.pay()
        kind = type(container)
        if kind is dict:
            return container[self.meter.key(key)]
        if kind not in _SEQUENCES and kind is not range:
            raise TypeError(f"a {kind.__name__} has no items")
        if isinstance(key, slice):
            self.meter.pay(size(container))
        return container[key]

    def attribute(self, value: Any, name: str) -> Any:
        """Return a metered bound method; nothing else can be reached by attribute."""
        return bound_method(self.meter, value, name)

    def unpack(self, value: Any, _spec: object, _getiter: object) -> Iterator[tuple[Any, ...]]:
        """Return the items of `value` as tuples, for `for a, b in value`."""
        return (tuple(self.meter.iterate(item)) for item in self.meter.iterate(value))


def _small(name: str, left: Any, right: Any) -> Any:
    """Return `right` when an integer result stays within `MAX_BITS`."""
    if type(left) is not float and type(right) is not float:
        if name == "Pow":
            bits = (abs(left) - 1).bit_length() * right + 1 if abs(left) > 1 else 1
        elif name == "LShift":
            bits = left.bit_length() + right
        elif name == "Mult":
            bits = left.bit_length() + right.bit_length()
        else:
            bits = max(left.bit_length(), right.bit_length())
        if bits > MAX_BITS:
            raise fail(f"an integer of more than {MAX_BITS} bits")
    return right
