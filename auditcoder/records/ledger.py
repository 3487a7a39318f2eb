"""One line of a ledger, as stored (docs/record-format.md)."""

from __future__ import annotations

from pydantic import Field

from auditcoder.records.base import Record
from auditcoder.records.events import Event

HEX64 = r"^[0-9a-f]{64}$"
UTC_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"


class LedgerLine(Record):
    """An event with its place in the hash chain."""

    seq: int = Field(ge=0)
    """0, 1, ... without a gap."""
    at: str = Field(pattern=UTC_TIME)
    """UTC time at which the line was written; information only, no decision reads it."""
    prev: str = Field(pattern=HEX64)
    """SHA-256 of the bytes of the line before, without its newline; 64 zeros for the first."""
    hash: str = Field(pattern=HEX64)
    """SHA-256 over the canonical bytes of `seq`, `at`, `prev` and `event`."""
    event: Event
