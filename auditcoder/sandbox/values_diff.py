"""Compare encoded values (`records.values`) by our own recursion, never by the child's `__eq__`.

Invariants: nothing here raises on hostile data; work is bounded by the size of the expected value (lengths are
compared before contents, and before anything of the observed value is hashed); equality is decided on the
encoded form, so no object of the child is ever built.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.records.values import Value
from auditcoder.sandbox.values_view import MAX_DEPTH, SEQUENCES, SETS, Plain, pair_of, show, unwrap

MAX_MATCHED = 400
_TYPE_NAMES = {
    "none": "None", "bool": "a bool", "number": "a number", "str": "a string", "list": "a list", "tuple": "a tuple",
    "set": "a set", "frozenset": "a set", "dict": "a dict", "bytes": "bytes", "opaque": "an object",
}  # fmt: skip


class Tolerance(NamedTuple):
    """How scalars are compared."""

    rel: float = 1e-9
    abs: float = 1e-9
    bool_is_int: bool = False
    case_blind: bool = False


def difference(expected: Value, observed: Value, tolerance: Tolerance, path: str = "result") -> str:
    """Return the first difference as a short text, or '' when the values are equal (sandbox notes, "Comparing")."""
    try:
        return _difference(expected, observed, tolerance, path, 0)
    except RecursionError:
        return f"{path}: the value is nested too deeply to compare"


def _difference(expected: Value, observed: Value, tolerance: Tolerance, path: str, depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"{path}: the value is nested too deeply to compare"
    want, got = unwrap(expected), unwrap(observed)
    if want.kind == "opaque" or got.kind == "opaque":
        return f"{path}: expected {show(expected)}, got {show(observed)}, whose content cannot be compared"
    if isinstance(want.body, list) and isinstance(got.body, list) and _same_family(want.kind, got.kind):
        if len(want.body) != len(got.body):
            return f"{path}: expected {_sized(want, expected)}, got {_sized(got, observed)}"
        if want.kind in SEQUENCES:
            return _sequence_difference(want.body, got.body, tolerance, path, depth)
        if want.kind == "dict":
            return _dict_difference(want.body, got.body, tolerance, path, depth)
        return _set_difference(want.body, got.body, tolerance, path, depth)
    if _scalars_equal(want, got, tolerance):
        return ""
    return f"{path}: expected {_typed(want, got, expected)}, got {_typed(got, want, observed)}"


def _sequence_difference(want: list[Value], got: list[Value], tolerance: Tolerance, path: str, depth: int) -> str:
    for index, (one, other) in enumerate(zip(want, got, strict=True)):
        found = _difference(one, other, tolerance, f"{path}[{index}]", depth + 1)
        if found:
            return found
    return ""


def _dict_difference(want: list[Value], got: list[Value], tolerance: Tolerance, path: str, depth: int) -> str:
    exact = tolerance._replace(case_blind=False)
    there = {_key(pair_of(pair)[0], exact, depth): pair_of(pair)[1] for pair in got}
    for pair in want:
        key, value = pair_of(pair)
        found = _key(key, exact, depth)
        if found not in there:
            return f"{path}: expected the key {show(key)}, which is missing"
        inner = _difference(value, there[found], tolerance, f"{path}[{show(key)}]", depth + 1)
        if inner:
            return inner
    # Keys of the expected dict are distinct and as many as the observed pairs, so nothing is left over.
    return "" if len(there) == len(want) else f"{path}: keys are repeated"


def _set_difference(want: list[Value], got: list[Value], tolerance: Tolerance, path: str, depth: int) -> str:
    """Match elements one to one: numbers in sorted order (optimal on a line), the rest exactly, then by search."""
    numbers, others = _split_numbers(want, tolerance)
    seen_numbers, seen_others = _split_numbers(got, tolerance)
    if len(numbers) == len(seen_numbers):
        for one, other in zip(numbers, seen_numbers, strict=True):
            if not numbers_equal(one, other, tolerance):
                return f"{path}: expected the element {show(one)}, got {show(other)}"
    else:
        return f"{path}: expected {len(numbers)} numbers among the elements, got {len(seen_numbers)}"
    left, right = _without_exact(others, seen_others, tolerance, depth)
    if len(left) > MAX_MATCHED:
        return f"{path}: more than {MAX_MATCHED} elements of the set differ"
    alone = _unmatched(left, right, tolerance, depth)
    return "" if alone is None else f"{path}: expected the element {show(left[alone])}, which is missing"


def _split_numbers(values: Sequence[Value], tolerance: Tolerance) -> tuple[list[int | float], list[Value]]:
    numbers: list[int | float] = []
    others: list[Value] = []
    for value in values:
        number = _as_number(unwrap(value), tolerance)
        if number is None or number != number:
            others.append(value)
        else:
            numbers.append(number)
    return sorted(numbers), others


def _without_exact(
    want: list[Value], got: list[Value], tolerance: Tolerance, depth: int
) -> tuple[list[Value], list[Value]]:
    there: dict[object, list[Value]] = {}
    for value in got:
        there.setdefault(_key(value, tolerance, depth), []).append(value)
    left: list[Value] = []
    for value in want:
        same = there.get(_key(value, tolerance, depth))
        if same:
            same.pop()
        else:
            left.append(value)
    return left, [value for rest in there.values() for value in rest]


def _unmatched(want: list[Value], got: list[Value], tolerance: Tolerance, depth: int) -> int | None:
    """Return the index of an expected element that no complete matching can serve, or None (augmenting paths)."""
    if len(want) != len(got):
        return 0 if want else None
    near = [[j for j, b in enumerate(got) if not _difference(a, b, tolerance, "", depth + 1)] for a in want]
    taken: dict[int, int] = {}
    for start in range(len(want)):
        if not _augment(start, near, taken):
            return start
    return None


def _augment(start: int, near: list[list[int]], taken: dict[int, int]) -> bool:
    """Extend the matching by one (breadth first, so that no recursion grows with the set)."""
    reached: dict[int, int] = {}
    queue = [start]
    for node in queue:
        for target in near[node]:
            if target in reached:
                continue
            reached[target] = node
            if target in taken:
                queue.append(taken[target])
                continue
            end: int | None = target
            while end is not None:
                owner = reached[end]
                before = next((t for t, o in taken.items() if o == owner), None)
                taken[end] = owner
                end = before if owner != start else None
            return True
    return False


def _same_family(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in (SEQUENCES, SETS))


def _as_number(plain: Plain, tolerance: Tolerance) -> int | float | None:
    body = plain.body
    if isinstance(body, bool):
        return int(body) if tolerance.bool_is_int else None
    return body if isinstance(body, int | float) else None


def _scalars_equal(want: Plain, got: Plain, tolerance: Tolerance) -> bool:
    one, other = _as_number(want, tolerance), _as_number(got, tolerance)
    if one is not None and other is not None:
        return numbers_equal(one, other, tolerance)
    if want.kind != got.kind:
        return False
    if isinstance(want.body, str) and isinstance(got.body, str) and tolerance.case_blind:
        return want.body.casefold() == got.body.casefold()
    return want.body == got.body


def numbers_equal(want: int | float, got: int | float, tolerance: Tolerance) -> bool:
    """Return whether two numbers agree: exactly when an int is expected, else within a tolerance; NaN equals NaN."""
    if want != want or got != got:
        return want != want and got != got
    if want == got:
        return True
    if isinstance(want, int):
        return False
    try:
        return math.isclose(want, got, rel_tol=tolerance.rel, abs_tol=tolerance.abs)
    except OverflowError:
        return False


def _key(value: Value, tolerance: Tolerance, depth: int) -> object:
    """Return a hashable stand-in: equal keys mean exactly equal values; opaque ones equal nothing."""
    plain = unwrap(value)
    if depth > MAX_DEPTH or plain.kind == "opaque":
        return object()
    number = _as_number(plain, tolerance)
    if number is not None:
        return ("number", "nan") if number != number else ("number", number)
    if not isinstance(plain.body, list):
        blind = isinstance(plain.body, str) and tolerance.case_blind
        return plain.kind, str(plain.body).casefold() if blind else plain.body
    if plain.kind == "dict":
        inner = [
            (_key(pair_of(p)[0], tolerance, depth + 1), _key(pair_of(p)[1], tolerance, depth + 1)) for p in plain.body
        ]
        return "dict", tuple(sorted(inner, key=repr))
    parts = [_key(item, tolerance, depth + 1) for item in plain.body]
    return ("set", tuple(sorted(parts, key=repr))) if plain.kind in SETS else ("list", tuple(parts))


def _sized(plain: Plain, value: Value) -> str:
    count = len(plain.body) if isinstance(plain.body, list) else 0
    return f"{_TYPE_NAMES[plain.kind]} of {count} items ({show(value)})"


def _typed(plain: Plain, other: Plain, value: Value) -> str:
    """Return the value, with its type where that is the difference."""
    if plain.kind == other.kind or plain.kind == "none":
        return show(value)
    return f"{_TYPE_NAMES[plain.kind]} ({show(value)})"
