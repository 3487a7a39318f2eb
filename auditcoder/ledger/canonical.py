"""The one writer of ledger bytes: an event, its place in the chain, and the two hashes over stored bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from auditcoder.errors import RecordError
from auditcoder.records.base import canonical_json, sha256_json
from auditcoder.records.events import EVENT, Event
from auditcoder.records.ledger import LedgerLine

GENESIS = "0" * 64
"""`prev` of the first line."""
Clock = Callable[[], datetime]


class Entry(NamedTuple):
    """One verified line: what it says, and its bytes as stored, without the newline."""

    line: LedgerLine
    raw: bytes

    @property
    def event(self) -> Event:
        """Return the event of the line."""
        return self.line.event

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the stored bytes: the `prev` of the next line."""
        return digest_line(self.raw)


def system_clock() -> datetime:
    """Return the present time in UTC; every journal takes its clock as an argument."""
    return datetime.now(UTC)


def digest_line(raw: bytes) -> str:
    """Return the SHA-256 hex digest of the bytes of a line, without its newline."""
    return hashlib.sha256(raw).hexdigest()


def seal(*, seq: int, at: datetime, prev: str, event: Event) -> Entry:
    """Return the line of an event. The event is read back from the bytes, so a replayed run sees the same object.

    Raises:
        RecordError: the event cannot be written, or would not read back as what it is.
    """
    try:
        payload = event_payload(event)
        body: dict[str, Any] = {"seq": seq, "at": format_time(at), "prev": prev, "event": payload}
        digest = hash_body(body)
        raw = canonical_json({**body, "hash": digest})
        back = EVENT.validate_python(json.loads(raw)["event"])
        faithful = canonical_json(event_payload(back)) == canonical_json(payload)
    except (ValueError, RecursionError) as error:
        raise _unwritable(seq, event, str(error).partition("\n")[0]) from error
    if not faithful:
        raise _unwritable(seq, event, "it does not read back as what was written")
    line = LedgerLine(seq=seq, at=body["at"], prev=prev, hash=digest, event=back)
    return Entry(line, raw)


def hash_body(body: dict[str, Any]) -> str:
    """Return the `hash` of a line: SHA-256 over the canonical bytes of its `seq`, `at`, `prev` and `event`."""
    return sha256_json({name: body[name] for name in ("seq", "at", "prev", "event")})


def event_payload(event: Event) -> dict[str, Any]:
    """Return an event as plain JSON values, every field written out; a value of a wrong type is a `ValueError`."""
    return event.model_dump(mode="json", warnings="error")


def same_event(one: Event, other: Event) -> bool:
    """Return whether two events have the same canonical bytes."""
    return canonical_json(event_payload(one)) == canonical_json(event_payload(other))


def format_time(at: datetime) -> str:
    """Return a time as UTC with microseconds and a `Z`; a time without a zone is taken as UTC."""
    utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return utc.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _unwritable(seq: int, event: Event, reason: str) -> RecordError:
    return RecordError(
        f"event {seq} ({event.kind}) cannot be written to the ledger: {reason}",
        hint="Values in events must be plain JSON as auditcoder.records.values writes it: finite, not too deep.",
        seq=seq,
    )
