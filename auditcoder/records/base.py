"""The base of all records, and their content hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

FORMAT_VERSION = "1.2"


class Record(BaseModel):
    """A frozen record that refuses unknown fields. Content identity is `content_hash()`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings")

    def content_hash(self) -> str:
        """Return the SHA-256 hex digest of the record's canonical JSON."""
        return sha256_json(self.model_dump(mode="json"))


class GrownRecord(Record):
    """A record that gained fields after format 1.0, named in `later`.

    Such a field is left out of the record's bytes while it has its default. So a record of an earlier minor version
    is written, hashed and compared as it always was, and nothing that refers to it by hash breaks.
    """

    later: ClassVar[frozenset[str]]

    @model_serializer(mode="wrap")
    def _without_unused_later_fields(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in self.later:
            if getattr(self, name) == type(self).model_fields[name].default:
                data.pop(name, None)
        return data


def canonical_json(value: Any) -> bytes:
    """Return the one byte form that is hashed: sorted keys, no blanks, ASCII, finite numbers only.

    Raises:
        ValueError: a NaN or infinite float is inside (records carry those tagged, see `values`).
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def sha256_json(value: Any) -> str:
    """Return the SHA-256 hex digest of `canonical_json(value)`."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def sha256_text(text: str) -> str:
    """Return the SHA-256 hex digest of a text in UTF-8 (lone surrogates are kept apart, not refused)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
