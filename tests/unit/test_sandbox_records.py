"""The reader of the child's records: any bytes end in records or in a broken stream, never in an exception."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from auditcoder.sandbox import settings
from auditcoder.sandbox.promised_tests import count_tests, promised_tests
from auditcoder.sandbox.records import Kind, RecordStream

GO, LOADED, END = {"r": "go"}, {"r": "loaded"}, {"r": "end"}


def _item(index: int, value: Any = 1) -> dict[str, Any]:
    return {"r": "item", "i": index, "v": value, "o": 0, "e": 0}


def _stream(kind: Kind, records: list[Any], count: int = 2) -> RecordStream:
    stream = RecordStream(kind, count, 10_000, 50)
    for record in records:
        if not stream.feed(json.dumps(record).encode() + b"\n"):
            break
    return stream


@pytest.mark.parametrize(
    ("kind", "records", "items", "broken"),
    [
        ("items", [GO, LOADED, _item(0), _item(1), END], 2, False),
        ("items", [GO, LOADED, _item(0)], 1, False),
        ("items", [GO, LOADED, _item(1)], 0, True),
        ("items", [GO, LOADED, _item(0), _item(0)], 1, True),
        ("items", [GO, LOADED, _item(0), END], 1, True),
        ("items", [GO, LOADED, _item(0), _item(1), _item(2)], 2, True),
        ("items", [GO, LOADED, _item(0), _item(1), END, END], 2, True),
        ("items", [GO, _item(0)], 0, True),
        ("items", [LOADED], 0, True),
        ("items", [GO, LOADED, LOADED], 0, True),
        ("items", [GO, LOADED, {"r": "tests", "ran": 1, "skipped": 0, "bad": 0, "names": [], "first": None}], 0, True),
        ("items", [GO, LOADED, {"r": "item", "i": 0}], 0, True),
        ("items", [GO, LOADED, {"r": "item", "i": True, "v": 1}, 5], 0, True),
        ("items", [GO, LOADED, {"r": "item", "i": 0, "x": {"type": "E", "msg": "", "frames": [[1]]}}], 0, True),
        ("items", [GO, LOADED, {"r": "item", "i": 0, "x": {"type": 3, "msg": "", "frames": []}}], 0, True),
        ("program", [GO, END], 0, False),
        ("program", [GO, _item(0)], 0, True),
        ("program", [GO, LOADED], 0, True),
        ("program", [{"r": "setup", "msg": "x"}, END], 0, True),
        ("tests", [GO, LOADED, END], 0, True),
        ("tests", [GO, LOADED, {"r": "tests", "ran": 1, "skipped": 0, "bad": 0, "first": None}], 0, True),
        ("tests", [GO, LOADED, {"r": "tests", "ran": 1, "skipped": 0, "bad": 0, "names": [3]}], 0, True),
        ("tests", [GO, LOADED, {"r": "tests", "ran": -1, "skipped": 0, "bad": 0, "names": [], "first": None}], 0, True),
    ],
)  # fmt: skip
def test_order_and_index(kind: Kind, records: list[Any], items: int, broken: bool) -> None:
    stream = _stream(kind, records)
    assert (len(stream.items), bool(stream.broken)) == (items, broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
)
RECORD = st.fixed_dictionaries(
    {"r": st.sampled_from(["go", "loaded", "item", "end", "error", "tests", "load-error", "call", "cost", "?"])},
    optional={"i": st.integers(0, 2) | JSON, "v": JSON, "x": JSON, "first": JSON, "ran": JSON, "o": JSON, "big": JSON},
)


@examples(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.binary(max_size=50) | RECORD.map(lambda r: json.dumps(r).encode() + b"\n"), max_size=12))
def test_no_bytes_break_the_reader(chunks: list[bytes]) -> None:
    for kind in ("program", "items", "tests"):
        stream = RecordStream(kind, 2, 200, 50)
        fine = all(stream.feed(chunk) for chunk in (b'{"r":"go"}\n', *chunks))
        assert fine == (not stream.broken and not stream.line_over and not stream.total_over)
        assert len(stream.items) <= 2


@examples(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 40))
def test_chunks_may_be_cut_anywhere(size: int) -> None:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in [GO, LOADED, _item(0, "☃"), _item(1, [1]), END])
    stream = RecordStream("items", 2, 10_000, 50)
    assert all(stream.feed(data[at : at + size]) for at in range(0, len(data), size))
    assert [item.value for item in stream.items] == ["☃", [1]]
    assert stream.state == "end"


def test_caps() -> None:
    long = RecordStream("items", 2, 100, 50)
    assert not long.feed(b"x" * 10_000)
    assert long.line_over
    many = RecordStream("items", 1 << 30, 1 << 20, 50)
    many.feed(b'{"r":"go"}\n{"r":"loaded"}\n')
    line = json.dumps(_item(0, "x" * 1_000_000)).encode()
    count = 0
    while many.feed(line.replace(b'"i": 0', b'"i": %d' % count) + b"\n"):
        count += 1
    assert many.total_over
    assert count == settings.RESULT_TOTAL // 1_000_000


def test_frames_stay_inside_the_program() -> None:
    fault = {"type": "E", "msg": "m" * 9000, "frames": [[7, "f"], [10**9, "g"], [0, "h"]] + [[1, "x"]] * 99}
    stream = _stream("program", [GO, {"r": "error", "x": fault}])
    assert stream.fault is not None
    assert [frame.line for frame in stream.fault.frames][:3] == [7, 50, 1]
    assert (len(stream.fault.frames), len(stream.fault.message)) == (10, 500)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("class T(X):\n    def test_a(self): pass\n    def helper(self): pass\n    def test_b(self): pass", 2),
        ("class T(X):\n    def test_a(self): pass\nclass U(X):\n    def test_a(self): pass", 2),
        ("def test_a(): pass", 0),
        ("class T(", 0),
    ],
)
def test_tests_are_counted_in_the_source(source: str, count: int) -> None:
    assert count_tests(source) == count


def test_the_worker_imports_only_the_standard_library_and_itself() -> None:
    own = "auditcoder.sandbox.worker"
    for path in settings.WORKER_MAIN.parent.glob("*.py"):
        for node in ast.walk(ast.parse(Path(path).read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names or name.startswith(own), (path.name, name)


PROMISED = {
    "plain": ("class T(unittest.TestCase):\n    def test_a(self): pass\n    def helper(self): pass", {"T.test_a"}),
    "imported base": ("class T(TestCase):\n    def test_a(self): pass", {"T.test_a"}),
    "async": ("class T(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self): pass", {"T.test_a"}),
    "inherited": ("class B(unittest.TestCase):\n    def test_a(self): pass\nclass T(B):\n    def test_b(self): pass",
                  {"B.test_a", "T.test_a", "T.test_b"}),
    "mixin": ("class M:\n    def test_a(self): pass\nclass T(M, unittest.TestCase): pass", {"T.test_a"}),
    "base that is deleted": ("class B(unittest.TestCase):\n    def test_a(self): pass\ndel B", set()),
    "decorated": ("class T(unittest.TestCase):\n    @each(1, 2)\n    def test_a(self): pass", set()),
    "no test case": ("class T:\n    def test_a(self): pass", set()),
    "bases in a circle": ("class A(B): pass\nclass B(A):\n    def test_a(self): pass", set()),
    "no Python": ("class T(", set()),
}  # fmt: skip


@pytest.mark.parametrize(("source", "names"), PROMISED.values(), ids=PROMISED.keys())
def test_promised_tests_are_read_from_the_source(source: str, names: set[str]) -> None:
    assert promised_tests(source) == names
