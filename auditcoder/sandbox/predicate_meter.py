"""The budget of one predicate evaluation, and everything that walks values."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

from auditcoder.errors import PredicateError
from auditcoder.records.values import Opaque

MAX_SIZE = 100_000
"""Longest sequence or text that an operation may make."""
MAX_BITS = 2048
"""Widest integer."""
_KEY_STEPS = 4
_MAX_DEPTH = 60
_MAX_COPIED = 200_000
_FLAT = frozenset({type(None), bool, int, float})
_NESTED = (list, tuple, set, frozenset)
_ITERABLE = (list, tuple, dict, str, bytes, range, GeneratorType)


def fail(why: str) -> PredicateError:
    """Return the error of an operation that a predicate may not do with these values."""
    return PredicateError(why, reason="failed")


def unrecorded() -> PredicateError:
    """Return the error of looking into a value whose content was not carried over."""
    return fail("the content of a value was not recorded")


class Unrecorded:
    """Stands for an opaque value: it can be passed on and compared with None by `is`, and nothing else."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise unrecorded()

    def __eq__(self, other: object) -> bool:
        raise unrecorded()

    def __hash__(self) -> int:
        raise unrecorded()


class Meter:
    """Counts down steps. Invariant: work is paid before it is done, so a budget bounds time and memory."""

    def __init__(self, steps: int) -> None:
        self.left = steps
        self._copied = _MAX_COPIED
        self._first: dict[int, Any] = {}
        self._colliding: dict[int, list[Any]] = {}

    def pay(self, steps: int = 0) -> None:
        """Take `steps` + 1 from the budget.

        Raises:
            PredicateError: the budget is used up.
        """
        self.left -= steps + 1
        if self.left < 0:
            raise PredicateError("the step budget is used up", reason="budget")

    def weigh(self, value: Any) -> None:
        """Pay for one walk through a value, shared parts counted each time (as comparing and hashing do)."""
        if type(value) in _FLAT:
            return
        stack = [value]
        while stack:
            item = stack.pop()
            kind = type(item)
            if kind in _NESTED:
                self.pay(len(item) // 8)
                stack.extend(part for part in item if type(part) not in _FLAT)
            elif kind is dict:
                self.pay(len(item) // 4)
                stack.extend(part for pair in item.items() for part in pair if type(part) not in _FLAT)
            elif kind in (str, bytes):
                self.pay(len(item) // 64)
            elif kind is Unrecorded:
                raise unrecorded()
            elif kind not in _FLAT and kind is not range:
                raise fail(f"a {kind.__name__} cannot be used here")

    def key(self, value: Any) -> Any:
        """Return a value that is about to be hashed; pays for hashing and for earlier keys with the same hash."""
        self.weigh(value)
        self.pay(_KEY_STEPS)
        code = hash(value)
        first = self._first.setdefault(code, value)
        if first is value or first == value:
            return value
        for known in self._colliding.setdefault(code, []):
            self.weigh(known)
            self.pay()
            if known == value:
                return value
        self._colliding[code].append(value)
        return value

    def iterate(self, value: Any) -> Iterator[Any]:
        """Return a metered iterator; sets come in an order that does not depend on hashes."""
        if type(value) in (set, frozenset):
            return self._metered(self.ordered(value))
        if type(value) not in _ITERABLE:
            raise TypeError(f"a {type(value).__name__} cannot be iterated over")
        return self._metered(value)

    def _metered(self, value: Any) -> Iterator[Any]:
        for item in value:
            self.pay()
            yield item

    def ordered(self, value: set[Any] | frozenset[Any]) -> list[Any]:
        """Return the elements of a set: numbers, texts, bytes, then the rest, each in ascending order."""
        self.weigh(value)
        self.pay(len(value) * max(1, len(value).bit_length()))
        return sorted(value, key=_place)

    def copy(self, value: Any, depth: int = 0) -> Any:
        """Return a recorded value as exact built-in types.

        Raises:
            PredicateError: it is too large, too deep, or of another type.
        """
        kind = type(value)
        self._copied -= 1 + (len(value) // 16 if kind in (str, bytes) else 0)
        if self._copied < 0 or depth > _MAX_DEPTH:
            raise fail("a recorded value is too large for a predicate")
        if kind is int and value.bit_length() > MAX_BITS:
            raise fail("a recorded integer is too large for a predicate")
        if kind is Opaque:
            return Unrecorded()
        if kind in _FLAT or kind in (str, bytes):
            return value
        if kind in (list, tuple):
            return kind(self.copy(item, depth + 1) for item in value)
        if kind in (set, frozenset):
            return kind(self._copy_key(item, depth) for item in value)
        if kind is dict:
            return {self._copy_key(k, depth): self.copy(v, depth + 1) for k, v in value.items()}
        raise fail(f"a recorded value of type {kind.__name__} cannot be used in a predicate")

    def _copy_key(self, value: Any, depth: int) -> Any:
        return self.key(self.copy(value, depth + 1))


def size(value: Any) -> int:
    """Return what a value costs to touch once, its parts not counted."""
    if isinstance(value, str | bytes | list | tuple | dict | set | frozenset):
        return len(value)
    return value.bit_length() // 64 if type(value) is int else 1


def _place(value: Any) -> tuple[Any, ...]:
    kind = type(value)
    if kind in (bool, int, float):
        return (0, value) if value == value else (1,)
    if kind is str:
        return (2, value)
    if kind is bytes:
        return (3, value)
    if kind is tuple:
        return (4, tuple(_place(item) for item in value))
    if kind is frozenset:
        return (5, tuple(sorted(_place(item) for item in value)))
    return (6, str(value))
