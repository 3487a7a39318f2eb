from __future__ import annotations

import json
from typing import Any

import pytest

from auditcoder.records.task import (
    CallsInput,
    Check,
    Comparator,
    Expected,
    ExpectedFile,
    FilesInput,
    FunctionInput,
    MethodCall,
    ProgramInput,
    UnittestInput,
)
from auditcoder.records.values import Value, encode
from auditcoder.sandbox.compare import Observed, compare

OPAQUE: Value = {"t": "opaque", "v": "m.C"}


def text_check(expected: str, kind: str, **options: Any) -> Check:
    return Check(
        id="c",
        input=ProgramInput(stdin=""),
        expected=Expected(stdout=expected),
        comparator=Comparator(kind=kind, **options),  # type: ignore[arg-type]
    )


def value_check(expected: Any, **options: Any) -> Check:
    return Check(
        id="c",
        input=FunctionInput(),
        expected=Expected(value=encode(expected), has_value=True),
        comparator=Comparator(**options),
    )


def returned(value: Any) -> Observed:
    return Observed(b"", value=encode(value), has_value=True)


TEXTS = [
    ("trailing blanks and lines", "lines", {}, "5\n6\n", b"5  \n6\n\n\n", True),
    ("carriage returns", "lines", {}, "5\n6", b"5\r\n6\r\n", True),
    ("leading blanks count", "lines", {}, "5", b" 5", False),
    ("missing line", "lines", {}, "5\n6", b"5\n", False),
    ("extra line", "lines", {}, "5", b"5\n6\n", False),
    ("blank line inside", "lines", {}, "5\n6", b"5\n\n6", False),
    ("value means lines for text", "value", {}, "5", b"5\n", True),
    ("order counts", "lines", {}, "a\nb", b"b\na\n", False),
    ("order does not count", "lines", {"unordered": True}, "a\nb", b"b\na\n", True),
    ("unordered keeps counts", "lines", {"unordered": True}, "a\na\nb", b"b\nb\na\n", False),
    ("case counts", "lines", {}, "Yes", b"YES", False),
    ("case blind", "lines", {"case_blind": True}, "Yes", b"YES", True),
    ("invalid UTF-8", "lines", {}, "\ufffd", b"\xff", False),
    ("NUL is content", "lines", {}, "a", b"a\x00", False),
    ("form feed does not split", "lines", {}, "a\nb", b"a\x0cb", False),
    ("tokens across lines", "tokens", {}, "1 2 3", b"1\n2   3", True),
    ("tokens are text", "tokens", {}, "1.0", b"1", False),
    ("token missing", "tokens", {}, "1 2", b"1", False),
    ("exact same", "exact", {}, "a \n", b"a \n", True),
    ("exact blank", "exact", {}, "a\n", b"a \n", False),
    ("exact end", "exact", {}, "a\n", b"a", False),
    ("exact accepts any bytes to compare", "exact", {}, "a", b"\xff", False),
    ("floats close", "floats", {"rel_tol": 1e-6, "abs_tol": 1e-6}, "0.333333", b"0.3333334", True),
    ("floats far", "floats", {"rel_tol": 1e-6, "abs_tol": 1e-6}, "0.333333", b"0.33334", False),
    ("floats exponent", "floats", {}, "1e3", b"1000", True),
    ("big integers stay integers", "floats", {}, "50000000000000000", b"50000000000000001", False),
    ("integer with point", "floats", {}, "5", b"5.0", True),
    ("integer with fraction", "floats", {}, "5", b"5.0000000001", False),
    ("integer sign and zeros", "floats", {}, "7", b"+007", True),
    ("minus zero", "floats", {}, "0", b"-0", True),
    ("nan only nan", "floats", {}, "nan", b"NaN", True),
    ("nan is no number", "floats", {}, "1.0", b"nan", False),
    ("inf is not near", "floats", {}, "1.5", b"inf", False),
    ("underscores are no number", "floats", {}, "10.0", b"1_0", False),
    ("words in floats", "floats", {}, "x 1.0", b"x 1.0", True),
    ("apps strips both sides", "apps", {}, "a\nb\n", b"\n  a  \n b\n", True),
    ("apps tokens", "apps", {}, "1 2\n3", b"1\n2 3", True),
    ("apps tiny difference", "apps", {}, "0.5", b"0.5000000000001", True),
    ("apps small difference", "apps", {}, "0.5", b"0.50000000001", False),
    ("apps integer as float", "apps", {}, "4", b"4.0", True),
    ("apps words", "apps", {}, "YES no True", b"yes No TRUE", True),
    ("apps other words keep case", "apps", {}, "Lose", b"lose", False),
    ("apps yes is not no", "apps", {}, "yes", b"no", False),
    ("apps inner blanks forgiven", "apps", {}, "a  b", b"a b", True),
    ("apps count of tokens", "apps", {}, "1 2", b"1 2 3", False),
    ("apps nan is not near", "apps", {}, "1", b"nan", False),
]


@pytest.mark.parametrize(
    ("kind", "options", "expected", "observed", "equal"), [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS]
)
def test_texts(kind: str, options: dict[str, Any], expected: str, observed: bytes, equal: bool) -> None:
    result = compare(text_check(expected, kind, **options), Observed(observed))
    assert result.equal is equal
    assert (result.message == "") is equal


VALUES = [
    ("list is tuple", [1, (2, 3)], (1, [2, 3]), {}, True),
    ("int is equal float", 2, 2.0, {}, True),
    ("expected int is exact", 2, 2.0000000001, {}, False),
    ("float close", 0.3, 0.1 + 0.2, {}, True),
    ("float far", 0.3, 0.301, {}, False),
    ("float near an int", 2.0000000001, 2, {}, True),
    ("big ints are exact", 10**30, 10**30 + 1, {}, False),
    ("big int and float", 1e300, 10**400, {}, False),
    ("bool is not 1", 1, True, {}, False),
    ("1 is not True", True, 1, {}, False),
    ("bool is int on request", 1, True, {"bool_is_int": True}, True),
    ("bool is int inside", [0, {1: 1}], [False, {True: True}], {"bool_is_int": True}, True),
    ("None is not False", None, False, {}, False),
    ("None", None, None, {}, True),
    ("text is exact", "a", "a ", {}, False),
    ("text case blind", "a", "A", {"case_blind": True}, True),
    ("text as tokens", "a  b", "a b\n", {"kind": "tokens"}, True),
    ("text is not bytes", "a", b"a", {}, False),
    ("bytes", b"\x00a", b"\x00a", {}, True),
    ("nan is nan", float("nan"), float("nan"), {}, True),
    ("nan is no number", 1.0, float("nan"), {}, False),
    ("a number is not nan", float("nan"), 1.0, {}, False),
    ("inf", float("inf"), float("inf"), {}, True),
    ("inf has a sign", float("inf"), float("-inf"), {}, False),
    ("inf is not big", float("inf"), 1e308, {}, False),
    ("dict order", {"a": 1, "b": 2}, {"b": 2, "a": 1}, {}, True),
    ("dict value", {"a": 1}, {"a": 2}, {}, False),
    ("dict key", {"a": 1}, {"b": 1}, {}, False),
    ("dict key types", {1: "x"}, {1.0: "x"}, {}, True),
    ("dict tuple key", {(1, 2): "x"}, {(1, 2): "x"}, {}, True),
    ("dict more keys", {"a": 1}, {"a": 1, "b": 2}, {}, False),
    ("dict keys keep case", {"a": 1, "A": 1}, {"a": 1, "A": 1}, {"case_blind": True}, True),
    ("set", {1, 2, 3}, {3, 2, 1}, {}, True),
    ("set with near floats", {0.3, 1.0}, {1.0, 0.1 + 0.2}, {}, True),
    ("set of tuples with near floats", {(0.3, "a"), (1.0, "b")}, {(1.0, "b"), (0.1 + 0.2, "a")}, {}, True),
    ("set other element", {1, 2}, {1, 3}, {}, False),
    ("set of texts", {"a", "b"}, {"a", "c"}, {}, False),
    ("set is frozenset", {1}, frozenset({1}), {}, True),
    ("nested sets", {frozenset({1, 2}), frozenset({3})}, {frozenset({3}), frozenset({2, 1})}, {}, True),
    ("set is not list", {1}, [1], {}, False),
    ("set with nan", {float("nan"), 1}, {1, float("nan")}, {}, True),
    ("empty containers", [], (), {}, True),
    ("empty list is no dict", [], {}, {}, False),
    ("length", [1, 2], [1], {}, False),
    ("any of", [1, [2]], [2], {"any_of": True}, True),
    ("none of", [1, [2]], 2, {"any_of": True}, False),
    ("any of nothing", [], 2, {"any_of": True}, False),
    ("any of is no list", 5, 5, {"any_of": True}, False),
    ("apps rule for results", [1, (2.0,)], [1, [2]], {"kind": "apps"}, True),
    ("apps rule keeps True apart", 1, True, {"kind": "apps"}, False),
    ("wide tolerance", 100.0, 101.0, {"rel_tol": 0.1}, True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "observed", "options", "equal"), [t[1:] for t in VALUES], ids=[t[0] for t in VALUES]
)
def test_values(expected: Any, observed: Any, options: dict[str, Any], equal: bool) -> None:
    result = compare(value_check(expected, **options), returned(observed))
    assert result.equal is equal
    assert (result.message == "") is equal


def nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def subs(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"t": "sub", "v": value}
    return value


HOSTILE: list[tuple[str, Any, Any]] = [
    ("opaque", 1, OPAQUE),
    ("opaque inside", [1, 2], [1, OPAQUE]),
    ("cut", "a", {"t": "cut", "v": "str"}),
    ("unknown tag", 1, {"t": "zzz", "v": 1}),
    ("no tag", {}, {}),
    ("tag is a list", 1, {"t": [], "v": []}),
    ("dict of non-pairs", {1: 2}, {"t": "dict", "v": [[1]]}),
    ("dict repeats a key", {1: 2, 2: 2}, {"t": "dict", "v": [[1, 2], [1, 2]]}),
    ("dict body is text", {}, {"t": "dict", "v": "ab"}),
    ("set repeats", {1, 2}, {"t": "set", "v": [1, 1]}),
    ("set of texts repeats", {"a", "b"}, {"t": "set", "v": ["a", "a"]}),
    ("set body is none", set(), {"t": "set", "v": None}),
    ("int is no hex", 1, {"t": "int", "v": "zz"}),
    ("int body is list", 1, {"t": "int", "v": [1]}),
    ("float is text", 1.0, {"t": "float", "v": "abc"}),
    ("bytes odd", b"a", {"t": "bytes", "v": "6"}),
    ("sub of opaque", 1, {"t": "sub", "n": "m.Int", "v": OPAQUE}),
    ("sub in sub in sub", 1, subs(900)),
    ("deep", 1, nest(900)),
]


@pytest.mark.parametrize(("expected", "observed"), [t[1:] for t in HOSTILE], ids=[t[0] for t in HOSTILE])
def test_hostile_values_are_never_equal(expected: Any, observed: Any) -> None:
    result = compare(value_check(expected), Observed(b"", value=observed, has_value=True))
    assert not result.equal
    assert result.message.isprintable()


def test_an_opaque_object_does_not_even_equal_itself() -> None:
    check = Check(id="c", input=FunctionInput(), expected=Expected(value=OPAQUE, has_value=True))
    assert not compare(check, Observed(b"", value=OPAQUE, has_value=True)).equal


def test_a_subclass_compares_by_its_payload() -> None:
    observed = Observed(b"", value={"t": "sub", "n": "m.Counter", "v": encode({"a": 1})}, has_value=True)
    assert compare(value_check({"a": 1}), observed).equal


def test_equal_values_at_the_depth_limit_compare_and_beyond_it_they_do_not() -> None:
    assert compare(value_check(nest(150)), returned(nest(150))).equal
    assert not compare(value_check(nest(230)), returned(nest(230))).equal


def test_large_sets_stay_fast_and_right() -> None:
    want = {(i, i / 3) for i in range(3000)}
    assert compare(value_check(want), returned(set(want))).equal
    assert not compare(value_check(want), returned({(i, i / 3 + 1) for i in range(3000)})).equal


MESSAGES = [
    ("line", text_check("5\n5", "lines"), Observed(b"5\n4\n"), "line 2: expected '5', got '4'"),
    ("missing", text_check("5\n6", "lines"), Observed(b"5"), "line 2: expected '6', got nothing"),
    ("token", text_check("1 2", "tokens"), Observed(b"1 3"), "token 2: expected '2', got '3'"),
    ("value", value_check([1, {"a": 2}]), returned([1, {"a": 3}]), "result[1]['a']: expected 2, got 3"),
    ("type", value_check("5"), returned(5), "result: expected a string ('5'), got a number (5)"),
    ("none", value_check(5), returned(None), "result: expected a number (5), got None"),
    ("length", value_check([1]), returned([]), "result: expected a list of 1 items ([1]), got a list of 0 items ([])"),
    ("key", value_check({"a": 1}), returned({"b": 1}), "result: expected the key 'a', which is missing"),
    ("no result", value_check(1), Observed(b""), "no result was observed"),
    ("no output", text_check("1", "lines"), Observed(None), "no output was observed"),
    ("utf8", text_check("1", "lines"), Observed(b"1\xff"), "the output is not valid UTF-8 (byte 1)"),
    ("bytes", text_check("abc", "exact"), Observed(b"abd"), "byte 2: expected b'c', got b'd'"),
]


@pytest.mark.parametrize(("check", "observed", "message"), [m[1:] for m in MESSAGES], ids=[m[0] for m in MESSAGES])
def test_messages(check: Check, observed: Observed, message: str) -> None:
    assert compare(check, observed) == (False, message)


def test_long_lines_are_shown_around_the_difference() -> None:
    message = compare(text_check("a" * 500 + "b", "lines"), Observed(b"a" * 500 + b"c")).message
    assert "b'" in message
    assert "c'" in message
    assert len(message) < 200


def test_messages_escape_control_characters() -> None:
    message = compare(text_check("a", "lines"), Observed(b"\x1b[31mred\x00")).message
    assert message.isprintable()


def test_calls_name_the_call_that_differs() -> None:
    calls = CallsInput(calls=(MethodCall(method="push", args=(1,)), MethodCall(method="pop")))
    check = Check(id="c", input=calls, expected=Expected(value=[None, 1], has_value=True))
    assert compare(check, returned([None, 1])).equal
    assert compare(check, returned([None, 2])).message == "call 2, pop: expected 1, got 2"
    assert not compare(check, returned([None])).equal


def test_accepted_outputs_of_a_program() -> None:
    check = Check(
        id="c",
        input=ProgramInput(stdin=""),
        expected=Expected(value=["1 2", "2 1"], has_value=True),
        comparator=Comparator(kind="lines", any_of=True),
    )
    assert compare(check, Observed(b"2 1\n")).equal
    assert (
        compare(check, Observed(b"3\n")).message == "line 1: expected '1 2', got '3' (none of 2 accepted values fits)"
    )


def test_input_only_compares_equal_and_unit_tests_follow_the_runner() -> None:
    assert compare(Check(id="c", input=ProgramInput(stdin=""), expected=Expected()), Observed(None)).equal
    check = Check(id="c", input=UnittestInput(source=""), expected=Expected(passes=True))
    assert compare(check, Observed(b"", unittest_ok=True)).equal
    assert not compare(check, Observed(b"")).equal


FILES = [
    ("text", "text", "a\nb\n", b"a  \nb", True),
    ("text differs", "text", "a\n", b"b\n", False),
    ("bom", "text", "a\n", b"\xef\xbb\xbfa\n", True),
    ("bytes", "bytes", "a\n", b"a\n", True),
    ("bytes differ", "bytes", "a\n", b"a\r\n", False),
    ("csv near", "csv", "x,1.5\n", b"x,1.50000000001\r\n", True),
    ("csv far", "csv", "x,1.5\n", b"x,1.6\n", False),
    ("csv quotes", "csv", 'a,"b c"\n', b"a,b c\n", True),
    ("csv cells", "csv", "a,b\n", b"a\n", False),
    ("csv rows", "csv", "a\nb\n", b"a\n", False),
    ("csv blank rows", "csv", "a\nb\n", b"a\n\nb\n\n", True),
    ("csv text is no number", "csv", "1\n", b"x\n", False),
    ("csv long field", "csv", "a\n", b"a" * 200_000, False),
    ("json order", "json", '{"a": 1, "b": [2.0]}', b'{"b":[2],"a":1}', True),
    ("json differs", "json", '{"a": 1}', b'{"a": 2}', False),
    ("json bool", "json", "true", b"1", False),
    ("json broken", "json", "{}", b"{", False),
    ("json deep", "json", "[]", b"[" * 100_000, False),
    ("json nan", "json", "NaN", b"NaN", True),
    ("json big int", "json", "1", b"1" * 10_000, False),
    ("json object is no tagged value", "json", '{"t": "int", "v": "0x1"}', b"1", False),
    ("not UTF-8", "json", "{}", b"\xff", False),
]


@pytest.mark.parametrize(("form", "expected", "content", "equal"), [t[1:] for t in FILES], ids=[t[0] for t in FILES])
def test_files(form: str, expected: str, content: bytes, equal: bool) -> None:
    file = ExpectedFile(name="out", text=expected, format=form)  # type: ignore[arg-type]
    check = Check(id="c", input=FilesInput(), expected=Expected(files=(file,)), comparator=Comparator(kind="file"))
    result = compare(check, Observed(b"", files=(("other", b""), ("out", content))))
    assert result.equal is equal
    assert result.message.startswith("file out: ") is not equal
    assert compare(check, Observed(b"")).message == "file out: it was not written"


def test_json_objects_survive_a_round_trip_through_the_comparator() -> None:
    text = json.dumps({"a": {"b": [1, {"c": None}]}})
    file = ExpectedFile(name="o.json", text=text, format="json")
    check = Check(id="c", input=FilesInput(), expected=Expected(files=(file,)))
    assert compare(check, Observed(b"", files=(("o.json", text.encode()),))).equal


MEGABYTE = 1 << 20
LONG_TOKENS = {
    "zeros then a fraction": "0" * MEGABYTE + ".1",
    "zeros then a letter": "0" * MEGABYTE + "x",
    "zeros, point, zeros, one": "0" * MEGABYTE + "." + "0" * MEGABYTE + "1",
    "nines, point, zeros, letter": "9" * MEGABYTE + "." + "0" * MEGABYTE + "x",
    "a long fraction": "0." + "9" * MEGABYTE,
    "an unfinished exponent": "1" * MEGABYTE + "e-",
    "a long exponent": "1e" + "9" * MEGABYTE,
    "signs": "-" * MEGABYTE,
    "points": "." * MEGABYTE,
}
"""Tokens on which a matcher that gives back what it took needs quadratic time: hours, not a slow test."""


@pytest.mark.parametrize("token", LONG_TOKENS.values(), ids=LONG_TOKENS.keys())
@pytest.mark.parametrize("kind", ["exact", "lines", "tokens", "floats", "apps", "value", "file"])
def test_every_comparator_reads_a_hostile_token_once(kind: str, token: str) -> None:
    for expected in ("5", "5.5"):
        assert not compare(text_check(expected, kind), Observed(stdout=token.encode())).equal


@pytest.mark.parametrize("token", LONG_TOKENS.values(), ids=LONG_TOKENS.keys())
def test_a_csv_cell_reads_a_hostile_token_once(token: str) -> None:
    file = ExpectedFile(name="a.csv", text="5", format="csv")
    check = Check(id="c", input=FilesInput(), expected=Expected(files=(file,)))
    assert not compare(check, Observed(stdout=None, files=(("a.csv", token.encode()),))).equal


@pytest.mark.parametrize(
    ("expected", "observed", "equal"),
    [
        ("0", "0" * MEGABYTE, True),
        ("0", "-" + "0" * MEGABYTE + "." + "0" * MEGABYTE, True),
        ("7", "+" + "0" * MEGABYTE + "7.", True),
        ("-7", "0" * MEGABYTE + "7", False),
        ("9" * MEGABYTE, "0" + "9" * MEGABYTE + ".0", True),
        ("9" * MEGABYTE, "9" * (MEGABYTE - 1) + "8", False),
        ("0.5", "0.5" + "0" * MEGABYTE, True),
    ],
    ids=["zeros", "minus zeros", "seven", "sign", "huge", "huge, last digit", "fraction"],
)
def test_long_numbers_are_compared_exactly(expected: str, observed: str, equal: bool) -> None:
    assert compare(text_check(expected, "floats"), Observed(stdout=observed.encode())).equal is equal
