"""The base of all records, and their content hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

FORMAT_VERSION = "1.0"


class Record(BaseModel):
    """A frozen record that refuses unknown fields. Content identity is `content_hash()`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="strings")

    def content_hash(self) -> str:
        """Return the SHA-256 hex digest of the record's canonical JSON."""
        return sha256_json(self.model_dump(mode="json"))


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
