from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from auditcoder.errors import LedgerCorruptError, LedgerError, RecordError
from auditcoder.ledger.canonical import GENESIS, digest_line, format_time, seal
from auditcoder.ledger.chain import parse_ledger, read_ledger
from auditcoder.ledger.journal import MemoryJournal, fixed_clock
from auditcoder.records.base import canonical_json, sha256_json
from auditcoder.records.config import RunConfig
from auditcoder.records.events import AttemptStarted, ChecksRun, CodeRejected, Event, PlanReviewed, RunStarted
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport
from auditcoder.records.task import EntryPoint, Task
from auditcoder.records.values import Value


def started(version: str = "1.0") -> RunStarted:
    return RunStarted(
        format=version,
        version="0.1.0",
        task=Task(id="t", statement="Do it.", entry=EntryPoint(kind="program")),
        config=RunConfig(),
        config_hash="c",
        models=(),
        isolation=IsolationReport(level=0, rung="limits"),
    )


def observed(value: Value) -> ChecksRun:
    report = ExecutionReport(program="p", results=(CheckResult(check="c", outcome="pass", observed=value),))
    return ChecksRun(key="k", candidate=0, report=report)


SMALL: tuple[Event, ...] = (
    started(),
    AttemptStarted(index=0, granularity="single", reason="asked"),
    PlanReviewed(attempt=0, round=0, reviewer="deterministic", complaints=("x",)),
    CodeRejected(node="S0", reason='no "code" \u20ac\ud800', digest="d"),
)
DATA = MemoryJournal(SMALL).data
LINES = DATA.splitlines(keepends=True)


def rewritten(data: bytes, changed: int, /, **fields: object) -> bytes:
    """Return a ledger in which fields of one line are replaced and every hash is made to fit again."""
    prev, out = GENESIS, []
    for number, raw in enumerate(data.splitlines()):
        body = json.loads(raw)
        body |= {"prev": prev} | (fields if number == changed else {})
        body["hash"] = sha256_json({name: body[name] for name in ("seq", "at", "prev", "event")})
        out.append(canonical_json(body))
        prev = digest_line(out[-1])
    return b"".join(line + b"\n" for line in out)


def test_a_line_has_the_documented_form() -> None:
    first, second = (json.loads(line) for line in LINES[:2])
    assert list(first) == ["at", "event", "hash", "prev", "seq"]
    assert (first["seq"], first["at"], first["prev"]) == (0, "2000-01-01T00:00:00.000000Z", "0" * 64)
    assert second["prev"] == digest_line(LINES[0].rstrip(b"\n"))
    assert second["hash"] == sha256_json({name: second[name] for name in ("seq", "at", "prev", "event")})
    assert second["event"] == {"kind": "attempt.started", "index": 0, "granularity": "single", "reason": "asked"}


def test_a_whole_ledger_reads_back() -> None:
    ledger = parse_ledger(DATA)
    assert ledger.events == SMALL
    assert ledger.data == DATA
    assert not ledger.torn
    assert ledger.head == json.loads(LINES[-1])["hash"]


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF], ids=hex)
def test_any_changed_byte_is_found(mask: int) -> None:
    for position in range(len(DATA)):
        broken = bytearray(DATA)
        broken[position] ^= mask
        with pytest.raises((LedgerCorruptError, RecordError)):
            parse_ledger(bytes(broken))


def test_the_last_newline_cannot_become_any_other_byte() -> None:
    for byte in set(range(256)) - {0x0A}:
        with pytest.raises(LedgerCorruptError):
            parse_ledger(DATA[:-1] + bytes([byte]))


@pytest.mark.parametrize(
    ("order", "seq"),
    [
        ((0, 2, 3), 1),
        ((1, 2, 3), 0),
        ((0, 0, 1, 2, 3), 1),
        ((0, 1, 1, 2, 3), 2),
        ((0, 2, 1, 3), 1),
        ((0, 1, 2, 3, 3), 4),
    ],
    ids=["dropped", "first dropped", "first doubled", "doubled", "swapped", "last doubled"],
)
def test_a_changed_order_names_the_event(order: tuple[int, ...], seq: int) -> None:
    with pytest.raises(LedgerCorruptError) as caught:
        parse_ledger(b"".join(LINES[index] for index in order))
    assert caught.value.fields["seq"] == seq
    assert f"event {seq}" in caught.value.message
    assert "new folder" in caught.value.hint


def test_a_renumbered_gap_is_found() -> None:
    shorter = [json.loads(line) for line in LINES]
    del shorter[1]
    for number, body in enumerate(shorter):
        body["seq"] = number
        body["hash"] = sha256_json({name: body[name] for name in ("seq", "at", "prev", "event")})
    with pytest.raises(LedgerCorruptError, match="event 1: it does not follow"):
        parse_ledger(b"".join(canonical_json(body) + b"\n" for body in shorter))


def test_every_cut_is_a_shorter_ledger_with_a_torn_tail() -> None:
    ends = [sum(map(len, LINES[:count])) for count in range(len(LINES) + 1)]
    for cut in range(len(DATA)):
        ledger = parse_ledger(DATA[:cut])
        whole = max(count for count, end in enumerate(ends) if end <= cut)
        assert ledger.events == SMALL[:whole]
        assert ledger.torn == (cut not in ends)
        assert ledger.data + ledger.tail == DATA[:cut]


@pytest.mark.parametrize(
    "tail",
    [b"garbage", b"{}", b"[", b"\x00{", b'{"at": "2000', b'{"seq":4', LINES[-1][:-1], LINES[-1][:-1] + b"x"],
    ids=["text", "object", "list", "zero first", "blank", "other field", "old line again", "old line and more"],
)
def test_a_tail_that_no_append_leaves_is_corrupt(tail: bytes) -> None:
    with pytest.raises(LedgerCorruptError):
        parse_ledger(DATA + tail)


@pytest.mark.parametrize("tail", [b"{", b'{"at":"2000-01', b"\x00" * 40, b'{"at":"20' + b"\x00" * 9], ids=repr)
def test_a_tail_that_a_crash_leaves_is_torn(tail: bytes) -> None:
    ledger = parse_ledger(DATA + tail)
    assert (ledger.events, ledger.tail) == (SMALL, tail)


@pytest.mark.parametrize(
    "line",
    [b"", b"null", b"[" * 100_000, b'{"a":NaN}', b"\xff", b'{"at":1}', b'{"at":0,"event":0,"hash":0,"prev":0,"seq":0}'],
    ids=["empty", "null", "deep", "nan", "not ascii", "other fields", "other types"],
)
def test_garbage_lines_are_corrupt(line: bytes) -> None:
    with pytest.raises(LedgerCorruptError):
        parse_ledger(line + b"\n")


@pytest.mark.parametrize(
    "fields",
    [{"seq": 1}, {"seq": 3}, {"seq": 2.0}, {"seq": "2"}, {"seq": True}, {"at": "yesterday"}, {"at": None}],
    ids=str,
)
def test_a_line_with_fitting_hashes_must_still_be_the_next_line(fields: dict[str, object]) -> None:
    with pytest.raises(LedgerCorruptError, match="event 2"):
        parse_ledger(rewritten(DATA, 2, **fields))


@pytest.mark.parametrize(
    "event",
    [None, {}, {"kind": "no.such"}, {"kind": "attempt.started", "index": 0, "granularity": "tiny", "reason": ""},
     {"kind": "attempt.started", "index": 0, "granularity": "fine", "reason": "", "more": 1}],
    ids=["null", "no kind", "unknown kind", "bad value", "unknown field"],
)  # fmt: skip
def test_an_event_without_our_schema_is_corrupt_though_the_chain_holds(event: object) -> None:
    with pytest.raises(LedgerCorruptError, match="event 2"):
        parse_ledger(rewritten(DATA, 2, event=event))


def test_a_consistently_rewritten_ledger_is_another_ledger() -> None:
    event = {"kind": "attempt.started", "index": 0, "granularity": "fine", "reason": "asked"}
    other = rewritten(DATA, 1, event=event)
    assert parse_ledger(other).head != parse_ledger(DATA).head


@pytest.mark.parametrize(("version", "readable"), [("1.0", True), ("1.7", True), ("2.0", False), ("", False)])
def test_only_our_major_format_is_read(version: str, readable: bool) -> None:
    data = MemoryJournal((started(version),)).data
    if readable:
        assert len(parse_ledger(data).entries) == 1
    else:
        with pytest.raises(RecordError, match="format version"):
            parse_ledger(data)


def test_reading_takes_a_folder_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_bytes(DATA)
    assert read_ledger(tmp_path) == read_ledger(tmp_path / "ledger.jsonl") == parse_ledger(DATA)
    with pytest.raises(LedgerError, match="no ledger can be read"):
        read_ledger(tmp_path / "none")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}], ids=repr)
def test_what_is_no_json_is_refused_by_the_writer(value: Value) -> None:
    with pytest.raises(RecordError, match=r"event 7 \(checks.run\)"):
        seal(seq=7, at=fixed_clock(), prev=GENESIS, event=observed(value))


@pytest.mark.parametrize(
    "wrong",
    [
        AttemptStarted.model_construct(index="1", granularity="single", reason=""),
        AttemptStarted.model_construct(index=1, granularity="tiny", reason=""),
        AttemptStarted.model_construct(index=1, granularity="fine"),
    ],
    ids=["other type", "other value", "missing field"],
)
def test_what_would_not_read_back_is_refused_by_the_writer(wrong: Event) -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        seal(seq=0, at=fixed_clock(), prev=GENESIS, event=wrong)


@pytest.mark.parametrize("value", [-0.0, 5e-324, 10**30, "\ud800", {"t": "tuple", "v": []}, [True, 1, 1.0]], ids=repr)
def test_values_read_back_exactly(value: Value) -> None:
    event = observed(value)
    entry = seal(seq=0, at=fixed_clock(), prev=GENESIS, event=event)
    assert repr(parse_ledger(entry.raw + b"\n").events[0]) == repr(entry.event) == repr(event)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), "2026-01-02T03:04:05.000006Z"),
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2))), "2026-01-02T01:00:00.000000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
    ],
    ids=["utc", "zone", "year one"],
)
def test_times_are_utc(at: datetime, text: str) -> None:
    assert format_time(at) == text
