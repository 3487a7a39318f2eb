"""The child's serializer speaks the tagged form of the records, and trusts no value."""

from __future__ import annotations

import collections
import enum
import fractions
import json
import math
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from auditcoder.records import values
from auditcoder.sandbox.records import ProtocolError, check_value
from auditcoder.sandbox.worker import serialize

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=20)
KEYS = st.integers() | st.text() | st.tuples(st.integers(), st.text())
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.frozensets(KEYS, max_size=4)
        | st.sets(KEYS, max_size=4)
    ),
    max_leaves=20,
)


def _through(value: Any) -> Any:
    return json.loads(serialize.dump(serialize.encode(value)))


@examples(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(PLAIN)
def test_writes_what_the_records_would_write_and_reads_it_back(value: Any) -> None:
    encoded = _through(value)
    assert encoded == values.encode(value)
    check_value(encoded)
    assert repr(serialize.decode(encoded)) == repr(values.decode(encoded))
    assert values.decode(encoded) == value


class Colour(enum.IntEnum):
    RED = 3


class Liar(str):
    def __str__(self) -> str:
        return "lie"

    def __iter__(self) -> Any:
        raise RuntimeError


Pair = collections.namedtuple("Pair", "a b")


def named(value: Any) -> str:
    """Return a test id without addresses, which differ between the workers of a parallel run."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (Colour.RED, {"t": "sub", "n": "Colour", "v": 3}),
        (Liar("truth"), {"t": "sub", "n": "Liar", "v": "truth"}),
        (Pair(1, 2), {"t": "sub", "n": "Pair", "v": {"t": "tuple", "v": [1, 2]}}),
        (collections.OrderedDict(a=1), {"t": "sub", "n": "OrderedDict", "v": {"t": "dict", "v": [["a", 1]]}}),
        (bytearray(b"x"), {"t": "sub", "n": "bytearray", "v": {"t": "bytes", "v": "78"}}),
        (fractions.Fraction(1, 2), {"t": "opaque", "v": "fractions.Fraction"}),
        (iter([]), {"t": "opaque", "v": "builtins.list_iterator"}),
        (math.nan, {"t": "float", "v": "nan"}),
        (-math.inf, {"t": "float", "v": "-inf"}),
        ("\ud800", {"t": "opaque", "v": "str with lone surrogates"}),
        (2**53, {"t": "int", "v": hex(2**53)}),
        (-(2**53) + 1, -(2**53) + 1),
    ],
    ids=named,
)
def test_foreign_values(value: Any, encoded: Any) -> None:
    assert _through(value) == encoded
    check_value(encoded)


def test_depth_is_cut_where_records_can_still_hold_it() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = (deep, {1: [deep]}) if _ % 50 == 0 else [deep]
    encoded = _through(deep)
    assert '"cut"' in json.dumps(encoded)
    check_value(encoded)


@pytest.mark.parametrize(
    "value", ["x" * 2000, [0] * 2000, 1 << 10**5, b"x" * 2000], ids=["text", "nodes", "int", "bytes"]
)
def test_budgets(value: Any) -> None:
    with pytest.raises(serialize.TooBigError):
        serialize.encode(value, nodes=1000, size=1000)


@pytest.mark.parametrize(
    "value",
    [
        float("inf"), {"t": "int", "v": "zz"}, {"t": "?", "v": 1}, {"v": 1}, {"t": "dict", "v": [1]}, "\ud800",
        {"t": "set", "v": [[1]]}, {"t": "bytes", "v": "0"}, {"\ud800": 1},
    ],
    ids=named,
)  # fmt: skip
def test_what_the_runner_would_not_write_is_refused(value: Any) -> None:
    with pytest.raises(ProtocolError):
        check_value(value)


def test_refuses_depth() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    with pytest.raises(ProtocolError):
        check_value(deep)
