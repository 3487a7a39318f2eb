"""The child's side of the record channel: one JSON line per record on a private descriptor."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable
from typing import Any

from auditcoder.sandbox.worker import serialize

globals()["__builtins__"] = dict(vars(builtins))

RECORDS = 3
"""Descriptor of the channel in a child."""
_write = os.write
_dump = serialize.dump


class Channel:
    """Writes records. A program can reach it and forge them; what they are worth is decided outside."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def send(self, record: dict[str, Any]) -> None:
        """Write one record of bounded size."""
        self._all(_dump(record))

    def send_value(self, record: dict[str, Any], produce: Callable[[int], Any]) -> None:
        """Write a record with an encoded value, made within the size limit; where it is larger, say that instead."""
        try:
            line = _dump({**record, "v": produce(self._limit)})
        except serialize.TooBigError:
            line = b""
        if not line or len(line) > self._limit:
            line = _dump({**record, "big": True})
        self._all(line)

    def _all(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[_write(RECORDS, view) :]
