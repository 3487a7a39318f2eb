"""Reading the child's records: JSON lines from an untrusted process.

Rules: known types in their order, the index must be the next one, size and depth are capped, nothing after the
end; the first record wins and a broken rule ends the run. A forged item or output is at best a right answer, since it
is compared here. A forged `tests` record is not: unit tests share the process with the program, and their record says
itself that they passed. It must name the tests of the source; a program that reads them there can forge that too.
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal, NamedTuple

from auditcoder.errors import RecordError
from auditcoder.records.execution import Frame
from auditcoder.records.values import Value, decode
from auditcoder.sandbox import settings

Kind = Literal["program", "items", "tests"]
_DEPTH = 170
_ORDER: dict[str, tuple[str, ...]] = {
    "": ("go", "setup"),
    "go": ("loaded", "load-error", "error", "end"),
    "loaded": ("item", "tests", "end"),
    "item": ("item", "end"),
    "tests": ("end",),
    "error": ("end",),
}
_ADVISORY = frozenset({"call", "ret", "cost", "recorded", "line", "block", "traced"})


class ProtocolError(Exception):
    """A record that the runner would not have written."""


class Fault(NamedTuple):
    """An exception of the program."""

    type: str
    message: str
    frames: tuple[Frame, ...]
    errno: int = 0
    memory: bool = False


class Item(NamedTuple):
    """The record of one input of a batch: a value, a fault, or a value that was over the limit."""

    value: Value
    fault: Fault | None
    too_big: bool
    out: int
    err: int


class Tests(NamedTuple):
    """The record of a unittest run, as the process says; nothing here proves that the tests ran."""

    ran: int
    skipped: int
    bad: int
    names: frozenset[str]
    """`Class.method` of the tests that passed, failed as expected or were skipped."""
    first: str
    failed: bool
    fault: Fault | None


class RecordStream:
    """Collects the records of one child."""

    def __init__(self, kind: Kind, count: int, line_cap: int, lines: int) -> None:
        self.items: list[Item] = []
        self.tests: Tests | None = None
        self.fault: Fault | None = None
        self.load_fault: Fault | None = None
        self.setup_failed = ""
        self.broken = ""
        self.line_over = self.total_over = False
        self.advisory: list[dict[str, Any]] = []
        self.advisory_cut = False
        self.state = ""
        self._kind, self._count, self._line_cap, self._lines = kind, count, line_cap + 4096, lines
        self._rest = b""
        self._total = self._advisory_total = 0

    @property
    def loaded(self) -> bool:
        """Return whether the module was executed to its end."""
        return self.state in ("loaded", "item", "tests") or (self.state == "end" and self._kind != "program")

    def feed(self, data: bytes) -> bool:
        """Take what came in; return whether the run may go on."""
        self._total += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if len(line) > self._line_cap:
                self.line_over = True
                return False
            if not self._take(line):
                return False
        self.line_over = len(self._rest) > self._line_cap
        self.total_over = self._total - self._advisory_total > settings.RESULT_TOTAL
        return not (self.line_over or self.total_over)

    def _take(self, line: bytes) -> bool:
        try:
            record = _parse(line)
            kind = record.get("r")
            if isinstance(kind, str) and kind in _ADVISORY and self.state not in ("", "end"):
                self._keep_advisory(record, len(line) + 1)
            elif isinstance(kind, str) and kind in _ORDER.get(self.state, ()) and self._fits(kind):
                self._apply(kind, record)
                self.state = kind
            else:
                raise ProtocolError(f"unexpected record {str(kind)[:40]!r}")
        except ProtocolError as error:
            self.broken = str(error)
            return False
        return True

    def _fits(self, kind: str) -> bool:
        if self._kind == "program":
            return kind in ("go", "setup", "error", "end")
        if kind == "end":
            return self.tests is not None if self._kind == "tests" else len(self.items) == self._count
        return kind in ("go", "setup", "loaded", "load-error", "item" if self._kind == "items" else "tests")

    def _apply(self, kind: str, record: dict[str, Any]) -> None:
        if kind == "setup":
            self.setup_failed = _text(record.get("msg"), 500) or "unknown"
        elif kind == "load-error":
            self.load_fault = self._fault(record.get("x"))
        elif kind == "error":
            self.fault = self._fault(record.get("x"))
        elif kind == "tests":
            self.tests = self._read_tests(record)
        elif kind == "item":
            self._read_item(record)

    def _read_item(self, record: dict[str, Any]) -> None:
        if record.get("i") != len(self.items) or len(self.items) >= self._count:
            raise ProtocolError("a result out of order")
        fault = self._fault(record["x"]) if "x" in record else None
        value = record.get("v")
        if fault is None and "big" not in record:
            if "v" not in record:
                raise ProtocolError("a result without a value")
            check_value(value)
        self.items.append(Item(value, fault, "big" in record, _number(record.get("o", 0)), _number(record.get("e", 0))))

    def _read_tests(self, record: dict[str, Any]) -> Tests:
        first = record.get("first")
        ran, skipped, bad = (_number(record.get(name)) for name in ("ran", "skipped", "bad"))
        names = record.get("names")
        if not isinstance(names, list):
            raise ProtocolError("a test record without names")
        good = frozenset(_text(name, 200) for name in names)
        if first is None:
            return Tests(ran, skipped, bad, good, "", False, None)
        if not isinstance(first, dict):
            raise ProtocolError("a malformed test record")
        name, failed = _text(first.get("test"), 200), first.get("failed") is True
        return Tests(ran, skipped, bad, good, name, failed, self._fault(first.get("x")))

    def _fault(self, data: Any) -> Fault:
        if not isinstance(data, dict) or not isinstance(data.get("frames"), list):
            raise ProtocolError("a malformed fault")
        frames = tuple(self._frame(frame) for frame in data["frames"][:10])
        return Fault(
            _text(data.get("type"), 100), _text(data.get("msg"), 500), frames, _number(data.get("errno", 0)),
            data.get("memory") is True,
        )  # fmt: skip

    def _frame(self, data: Any) -> Frame:
        if not isinstance(data, list) or len(data) != 2:
            raise ProtocolError("a malformed frame")
        return Frame(line=min(max(1, _number(data[0])), self._lines), function=_text(data[1], 200))

    def _keep_advisory(self, record: dict[str, Any], size: int) -> None:
        self._advisory_total += size
        if self._advisory_total > settings.ADVISORY_TOTAL:
            self.advisory_cut = True
        else:
            self.advisory.append(record)


def check_value(value: Any) -> None:
    """Check that a decoded JSON value is a well-formed encoded one.

    Raises:
        ProtocolError: too deep, not finite, not UTF-8, or not of the tagged form.
    """
    try:
        _check_plain(value, _DEPTH)
        if isinstance(value, list | dict):
            decode(value)
    except (RecordError, RecursionError) as error:
        raise ProtocolError("a malformed value") from error


def _check_plain(value: Any, depth: int) -> None:
    if isinstance(value, str):
        _utf8(value)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ProtocolError("a number that is not finite")
    elif isinstance(value, list | dict):
        if depth <= 0:
            raise ProtocolError("a value that is too deep")
        if isinstance(value, dict):
            for key in value:
                _utf8(key)
            value = list(value.values())
        for item in value:
            _check_plain(item, depth - 1)


def _parse(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a record that is no JSON") from error
    if not isinstance(record, dict):
        raise ProtocolError("a record that is no object")
    return record


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _utf8(text: str) -> None:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ProtocolError("text that is not UTF-8") from error


def _text(value: Any, limit: int) -> str:
    if not isinstance(value, str):
        raise ProtocolError("a text that is none")
    _utf8(value)
    return value[:limit]


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ProtocolError("a number that is none")
    return value
