"""Hostile expressions: each ends within its budget, small, and without reaching anything outside."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from auditcoder.errors import PredicateError
from auditcoder.sandbox.predicates import MeteredEvaluator

MEMORY = 60 * 2**20
VALUES: dict[str, Any] = {
    "x": 7,
    "s": "abc" * 100,
    "xs": list(range(500)),
    "d": {str(i): i for i in range(200)},
    "deep": [[[[[1]]]]],
    "words": ["a" * 200] * 200,
    "mersenne": [i * (2**61 - 1) for i in range(2000)],
}
DOUBLED = (
    "[a for b in [[xs,xs]] for c in [[b,b]] for e in [[c,c]] for f in [[e,e]] for g in [[f,f]] for h in [[g,g]] "
    + ("for i in [[h,h]] for j in [[i,i]] for k in [[j,j]] for l in [[k,k]] for m in [[l,l]] for a in [[m,m]]]")
)
TUPLES = (
    "for b in [(xs[0],xs[0])] for c in [(b,b)] for e in [(c,c)] for f in [(e,e)] for g in [(f,f)] for h in [(g,g)] "
    "for i in [(h,h)] for j in [(i,i)] for k in [(j,j)] for l in [(k,k)] for m in [(l,l)] for n in [(m,m)] "
    "for o in [(n,n)] for p in [(o,o)] for q in [(p,p)] for r in [(q,q)] for t in [(r,r)] "
    "for u in [(t,t)] for v in [(u,u)] for w in [(v,v)] for a in [(w,w)]"
)

REFUSED = [
    "().__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__.__mro__",
    "''.__class__.__base__.__subclasses__()",
    "[].append(1)",
    "xs.clear()",
    "xs.sort()",
    "d.update(d)",
    "d.pop('1')",
    "s.format(1)",
    "'{0.__class__}'.format(x)",
    "'{}'.format_map(d)",
    "f'{x}'",
    "f'{1:>1000000000}'",
    "s.encode()",
    "s.center(10**9)",
    "s.ljust(10**9)",
    "s.zfill(10**9)",
    "s.expandtabs(10**9)",
    "s.translate(d)",
    "x.to_bytes(10**9, 'big')",
    "x.numerator",
    "(lambda: 1)()",
    "(lambda f: f(f))(lambda f: f(f))",
    "(y := 5)",
    "[*xs]",
    "{**d}",
    "dict(**d)",
    "max(*xs)",
    "b'a' * 10**9",
    "1j ** 2",
    "...",
    "[i async for i in xs]",
    "await x",
    "(yield)",
    "(yield from xs)",
    "[0 for xs[0] in [1]]",
    "[0 for d.x in [1]]",
    "_getattr_(x, 'real')",
    "_bin_('Add', 1, 2)",
    "__import__('os')",
    "__builtins__",
    "x @ x",
    "print(x)",
    "printed",
    "1" * 400,
    "(" * 150 + "1" + ")" * 150 + "+",
    "-" * 200 + "1",
    "not " * 100 + "x",
    "x\n; import os",
    "import os",
    "x\x00",
    "\ud800",
    "x if x",
    "[i for i in xs for j in xs" + " if 1" * 200 + "]",
    "gi_frame",
    "(i for i in xs).gi_frame.f_back",
    "len.__self__",
    "type(x)",
    "'%s'.__mod__(1)",
]
BUDGET = [
    "all(True for i in range(10**18))",
    "sum(i for i in range(10**9)) > 0",
    "[i for i in range(10**9)]",
    "[[j for j in range(1000)] for i in range(1000)]",
    "any(i in xs and False for i in range(10**7))",
    "sum([xs for i in range(10**6)], []) == 0",
    "set(range(10**8))",
    "{i: i for i in range(10**8)}",
    "list(range(10**8))",
    "sorted(range(10**8))",
    "max(range(10**12))",
    "dict(zip(range(10**8), range(10**8)))",
    "list(map(abs, range(10**8)))",
    "list(enumerate(range(10**8)))",
    "reversed(range(10**8))",
    "0.5 in range(10**12)",
    "range(10**12).count(0.5)",
    "{i * (2**61 - 1) for i in range(50000)}",
    "set(mersenne) and False",
    "[i * (2**61 - 1) in {0} for i in range(10**6)]",
    DOUBLED + " == " + DOUBLED[:-1].replace("xs,xs", "xs,x") + "]",
    "[{a} " + TUPLES + "]",
    "[hash_ for hash_ in [1] if [a in {1} " + TUPLES + "]]",
    "[{a: 1} " + TUPLES + "]",
    "[min(a, a) and a < (1,) and a == (a,) and a " + TUPLES + "]",
    "[w for w in [s * 300] for i in range(10**6) if w + 'x' == w]",
    "[s.replace('a', 'bb') for i in range(10**6)]",
    "[' '.join(words) for i in range(10**6)]",
    "[s.split('a') for i in range(10**6)]",
    "[pow(x, 10**18, 10**18 + 9) for i in range(10**6)]",
    "[str(2**2000) for i in range(10**6)]",
    "[sorted(xs) for i in range(10**6)]",
    "sorted([sorted(xs) for i in range(300)])",
]
FAILED = [
    "'a' * 10**9",
    "[0] * 10**9",
    "10**9 * (0,)",
    "s * 10**18",
    "9**9**9",
    "x ** (2**64 - 1)",
    "pow(9, 9**9)",
    "1 << 10**10",
    "2**2000 * 2**2000",
    "'%1000000000d' % 1",
    "'%s' % x",
    "int('9' * 5000)",
    "float('1' * 100000)",
    "s.replace('', 'x' * 99999)",
    "'x'.join(['y' * 90000, 'z' * 90000])",
    "str(xs)",
    "str(len)",
    "len == len",
    "{len}",
    "xs[xs]",
    "d[xs]",
    "xs + s",
    "d * 2",
    "len(10**9)",
    "range(10**5000)",
    "isinstance(x, len)",
    "min(xs, clock=1)",
    "(x for x in xs) == (x for x in xs)",
    "s[x.bit_length]",
    "1 / 0",
    "10.0 ** 400",
    "round(0.5, 10**9, 3)",
    "x()",
    "s.startswith(5)",
    "int(x, 10**9)",
    "chr(-1)",
]
HARMLESS = [
    ("round(x, -10**9) == 0", True),
    ("s[0:10**18] == s", True),
    ("xs[::-1][0] == 499", True),
    ("10**9 in range(10**18)", True),
    ("len(range(10**18)) == 10**18", True),
    ("0 ** 10**18 == 0", True),
    ("(-1) ** 10**18 == 1", True),
    ("'a' * -10**18 == ''", True),
    ("float('nan') == float('nan')", False),
    ("deep == [[[[[1]]]]]", True),
    ("list({'b', 'a', 1, 0.5}) == [0.5, 1, 'a', 'b']", True),
]


@pytest.mark.parametrize("expression", REFUSED, ids=[ascii(e[:40]) for e in REFUSED])
def test_refused_before_anything_runs(expression: str) -> None:
    assert _outcome(expression) in ("refused", "failed: no name")


@pytest.mark.parametrize("expression", BUDGET, ids=[e[:40] for e in BUDGET])
def test_ends_with_the_budget(expression: str) -> None:
    assert _outcome(expression) == "budget"


@pytest.mark.parametrize("expression", FAILED, ids=[e[:40] for e in FAILED])
def test_fails_small(expression: str) -> None:
    assert _outcome(expression) == "failed"


@pytest.mark.parametrize(("expression", "truth"), HARMLESS, ids=[e for e, _ in HARMLESS])
def test_odd_but_harmless(expression: str, truth: bool) -> None:
    assert _outcome(expression) is truth


def _outcome(expression: str) -> bool | str:
    """Return the truth, or the reason of the error; the peak of memory is checked in each case."""
    tracemalloc.start()
    try:
        return MeteredEvaluator().holds(expression, VALUES)
    except PredicateError as error:
        no_name = "has no value" in error.message
        return "failed: no name" if no_name else str(error.fields["reason"])
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MEMORY
