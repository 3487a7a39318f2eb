"""Two values that differ, as two short texts that show where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

SHOWN = 160
"""Characters of a shown value."""
_MISSING = "(missing)"


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


def first_difference(recorded: Any, recomputed: Any) -> Shown | None:
    """Return the first place at which two values differ as JSON, or None when they do not."""
    places = list(_places(plain(recorded), plain(recomputed), ""))
    if not places:
        return None
    path, one, other = places[0]
    return Shown(path, shown(one), shown(other), len(places) - 1)


def shown(value: Any) -> str:
    """Return a value as one short line."""
    if isinstance(value, str):
        text = value if value.isprintable() and value else json.dumps(value)
    else:
        text = json.dumps(plain(value), ensure_ascii=True, default=str, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _places(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from _places(one.get(name, _MISSING), other.get(name, _MISSING), f"{path}.{name}" if path else name)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _places(left, right, f"{path}[{index}]")
    elif type(one) is not type(other) or one != other:
        yield path, one, other
