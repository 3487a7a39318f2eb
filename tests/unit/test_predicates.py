from __future__ import annotations

from typing import Any

import pytest

from auditcoder.errors import PredicateError
from auditcoder.records.values import Opaque
from auditcoder.sandbox.predicate_builtins import FUNCTIONS
from auditcoder.sandbox.predicates import BUILTINS, MeteredEvaluator, check_expression

XS = [3, 1, 2]
HOLDS: list[tuple[str, dict[str, Any], bool]] = [
    ("result >= 0", {"result": 0}, True),
    ("len(result) == len(xs)", {"result": [1, 2, 3], "xs": XS}, True),
    ("result == sorted(xs)", {"result": [1, 2, 3], "xs": XS}, True),
    ("all(result[i] <= result[i + 1] for i in range(len(result) - 1))", {"result": [1, 3, 2]}, False),
    ("all(a <= b for a, b in zip(result, result[1:]))", {"result": [1, 2, 2]}, True),
    ("sum(xs) == result", {"xs": XS, "result": 6}, True),
    ("result in xs or result == -1", {"xs": XS, "result": -1}, True),
    ("0 <= lo < hi <= len(xs)", {"lo": 0, "hi": 3, "xs": XS}, True),
    ("x is None or x > 0", {"x": None}, True),
    ("x is not None and x > 0", {"x": 2}, True),
    ("isinstance(result, (int, float)) and not isinstance(result, bool)", {"result": 2.5}, True),
    ("isinstance(result, str)", {"result": "a"}, True),
    ("set(result) <= set(xs)", {"result": [1, 1], "xs": XS}, True),
    ("len({w.lower() for w in words}) == result", {"words": ["A", "a", "b"], "result": 2}, True),
    ("result.count('a') == s.count('a')", {"result": "aba", "s": "baa"}, True),
    ("''.join(sorted(s)) == ''.join(sorted(result))", {"s": "abc", "result": "cab"}, True),
    ("max(xs) - min(xs) == result", {"xs": XS, "result": 2}, True),
    ("min(xs, default=0) == result", {"xs": [], "result": 0}, True),
    ("max(words, key=len) == result", {"words": ["a", "bbb"], "result": "bbb"}, True),
    ("sorted(words, key=len, reverse=True)[0] == result", {"words": ["a", "bbb"], "result": "bbb"}, True),
    ("abs(result - x * 0.5) < 1e-9", {"result": 1.5, "x": 3}, True),
    ("result % 2 == 0 if even else result % 2 == 1", {"result": 3, "even": False}, True),
    ("d.get('a', 0) == 1 and 'b' not in d", {"d": {"a": 1}}, True),
    ("all(k in d and d[k] == v for k, v in result.items())", {"d": {"a": 1}, "result": {"a": 1}}, True),
    ("{k: len(v) for k, v in d.items()} == result", {"d": {"a": [1]}, "result": {"a": 1}}, True),
    ("n in range(1, 10**9)", {"n": 5}, True),
    ("any(x == y for x in xs for y in ys)", {"xs": [1, 2], "ys": [2]}, True),
    ("x > 0 and all(x for x in xs)", {"x": 1, "xs": [1]}, True),
    ("result[::-1] == result", {"result": "abba"}, True),
    ("str(n)[::-1] == str(n)", {"n": 1221}, True),
    ("divmod(n, 3)[1] == n % 3", {"n": 17}, True),
    ("pow(2, 100, 7) == 2 ** 100 % 7", {}, True),
    ("sum(1 for c in s if c.isdigit()) == result", {"s": "a1b2", "result": 2}, True),
    ("list(map(int, s.split())) == result", {"s": "1 2", "result": [1, 2]}, True),
    ("all(len(row) == len(grid[0]) for row in grid)", {"grid": [[1, 2], [3, 4]]}, True),
    ("(1 << n) - 1 == result", {"n": 4, "result": 15}, True),
    ("xs and xs[0]", {"xs": [1]}, True),
    ("xs", {"xs": []}, False),
    ("(~x & 255) == 255 - x", {"x": 5}, True),
    ("(a | b) == {1, 2}", {"a": {1}, "b": {2}}, True),
    ("all(i == x for i, x in enumerate(xs))", {"xs": [0, 1]}, True),
    ("round(x, 2) == 3.14", {"x": 3.14159}, True),
    ("tuple(xs) == t and list(t) == xs", {"xs": [1], "t": (1,)}, True),
    ("max == 3", {"max": 3}, True),
    ("1 < 0 < missing_is_not_reached[5]", {"missing_is_not_reached": []}, False),
    ("list({3, 1, 2}) == [1, 2, 3]", {}, True),
    ("float('inf') > x", {"x": 1e308}, True),
    ("ord('a') == 97 and chr(97) == 'a'", {}, True),
    ("a.issubset(b) and not a.isdisjoint(b)", {"a": {1}, "b": {1, 2}}, True),
    ("x is None or ys == [1]", {"x": Opaque("m.C"), "ys": [1]}, True),
    ("len(xs) == 2", {"xs": [Opaque("m.C"), 1]}, True),
]


@pytest.mark.parametrize(("expression", "values", "truth"), HOLDS, ids=[e for e, _, _ in HOLDS])
def test_ordinary_predicates(expression: str, values: dict[str, Any], truth: bool) -> None:
    assert MeteredEvaluator().holds(expression, values) is truth
    assert check_expression(expression, tuple(values)) == ""


FAILS: list[tuple[str, dict[str, Any], str]] = [
    ("result > 0", {}, "failed"),
    ("xs[5] == 1", {"xs": [1]}, "failed"),
    ("1 / x > 0", {"x": 0}, "failed"),
    ("x > 0", {"x": "a"}, "failed"),
    ("x == 1", {"x": Opaque("m.C")}, "failed"),
    ("not x", {"x": Opaque("m.C")}, "failed"),
    ("x", {"x": Opaque("m.C")}, "failed"),
    ("xs == ys", {"xs": [Opaque("m.C")], "ys": [Opaque("m.C")]}, "failed"),
    ("x in xs", {"x": 1, "xs": [Opaque("m.C")]}, "failed"),
    ("x", {"x": object()}, "failed"),
    ("x", {"x": 1 << 5000}, "failed"),
    ("(i for i in xs)", {"xs": [1]}, "failed"),
    ("len", {}, "failed"),
    ("x is 5", {"x": 5}, "failed"),
    ("(-8) ** 0.5 == 1", {}, "failed"),
    ("'%d' % 5 == '5'", {}, "failed"),
    ("helper(x)", {"x": 1}, "failed"),
    ("all(i >= 0 for i in range(10**9))", {}, "budget"),
    ("x >", {"x": 1}, "refused"),
    ("x = 1", {"x": 1}, "refused"),
    ("", {}, "refused"),
    ("x.real", {"x": 1}, "refused"),
]


@pytest.mark.parametrize(("expression", "values", "reason"), FAILS, ids=[e or "empty" for e, _, _ in FAILS])
def test_what_cannot_be_evaluated_says_why(expression: str, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(PredicateError) as caught:
        MeteredEvaluator().holds(expression, values)
    assert caught.value.fields["reason"] == reason
    assert caught.value.message


CHECKS = [
    ("result > limit", ("result",), "unknown name 'limit'"),
    ("helper(x) > 0", ("x",), "unknown name 'helper'"),
    ("all(y > 0 for y in xs) and y", ("xs",), "unknown name 'y'"),
    ("print(x)", ("x",), "'print'"),
    ("x.__class__", ("x",), "'__class__'"),
    ("x if", ("x",), "not an expression"),
    ("f'{x}' == '1'", ("x",), "JoinedStr"),
    ("(lambda: x)()", ("x",), "Lambda"),
    ("1 + " * 200 + "1", (), "longer than"),
]


@pytest.mark.parametrize(("expression", "names", "part"), CHECKS, ids=[c[0][:30] for c in CHECKS])
def test_check_expression_says_why_it_refuses(expression: str, names: tuple[str, ...], part: str) -> None:
    assert part in check_expression(expression, names)


def test_the_policy_and_the_runtime_know_the_same_builtins() -> None:
    assert frozenset(FUNCTIONS) == BUILTINS


def test_values_that_are_not_named_are_not_looked_at() -> None:
    assert MeteredEvaluator().holds("x > 0", {"x": 1, "self": object(), "big": list(range(10**6))})


def test_evaluation_never_changes_the_values() -> None:
    values = {"xs": [3, 1], "d": {"a": [1]}}
    MeteredEvaluator().holds("sorted(xs) and d.copy() and xs.copy() + [1]", values)
    assert values == {"xs": [3, 1], "d": {"a": [1]}}


def test_the_budget_alone_decides() -> None:
    expression, values = "all(x >= 0 for x in xs)", {"xs": list(range(100))}
    needed = next(n for n in range(2000) if _within(n, expression, values))
    assert not _within(needed - 1, expression, values)
    assert [_within(needed, expression, values) for _ in range(5)] == [True] * 5


def _within(steps: int, expression: str, values: dict[str, Any]) -> bool:
    try:
        return MeteredEvaluator(steps=steps).holds(expression, values)
    except PredicateError as error:
        return error.fields["reason"] != "budget"
