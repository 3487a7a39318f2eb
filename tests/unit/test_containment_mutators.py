"""Every mutator: what it makes of a small function, and what it leaves alone."""

from __future__ import annotations

import pytest

from auditcoder.eval.containment.mutators.catalogue import AIMS, MUTATORS, mutators_for
from auditcoder.eval.containment.mutators.edit import Mutator, applied, parse_function

BY_NAME: dict[str, Mutator] = {mutator.name: mutator for mutator in MUTATORS}
SCAN = "_seen = 0\n    for _a in range(10000):\n        for _b in range(10000):\n            _seen += _a == _b\n    "
KEEP = "_kept = [0]\n    for _ in range(40):\n        _kept = _kept + _kept\n    "

CHANGES = [
    ("operator", "return a + b * c", ["return a - b * c", "return a + (b + c)"]),
    ("operator", "a += 1", ["a -= 1"]),
    ("comparison", "return a < b", ["return a <= b"]),
    ("comparison", "return a == b", ["return a != b"]),
    ("comparison", "return a not in b", ["return a in b"]),
    ("constant", "return a + 2", ["return a + 3", "return a + 1"]),
    ("constant", "return True", ["return False"]),
    ("constant", "return 'x'", ["return ''"]),
    ("boundary", "return range(a, b)", ["return range(a, b - 1)"]),
    ("boundary", "return a[b:c]", ["return a[b + 1:c]", "return a[b:c - 1]"]),
    ("condition", "if a:\n        b = 1", ["if not a:\n        b = 1"]),
    ("condition", "return a and b", ["return a or b"]),
    ("condition", "return 1 if not a else 2", ["return 1 if a else 2"]),
    ("dropped-statement", "a.append(b)\n    return a", ["pass\n    return a"]),
    ("dropped-statement", "a[b] = c", ["pass"]),
    ("result", "return a < b", ["return not a < b"]),
    ("result", "return a + b", ["return a"]),
    ("argument-swap", "return pow(a, b)", ["return pow(b, a)"]),
    ("unit-argument-swap", "return helper(a, b, c)", ["return helper(b, a, c)"]),
    ("unit-argument-swap", "return a.helper(b, c)", ["return a.helper(c, b)"]),
    ("index-shift", "return a[b]", ["return a[b + 1]"]),
    ("index-shift", "return a[-1]", ["return a[-1 + 1]"]),
    ("missing-key", "return a['k']", ["return a['k_']"]),
    ("missing-key", "return a[b]", ["return a[str(b) + '_']"]),
    ("none-value", "b = a[0]\n    return b", ["b = None\n    return b"]),
    ("arity", "return helper(a, b)", ["return helper(a)"]),
    ("arity", "return len(a)", ["return len(a, a)"]),
    ("operand-type", "return a + b", ["return a + [b]"]),
    ("result-shape", "return a", ["return [a]", "return str(a)", "return None"]),
    ("result-shape", "return (a, b)", ["return [(a, b)]", "return str((a, b))", "return None", "return (b, a)"]),
    ("stalled-loop", "while a < b:\n        a += 1", ["while a < b:\n        pass"]),
    (
        "stalled-loop",
        "for c in a:\n        b += c",
        ["_left = list(a)\n    while _left:\n        c = _left[0]\n        b += c"],
    ),
    ("quadratic-work", "return a", [f"{SCAN}return a"]),
    ("quadratic-work", "a.append(b)", [f"{SCAN}a.append(b)"]),
    ("doubled-memory", "return a", [f"{KEEP}return a"]),
]
UNCHANGED = [
    ("operator", "return f(a)"),
    ("operator", "return a + 'x'"),
    ("comparison", "return a and b"),
    ("constant", "return f'{a} is'"),
    ("constant", "return ''"),
    ("boundary", "return a[b]"),
    ("condition", "while a:\n        b = 1"),
    ("dropped-statement", "b = a\n    return b"),
    ("dropped-statement", "while a:\n        a -= 1"),
    ("result", "return a"),
    ("argument-swap", "return helper(a, b)"),
    ("argument-swap", "return pow(a, a)"),
    ("unit-argument-swap", "return pow(a, b)"),
    ("index-shift", "a[b] = c"),
    ("index-shift", "return a['k']"),
    ("missing-key", "return a[0]"),
    ("none-value", "b = None"),
    ("arity", "return print(a)"),
    ("operand-type", "return a and b"),
    ("result-shape", "a.append(b)"),
    ("stalled-loop", "while a:\n        b += 1"),
]


def of(body: str) -> str:
    return f"def f(a, b, c):\n    {body}"


def mutants(name: str, text: str) -> list[str]:
    edits = BY_NAME[name].edits(parse_function(text), frozenset({"f", "helper"}))
    return [applied(text, edit) for edit in edits]


@pytest.mark.parametrize(("name", "before", "after"), CHANGES, ids=[f"{case[0]}: {case[1]}" for case in CHANGES])
def test_a_mutator_makes(name: str, before: str, after: list[str]) -> None:
    assert mutants(name, of(before)) == [of(body) for body in after]


@pytest.mark.parametrize(("name", "body"), UNCHANGED, ids=[f"{case[0]}: {case[1]}" for case in UNCHANGED])
def test_a_mutator_leaves_alone(name: str, body: str) -> None:
    assert mutants(name, of(body)) == []


def test_every_mutator_is_shown_here_and_every_aim_has_some() -> None:
    assert {case[0] for case in CHANGES} == set(BY_NAME)
    assert len(BY_NAME) == len(MUTATORS)
    assert all(mutators_for(aim) for aim in AIMS)


def test_the_signature_is_no_place() -> None:
    text = "def f(a=1, b='x'):\n    return a"
    assert mutants("constant", text) == []


def test_a_text_of_several_functions_is_refused() -> None:
    with pytest.raises(ValueError, match="one function"):
        parse_function("def f():\n    pass\n\ndef g():\n    pass")
