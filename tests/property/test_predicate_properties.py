from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from auditcoder.errors import PredicateError
from auditcoder.sandbox.predicates import BUILTINS, MeteredEvaluator, check_expression

ATOMS = st.sampled_from(
    ["x", "xs", "0", "1", "2.5", "'a'", "[]", "{}", "set(xs)", "None", "10**9", "s", *sorted(BUILTINS)]
)
GLUE = st.sampled_from(
    (
        "{0} + {1}|{0} * {1}|{0} in {1}|{0} < {1} <= {0}|{0}({1})|[{0} for x in {1}]|{{{0}: {1}}}|{0}[{1}]"
        "|{0} ** {1}|not {0}|{0} if {1} else {0}|{0}.count({1})|{0} and {1}|all({0} for y in {1})"
    ).split("|")
)
EXPRESSIONS = st.recursive(
    ATOMS, lambda inner: st.builds(lambda g, a, b: "(" + g.format(a, b) + ")", GLUE, inner, inner), max_leaves=12
)
VALUES: dict[str, Any] = {"x": 3, "xs": [1, 2, 3], "s": "abca"}


@given(EXPRESSIONS | st.text(max_size=30))
def test_an_answer_or_our_error_and_twice_the_same(expression: str) -> None:
    first, second = _outcome(expression), _outcome(expression)
    assert first == second
    assert isinstance(check_expression(expression, tuple(VALUES)), str)


def _outcome(expression: str) -> tuple[str, object]:
    try:
        return ("holds", MeteredEvaluator(steps=20_000).holds(expression, VALUES))
    except PredicateError as error:
        return ("error", error.fields["reason"])


@given(st.lists(st.integers(-50, 50), max_size=8))
def test_it_agrees_with_python_on_lists(xs: list[int]) -> None:
    evaluator = MeteredEvaluator()
    for expression in (
        "sorted(xs) == sorted(set(xs))",
        "sum(xs) % 7 > 3",
        "any(a > b for a, b in zip(xs, xs[1:]))",
        "len({x % 3 for x in xs}) == len(xs)",
        "xs == xs[::-1]",
        "max(xs, default=0) - min(xs, default=0) > 20",
    ):
        assert evaluator.holds(expression, {"xs": xs}) is bool(eval(expression, {"xs": xs}))
