from __future__ import annotations

import copy
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.records.task import Check, Comparator, Expected, ExpectedFile, FilesInput, FunctionInput, ProgramInput
from auditcoder.records.values import encode
from auditcoder.sandbox.compare import Observed, compare

KINDS = st.sampled_from(["value", "lines", "tokens", "exact", "floats", "file", "apps"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=8)
KEYS = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=4)
PLAIN = st.recursive(
    KEYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(KEYS, max_size=4)
    ),
    max_leaves=12,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["t", "v", "n", "x"]), inner, max_size=3)
        | st.fixed_dictionaries(
            {
                "t": st.sampled_from(
                    ["tuple", "set", "frozenset", "dict", "bytes", "int", "float", "sub", "opaque", "cut"]
                ),
                "v": inner,
            }
        )
    ),
    max_leaves=20,
)

NAN = object()


def check_of(value: Any, comparator: Comparator) -> Check:
    return Check(id="c", input=FunctionInput(), expected=Expected(value=value, has_value=True), comparator=comparator)


@given(PLAIN, KINDS)
def test_a_value_equals_its_own_copy(value: Any, kind: Any) -> None:
    observed = Observed(b"", value=encode(copy.deepcopy(value)), has_value=True)
    assert compare(check_of(encode(value), Comparator(kind=kind)), observed) == (True, "")


@given(PLAIN, PLAIN)
def test_strict_equality_agrees_with_python_where_python_has_no_look_alikes(one: Any, other: Any) -> None:
    comparator = Comparator(rel_tol=0, abs_tol=0)
    equal = compare(check_of(encode([one]), comparator), Observed(b"", value=encode([other]), has_value=True)).equal
    if equal:
        assert repr(one) == repr(other) or _plain(one) == _plain(other)
    else:
        assert _tagged(one) != _tagged(other)


def _plain(value: Any) -> Any:
    """List = tuple, NaN = NaN; the rest as Python compares it."""
    if isinstance(value, list | tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, set | frozenset):
        return frozenset(_plain(item) for item in value)
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    return NAN if value != value else value


def _tagged(value: Any) -> Any:
    """As `_plain`, with bool kept apart from int."""
    if isinstance(value, list | tuple):
        return tuple(_tagged(item) for item in value)
    if isinstance(value, set | frozenset):
        return frozenset(_tagged(item) for item in value)
    if isinstance(value, dict):
        return {_tagged(k): _tagged(v) for k, v in value.items()}
    return (isinstance(value, bool), NAN if value != value else value)


@given(JSON, JSON, KINDS, st.booleans(), st.booleans(), st.booleans())
def test_nothing_raises_on_any_json(
    expected: Any, observed: Any, kind: Any, any_of: bool, bools: bool, case: bool
) -> None:
    comparator = Comparator(kind=kind, any_of=any_of, bool_is_int=bools, case_blind=case)
    result = compare(check_of(expected, comparator), Observed(b"", value=observed, has_value=True))
    assert result.equal == (result.message == "")
    assert len(result.message) < 2000


@given(st.text(max_size=60), st.binary(max_size=60), KINDS, st.booleans())
def test_nothing_raises_on_any_output(expected: str, observed: bytes, kind: Any, unordered: bool) -> None:
    comparator = Comparator(kind=kind, unordered=unordered)
    check = Check(id="c", input=ProgramInput(stdin=""), expected=Expected(stdout=expected), comparator=comparator)
    result = compare(check, Observed(observed))
    assert result.equal == (result.message == "")
    if observed == expected.encode("utf-8", "surrogatepass") and _encodable(expected):
        assert result.equal


def _encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


@given(st.text(max_size=60), st.binary(max_size=60), st.sampled_from(["text", "csv", "json", "bytes"]))
def test_nothing_raises_on_any_file(expected: str, content: bytes, form: Any) -> None:
    check = Check(
        id="c", input=FilesInput(), expected=Expected(files=(ExpectedFile(name="f", text=expected, format=form),))
    )
    result = compare(check, Observed(b"", files=(("f", content),)))
    assert result.equal == (result.message == "")


@settings(max_examples=50)
@given(st.sets(st.tuples(st.floats(-1e6, 1e6), st.text(max_size=2)), max_size=30), st.integers())
def test_a_set_matches_its_shaken_copy(values: set[tuple[float, str]], seed: int) -> None:
    shaker = random.Random(seed)
    spaced = {(round(number, 3), text) for number, text in values}
    shaken = [(number + shaker.uniform(-1e-10, 1e-10), text) for number, text in spaced]
    shaker.shuffle(shaken)
    observed: Any = {"t": "set", "v": [encode(pair) for pair in shaken]}
    assert compare(check_of(encode(spaced), Comparator()), Observed(b"", value=observed, has_value=True)).equal
