"""Reading a ledger: bytes in, a verified chain of events or an error out. `parse_ledger` does no I/O."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from auditcoder.errors import (
    LedgerCorruptError,
    LedgerError,
    LedgerUnreadableError,
    RecordError,
    UnsupportedFormatError,
)
from auditcoder.ledger.canonical import GENESIS, Entry, hash_body
from auditcoder.ledger.files import read_regular
from auditcoder.paths import short
from auditcoder.records.base import FORMAT_VERSION, canonical_json
from auditcoder.records.events import Event
from auditcoder.records.ledger import LedgerLine

LEDGER_NAME = "ledger.jsonl"
_LINE_START = b'{"at":"'


@dataclass(frozen=True)
class Ledger:
    """A verified ledger. `tail` holds the bytes of a torn last line: they are no part of the chain."""

    entries: tuple[Entry, ...] = ()
    tail: bytes = b""

    @property
    def torn(self) -> bool:
        """Return whether the last line was cut off while it was being written."""
        return bool(self.tail)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the events, oldest first."""
        return tuple(entry.event for entry in self.entries)

    @property
    def data(self) -> bytes:
        """Return the bytes of the chain, without the torn tail."""
        return b"".join(entry.raw + b"\n" for entry in self.entries)

    @property
    def digest(self) -> str:
        """Return the `prev` of the line to come."""
        return self.entries[-1].digest if self.entries else GENESIS

    @property
    def head(self) -> str:
        """Return the `hash` of the last event; empty when there is none."""
        return self.entries[-1].line.hash if self.entries else ""


def read_ledger(path: Path) -> Ledger:
    """Return the verified ledger of a run folder, or of a ledger file.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
        LedgerCorruptError: the chain is broken; its `seq` says where.
        RecordError: the ledger has another major format version.
    """
    return parse_ledger(ledger_bytes(path))


def ledger_bytes(path: Path) -> bytes:
    """Return the bytes of the ledger of a run folder, or of a ledger file.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    file = path / LEDGER_NAME if path.is_dir() else path
    try:
        return read_regular(file)
    except OSError as error:
        raise LedgerError(
            f"no ledger can be read at {file}: {error.strerror}",
            hint=f"A run folder holds a file {LEDGER_NAME}; check the path.",
        ) from error


def parse_ledger(data: bytes) -> Ledger:
    """Return the verified ledger in these bytes (core.md section 7).

    Checked for each line, in this order: (1) it is JSON with the five fields, (2) its bytes are the canonical ones,
    (3) `seq` continues, (4) `prev` is the digest of the line before, (5) `hash` fits, (6) the format's major version
    is ours, (7) the event has a known schema. Together with (8), the rule for a tail without newline, any changed
    byte is found: bytes 1 to n-1 are covered by `prev`, those of the last line by `hash` and (2).

    Raises:
        LedgerCorruptError: one of the checks failed.
        RecordError: check 6 failed.
    """
    chain = parse_chain(data)
    if chain.broken is not None:
        raise chain.broken
    return chain.ledger


class Chain(NamedTuple):
    """As much of a ledger as holds, and what broke it; `broken` is None for a whole one."""

    ledger: Ledger
    broken: LedgerCorruptError | RecordError | None


def parse_chain(data: bytes, known: Ledger | None = None) -> Chain:
    """Return the events before the first check of `parse_ledger` that fails, and that failure. Never raises.

    Args:
        data: The bytes of a ledger.
        known: A verified ledger; lines at the beginning that are byte for byte its lines are not verified again.
    """
    *lines, tail = data.split(b"\n")
    entries = _known_beginning(lines, known)
    prev = entries[-1].digest if entries else GENESIS
    try:
        for seq, raw in enumerate(lines[len(entries) :], start=len(entries)):
            entry = _verified(raw, seq, prev)
            prev = entry.digest
            entries.append(entry)
        _check_tail(tail, len(lines), prev)  # (8)
    except (LedgerCorruptError, RecordError) as error:
        return Chain(Ledger(tuple(entries)), error)
    return Chain(Ledger(tuple(entries), tail), None)


def readable_chain(path: Path) -> Chain:
    """Return as much of the ledger of a run folder, or of a ledger file, as holds. Damage is no error here.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
        LedgerUnreadableError: the file is no ledger at all.
        UnsupportedFormatError: the ledger has another major format version.
    """
    data = ledger_bytes(path)
    chain = parse_chain(data)
    if isinstance(chain.broken, UnsupportedFormatError):
        raise chain.broken
    if not chain.ledger.entries:
        _check_foreign(data, path / LEDGER_NAME if path.is_dir() else path)
    return chain


def _check_foreign(data: bytes, file: Path) -> None:
    """Tell damage from what never was a ledger: no line of it begins as ours do."""
    if not data.strip(b"\x00\n"):
        raise LedgerUnreadableError(
            f"{short(file)} is empty",
            hint="The run was stopped before its first event, or the file was emptied: restore it from a copy, or "
            "solve the task again.",
            file=str(file),
        )
    if not (_LINE_START.startswith(data) or any(line.startswith(_LINE_START) for line in data.split(b"\n"))):
        raise LedgerUnreadableError(
            f"{short(file)} is no ledger: none of its lines begins as those of a ledger do",
            hint="Check the path, or restore the file from a copy.",
            file=str(file),
        )


def _known_beginning(lines: list[bytes], known: Ledger | None) -> list[Entry]:
    same: list[Entry] = []
    for raw, entry in zip(lines, known.entries if known else (), strict=False):
        if raw != entry.raw:
            break
        same.append(entry)
    return same


def _verified(raw: bytes, seq: int, prev: str) -> Entry:
    body = _plain(raw, seq)  # (1) and (2)
    if type(body["seq"]) is not int or body["seq"] != seq:  # (3)
        raise _corrupt(seq, f"it carries number {body['seq']!r}: a line was dropped, repeated or moved")
    if body["prev"] != prev:  # (4)
        raise _corrupt(seq, "it does not follow the line before it")
    if body["hash"] != hash_body(body):  # (5)
        raise _corrupt(seq, "its content does not fit its hash")
    if seq == 0 and isinstance(body["event"], dict) and body["event"].get("kind") == "run.started":
        check_format(str(body["event"].get("format")))  # (6)
    try:
        return Entry(LedgerLine.model_validate(body), raw)  # (7)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _corrupt(seq, f"its event is malformed at {where}: {first['msg']}") from error


def _plain(raw: bytes, seq: int) -> dict[str, Any]:
    try:
        body = json.loads(raw.decode("ascii"))
        canonical = canonical_json(body)
    except (ValueError, RecursionError) as error:
        raise _corrupt(seq, "it is not JSON as the ledger writes it") from error
    if not isinstance(body, dict):
        raise _corrupt(seq, "it is no JSON object")
    if body.keys() != LedgerLine.model_fields.keys():
        raise _corrupt(seq, _other_fields(body))
    if canonical != raw:
        raise _corrupt(seq, "its bytes are not the canonical ones")
    return body


def _other_fields(body: dict[str, Any]) -> str:
    """Return which fields of a ledger line are missing, and which it does not have; names of strangers are cut."""
    ours = LedgerLine.model_fields.keys()
    missing = [f"`{name}`" for name in sorted(ours - body.keys())]
    unknown = [f"`{name[:40]}`" for name in sorted(body.keys() - ours)]
    told = [f"it lacks {', '.join(missing)}"] if missing else []
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        told.append(f"a ledger line has no field {', '.join(unknown[:3])}{more}")
    return "; ".join(told)


def check_format(found: str) -> None:
    """Return when a record of this format version can be read by this version of auditcoder.

    Raises:
        UnsupportedFormatError: the major version is another one.
    """
    if found.split(".")[0] != FORMAT_VERSION.split(".")[0]:
        raise UnsupportedFormatError(
            f"the record has format version {found}, this auditcoder reads {FORMAT_VERSION}",
            hint="Use the version of auditcoder that wrote it; the first event of the ledger names it.",
            format=found,
        )


def _check_tail(tail: bytes, seq: int, prev: str) -> None:
    """Accept what an interrupted append leaves: the beginning of a line, or a whole one that lacks its newline only.

    A complete JSON value with anything behind it was never written by us: there somebody changed the newline.
    """
    written = tail.rstrip(b"\x00")  # after a power cut a file may end in zeros
    if not written:
        return
    if not written.startswith(_LINE_START[: len(written)]):
        raise _corrupt(seq, "it is no beginning of a ledger line")
    try:
        json.JSONDecoder().raw_decode(tail.decode("latin-1"))
    except (ValueError, RecursionError):
        return
    _verified(tail, seq, prev)


def _corrupt(seq: int, reason: str) -> LedgerCorruptError:
    kept = f"Events before {seq} still hold: auditcoder restore RUN --at {seq - 1} --out DIR. " if seq else ""
    return LedgerCorruptError(
        f"the ledger is broken at event {seq}: {reason}",
        hint=f"It was changed or damaged after it was written. {kept}Restore the file from a copy, or run again "
        "into a new folder; do not edit it.",
        seq=seq,
        reason=reason,
    )
