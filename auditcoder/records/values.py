"""Python values as plain JSON, and back.

None, bool, str, int below 2**53, finite float and list stand for themselves. Everything else is an object with
the single-letter tag `t`: tuple, set, frozenset, dict (pairs), bytes (hex), int (hex), float (nan, inf, -inf),
sub (a subclass of a built-in: name and payload), opaque (module and class name only), cut (size limit reached).
The sandbox child writes this form, the supervisor reads it; it never holds code.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic import JsonValue

from auditcoder.errors import RecordError

Value = JsonValue
"""An encoded Python value."""

_SAFE_INT = 2**53
_CONTAINERS: dict[str, type[Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}


class Opaque:
    """Stands for a value whose content was not carried over; equal to nothing, not even itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def encode(value: Any) -> Value:
    """Return the JSON form of a Python value made of built-in types.

    Raises:
        RecordError: another type is inside.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return value if abs(value) < _SAFE_INT else {"t": "int", "v": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"t": "float", "v": str(value)}
    if kind is list:
        return [encode(item) for item in value]
    if kind is tuple:
        return {"t": "tuple", "v": [encode(item) for item in value]}
    if kind in (set, frozenset):
        return {"t": kind.__name__, "v": sorted((encode(item) for item in value), key=repr)}
    if kind is dict:
        return {"t": "dict", "v": [[encode(k), encode(v)] for k, v in value.items()]}
    if kind is bytes:
        return {"t": "bytes", "v": value.hex()}
    raise RecordError(f"a value of type {kind.__name__} cannot be recorded", hint="Use built-in types in checks.")


def decode(value: Value) -> Any:
    """Return the Python value of an encoded one; what was opaque or cut comes back as `Opaque`.

    Raises:
        RecordError: the form is not one that `encode` or the sandbox child writes.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag, body = value.get("t"), value.get("v")
    try:
        if tag in _CONTAINERS:
            return _CONTAINERS[tag](decode(item) for item in body)  # type: ignore[union-attr]
        if tag == "dict":
            return {decode(k): decode(v) for k, v in body}  # type: ignore[union-attr,misc,str-unpack]
        if tag == "int":
            return int(body, 16)  # type: ignore[arg-type]
        if tag == "float":
            return float(body)  # type: ignore[arg-type]
        if tag == "bytes":
            return bytes.fromhex(body)  # type: ignore[arg-type]
        if tag == "sub":
            return decode(body)
        if tag in ("opaque", "cut"):
            return Opaque(str(body))
    except (TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"malformed recorded value with tag {tag!r}: {error}") from error
    raise RecordError(f"unknown tag {tag!r} in a recorded value")


def render(value: Value, limit: int = 400) -> str:
    """Return a Python-like text of an encoded value for people and prompts, cut at `limit` characters."""
    text = repr(decode(value))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
