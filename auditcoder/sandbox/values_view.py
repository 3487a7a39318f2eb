"""One level of an encoded value at a time, and its short text: both safe on hostile data."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.records.values import Value

MAX_DEPTH = 200
SEQUENCES = ("list", "tuple")
SETS = ("set", "frozenset")
_SHOWN = 80


class Plain(NamedTuple):
    """An encoded value, one level unwrapped: `body` is a scalar, or a list of encoded values or of pairs."""

    kind: str
    body: object


_OPAQUE = Plain("opaque", None)


def unwrap(value: Value) -> Plain:
    """Return one level of an encoded value; every malformed or unknown form is opaque."""
    for _ in range(MAX_DEPTH):
        if not (isinstance(value, dict) and value.get("t") == "sub"):
            break
        value = value.get("v")
    if value is None:
        return Plain("none", None)
    if isinstance(value, bool):
        return Plain("bool", value)
    if isinstance(value, int | float):
        return Plain("number", value)
    if isinstance(value, str):
        return Plain("str", value)
    if isinstance(value, list):
        return Plain("list", value)
    return _unwrap_tagged(value.get("t"), value.get("v")) if isinstance(value, dict) else _OPAQUE


def _unwrap_tagged(tag: Value, body: Value) -> Plain:
    if tag in ("tuple", *SETS) and isinstance(body, list):
        return Plain(str(tag), body)
    if tag == "dict" and isinstance(body, list) and all(isinstance(p, list) and len(p) == 2 for p in body):
        return Plain("dict", body)
    if not isinstance(body, str):
        return _OPAQUE
    try:
        if tag == "int":
            return Plain("number", int(body, 16))
        if tag == "float":
            return Plain("number", float(body))
        if tag == "bytes":
            return Plain("bytes", bytes.fromhex(body))
    except ValueError:
        return _OPAQUE
    return _OPAQUE


def pair_of(pair: Value) -> tuple[Value, Value]:
    """Return key and value of one item of an unwrapped dict."""
    return (pair[0], pair[1]) if isinstance(pair, list) else (None, None)


def show(value: Value) -> str:
    """Return a short, printable, Python-like text of an encoded value; never raises, never walks far."""
    text = _show(value, 0)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _show(value: Value, depth: int) -> str:
    plain = unwrap(value)
    if plain.kind == "opaque":
        name = value.get("v") if isinstance(value, dict) else None
        return f"<{repr(name[:40])[1:-1] if isinstance(name, str) else 'object'}>"
    if not isinstance(plain.body, list):
        return _show_scalar(plain.body)
    if depth >= 4:
        return "…"
    if plain.kind == "dict":
        inner = ", ".join(
            f"{_show(pair_of(p)[0], depth + 1)}: {_show(pair_of(p)[1], depth + 1)}" for p in plain.body[:12]
        )
    else:
        inner = ", ".join(_show(item, depth + 1) for item in plain.body[:12])
    inner += ", …" if len(plain.body) > 12 else ""
    if plain.kind == "tuple":
        return f"({inner},)" if len(plain.body) == 1 else f"({inner})"
    if plain.kind in SETS and not plain.body:
        return "set()"
    return f"[{inner}]" if plain.kind == "list" else f"{{{inner}}}"


def _show_scalar(body: object) -> str:
    if isinstance(body, int) and body.bit_length() > 256:
        return f"<an integer of {body.bit_length()} bits>"
    if isinstance(body, str | bytes) and len(body) > _SHOWN:
        return f"{body[:_SHOWN]!r}…"
    return repr(body)
