"""Two values that differ, as two short texts that show where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from pydantic import BaseModel

SHOWN = 160
"""Characters of a shown value."""
_MISSING = "(missing)"
_GAP = "..."


class Shown(NamedTuple):
    """Where two values differ first, and what is there."""

    path: str
    recorded: str
    recomputed: str
    more: int
    """Further places that differ."""


def plain(value: Any) -> Any:
    """Return a value as plain JSON: records as their fields, tuples as lists."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are the same as they are written: True is not 1, and 1 is not 1.0."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseModel):
        return bool(one.model_dump_json() == other.model_dump_json())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return bool(one == other)


def first_difference(recorded: Any, recomputed: Any) -> Shown | None:
    """Return the first place at which two values differ as JSON, or None when they do not."""
    places = list(_places(plain(recorded), plain(recomputed), ""))
    if not places:
        return None
    path, one, other = places[0]
    return Shown(path, *apart(_text(one), _text(other), SHOWN), len(places) - 1)


def shown(value: Any) -> str:
    """Return a value as one short line."""
    return _cut(_text(value), SHOWN)


def apart(one: str, other: str, limit: int) -> tuple[str, str]:
    """Return two texts that differ, cut to a limit such that where they differ first is seen."""
    if max(len(one), len(other)) <= limit:
        return one, other
    shorter = min(len(one), len(other))
    same, head = next((place for place in range(shorter) if one[place] != other[place]), shorter), limit // 4
    start = same - head
    if start <= head + len(_GAP):
        return _cut(one, limit), _cut(other, limit)
    left, right = (text[:head] + _GAP + _cut(text[start:], limit - head - len(_GAP)) for text in (one, other))
    return left, right


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - len(_GAP)]}{_GAP}"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isprintable() and value else json.dumps(value)
    return _spoken(plain(value))


def _spoken(value: Any) -> str:
    """Return plain JSON for people: names of fields stand without quotation marks."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_spoken(value[name])}' for name in sorted(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(_spoken(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=True, default=str, sort_keys=True)


def _places(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from _places(one.get(name, _MISSING), other.get(name, _MISSING), f"{path}.{name}" if path else name)
    elif isinstance(one, list) and isinstance(other, list) and one and other:
        for index, (left, right) in enumerate(zip_longest(one, other, fillvalue=_MISSING)):
            yield from _places(left, right, f"{path}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield path, one, other
