"""Values as tagged JSON (the form of `auditcoder/records/values.py`), written and read inside the child.

Trusts nothing of the values: exact type tests, base-class methods on subclasses, no repr and no pickle of foreign
objects, budgets for nodes, depth and text. Names that the program could replace are bound before it runs.
"""

from __future__ import annotations

import builtins
import json
import math
import sys
from typing import Any

# A private copy: functions defined below keep these built-ins whatever a program does to the public ones.
globals()["__builtins__"] = dict(vars(builtins))

SAFE_INT = 2**53
NODES = 2_000_000
DEPTH = 150
"""In JSON levels. The record library refuses text nested deeper than 199 levels; envelopes need some of them."""

_isfinite = math.isfinite
_modules = sys.modules
_type_name = type.__dict__["__name__"].__get__
_type_module = type.__dict__["__module__"].__get__
_scan_json = json.JSONDecoder().decode
_encode_text = json.encoder.encode_basestring_ascii
_c_encoder: Any = json.encoder.c_make_encoder  # type: ignore[attr-defined]
_chunks = _c_encoder(None, None, _encode_text, None, ":", ",", False, False, False)
_BASES: tuple[tuple[type, Any], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (str, str.__str__),
    (list, lambda x: list.__getitem__(x, slice(None))),
    (tuple, lambda x: tuple.__getitem__(x, slice(None))),
    (dict, lambda x: dict(dict.items(x))),
    (set, lambda x: set(set.__iter__(x))),
    (frozenset, lambda x: frozenset(frozenset.__iter__(x))),
    (bytes, lambda x: bytes.__getitem__(x, slice(None))),
    (bytearray, lambda x: bytes(bytearray.__getitem__(x, slice(None)))),
)


class TooBigError(Exception):
    """The value has more nodes or text than the budget."""


def dump(record: Any) -> bytes:
    """Return one JSON line of a value made of plain types."""
    return "".join(_chunks(record, 0)).encode("ascii") + b"\n"


def load(text: str) -> Any:
    """Return the plain value of JSON text."""
    return _scan_json(text)


def type_name(kind: type) -> str:
    """Return the name of a type, whatever its metaclass says, cut."""
    name = _type_name(kind)
    return clean(name[:100]) if type(name) is str else "?"


def clean(text: str) -> str:
    """Return the text without lone surrogates: records are UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8", "replace")


def encode(value: Any, *, nodes: int = NODES, size: int = 1 << 23, depth: int = DEPTH) -> Any:
    """Return the tagged form of any value.

    Raises:
        TooBigError: it has more nodes than `nodes` or more characters than `size`.
    """
    return _Encoder(nodes, size).plain(value, depth)


class _Encoder:
    def __init__(self, nodes: int, size: int) -> None:
        self._nodes = nodes
        self._size = size

    def plain(self, value: Any, depth: int) -> Any:
        self._nodes -= 1
        if self._nodes < 0:
            raise TooBigError
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -SAFE_INT < value < SAFE_INT else {"t": "int", "v": self._hex(value)}
        if kind is str:
            return self._text(value)
        if kind is float:
            return value if _isfinite(value) else {"t": "float", "v": str(value)}
        return self._container(value, kind, depth)

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if depth <= 0:
            return {"t": "cut", "v": "depth"}
        if kind is list:
            return [self.plain(item, depth - 1) for item in value]
        if kind is tuple:
            return {"t": "tuple", "v": [self.plain(item, depth - 2) for item in value]}
        if kind is dict:
            return {"t": "dict", "v": [[self.plain(k, depth - 3), self.plain(v, depth - 3)] for k, v in value.items()]}
        if kind is set or kind is frozenset:
            items = [self.plain(item, depth - 2) for item in value]
            return {"t": "set" if kind is set else "frozenset", "v": sorted(items, key=repr)}
        if kind is bytes:
            self._spend(2 * len(value))
            return {"t": "bytes", "v": value.hex()}
        return self._foreign(value, kind, depth)

    def _foreign(self, value: Any, kind: type, depth: int) -> Any:
        for base, payload in _BASES:
            if issubclass(kind, base):
                return {"t": "sub", "n": type_name(kind), "v": self.plain(payload(value), depth - 1)}
        numpy = _modules.get("numpy")
        if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic)):
            return self.plain(kind.tolist(value), depth - 1)  # type: ignore[attr-defined]
        module = _type_module(kind)
        return {"t": "opaque", "v": f"{clean(module[:100])}.{type_name(kind)}" if type(module) is str else "?"}

    def _text(self, value: str) -> Any:
        self._spend(len(value))
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return {"t": "opaque", "v": "str with lone surrogates"}
        return value

    def _hex(self, value: int) -> str:
        self._spend(value.bit_length() // 4)
        return hex(value)

    def _spend(self, size: int) -> None:
        self._size -= size
        if self._size < 0:
            raise TooBigError


def decode(value: Any) -> Any:
    """Return the Python value of a tagged one that the supervisor wrote."""
    if type(value) is list:
        return [decode(item) for item in value]
    if type(value) is not dict:
        return value
    tag, body = value["t"], value["v"]
    if tag == "tuple":
        return tuple([decode(item) for item in body])
    if tag == "dict":
        return {decode(k): decode(v) for k, v in body}
    return _decode_scalar(tag, body)


def _decode_scalar(tag: str, body: Any) -> Any:
    if tag == "set":
        return {decode(item) for item in body}
    if tag == "frozenset":
        return frozenset([decode(item) for item in body])
    if tag == "int":
        return int(body, 16)
    if tag == "float":
        return float(body)
    if tag == "bytes":
        return bytes.fromhex(body)
    return decode(body)
