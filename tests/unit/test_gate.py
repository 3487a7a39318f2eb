from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from auditcoder.sandbox.gate import GateFinding, gate

ADMITTED = [
    ("item augmented", "a = [1]\na[0] += 1\n"),
    ("attribute augmented", "class A:\n    def f(self):\n        self.x += 1\n"),
    ("annotations", "x: int = 1\ndef f(a: 'int', *b: str) -> list[int]:\n    y: float\n    return [a]\n"),
    ("nonlocal and global", "def f():\n    global g\n    n = 0\n    def h():\n        nonlocal n\n        n += 1\n"),
    ("match a sequence", "match x:\n    case [1, *rest]:\n        pass\n    case _:\n        pass\n"),
    ("match others", "match x:\n    case {'a': b, **r}:\n        pass\n    case P(x=1) | None:\n        pass\n"),
    ("entry guard", "if __name__ == '__main__':\n    print(input())\n"),
    ("private names", "_cache = {}\ndef _helper(_x):\n    return _cache\n__private = 1\n"),
    ("own private attributes", "class A:\n    def __init__(self):\n        self._x = 1\n        self.__y = self._x\n"),
    ("class private attributes", "class A:\n    @classmethod\n    def f(cls):\n        return cls._x\n"),
    ("super", "class A(B):\n    def __init__(self):\n        super().__init__()\n"),
    ("dunder methods", "class A:\n    def __len__(self):\n        return 1\n    def __iter__(s):\n        yield 1\n"),
    ("dunder class names", "class A:\n    __slots__ = ('x',)\n    __radd__ = None\n"),
    ("ordinary imports", "import sys, math\nfrom collections import defaultdict as dd\nimport numpy as np\n"),
    ("walrus, lambda, star", "print(*[y for x in [1] if (y := x)], sep='')\nf = lambda *a, **k: a\nf(*[1], **{})\n"),
    ("try, with, del, assert", "try:\n    with f() as (a, b):\n        del a\nexcept E as _e:\n    assert b\n"),
    ("print as a value", "f = print\nprinted = True\nprint(printed)\n"),
    ("constant getattr", "getattr(x, 'name', None)\n"),
    ("generators", "def f():\n    yield from [1]\n    return {**a}, {1}, f'{x!r:>5}'\n"),
]  # fmt: skip


@pytest.mark.parametrize("source", [s for _, s in ADMITTED], ids=[n for n, _ in ADMITTED])
def test_ordinary_programs_have_no_finding(source: str) -> None:
    assert gate(source).findings == ()


REFUSED = [
    ("dunder attribute", "x = 1\n().__class__\n", 2, "private-attribute"),
    ("dict attribute", "x.__dict__\n", 1, "private-attribute"),
    ("private of others", "import collections\ncollections._sys\n", 2, "private-attribute"),
    ("rebound self", "import collections as self\nself._sys\n", 2, "private-attribute"),
    ("self as a plain parameter", "def f(self):\n    return self._sys\n", 2, "private-attribute"),
    ("self as another parameter", "class A:\n    def f(x, self):\n        self._sys\n", 3, "private-attribute"),
    ("self assigned", "class A:\n    def f(self):\n        self = x\n        self._y\n", 4, "private-attribute"),
    ("self as class", "class self:\n    pass\nself._x\n", 3, "private-attribute"),
    ("self in lambda", "(lambda self: self._x)(m)\n", 1, "private-attribute"),
    ("self by match", "match m:\n    case self:\n        self._x\n", 3, "private-attribute"),
    ("hook-like private", "class A:\n    def f(self):\n        self._x_\n", 3, "private-attribute"),
    ("super dunder", "class A:\n    def f(self):\n        super().__reduce__()\n", 3, "private-attribute"),
    ("match attribute", "match x:\n    case P(__class__=c):\n        pass\n", 2, "private-attribute"),
    ("frames", "def g():\n    yield\ng().gi_frame\n", 3, "private-attribute"),
    ("hook name", "_getattr_ = getattr\n", 1, "name"),
    ("builtins name", "__builtins__\n", 1, "name"),
    ("dunder import", "__import__('os')\n", 1, "name"),
    ("global hook", "def f():\n    global _write_\n", 2, "name"),
    ("hook import", "from math import pi as _getiter_\n", 1, "name"),
    ("dunder def outside", "def __getattr__(name):\n    pass\n", 1, "name"),
    ("odd dunder in class", "class A:\n    def __getattribute__(self, n):\n        pass\n", 2, "name"),
    ("dunder in nested function", "class A:\n    def f(self):\n        def __eq__(a, b):\n            3\n", 3, "name"),
    ("metaclass", "class A(metaclass=M):\n    pass\n", 1, "metaclass"),
    ("star import", "from math import *\n", 1, "import"),
    ("os", "import os\n", 1, "import"),
    ("os path", "from os.path import join\n", 1, "import"),
    ("subprocess", "import math, subprocess as math2\n", 1, "import"),
    ("ctypes late", "def f():\n    import ctypes\n", 2, "import"),
    ("socket", "from socket import socket\n", 1, "import"),
    ("relative", "from . import x\n", 1, "import"),
    ("low thread", "import _thread\n", 1, "import"),
    ("async", "async def f():\n    pass\n", 1, "statement"),
    ("except star", "try:\n    pass\nexcept* E:\n    pass\n", 1, "statement"),
    ("eval", "eval('1')\n", 1, "dynamic-code"),
    ("exec in lambda", "f = lambda s: exec(s)\n", 1, "dynamic-code"),
    ("compile", "compile('1', '', 'eval')\n", 1, "dynamic-code"),
    ("globals", "globals()['x']\n", 1, "dynamic-code"),
    ("computed getattr", "getattr(x, '__cl' + 'ass__')\n", 1, "computed-attribute"),
    ("private getattr", "getattr(x, '__class__')\n", 1, "computed-attribute"),
    ("in an annotation", "x: ().__class__ = 1\n", 1, "private-attribute"),
    ("in a default", "def f(a=().__class__):\n    pass\n", 1, "private-attribute"),
    ("in a decorator", "@x.__class__\ndef f():\n    pass\n", 1, "private-attribute"),
    ("in an f-string", "f'{x.__class__}'\n", 1, "private-attribute"),
    ("in a target", "x.__class__ = y\n", 1, "private-attribute"),
    ("in an augmented target", "x.__dict__['a'] += 1\n", 1, "private-attribute"),
    ("syntax", "x = 1\ndef f(:\n", 2, "syntax"),
    ("null byte", "x\x00", 0, "syntax"),
    ("too deep", "x = " + "-" * 5000 + "1", 0, "syntax"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "line", "rule"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_each_finding_names_line_and_rule(source: str, line: int, rule: str) -> None:
    found = {(finding.line, finding.rule) for finding in gate(source).findings}
    assert (line, rule) in found or (rule == "syntax" and any(r == "syntax" for _, r in found))


def test_only_strict_turns_a_program_away_and_never_a_clean_one() -> None:
    bad, good = gate("import os\n"), gate("import math\n")
    assert [bad.rejects("off"), bad.rejects("warn"), bad.rejects("strict")] == [False, False, True]
    assert not good.rejects("strict")
    assert good.clean
    assert bad.findings == (GateFinding(1, "import", "the module os is not on the allow-list"),)


def test_findings_come_in_line_order_without_repeats() -> None:
    report = gate("x.__dict__\nimport os\nx.__dict__; x.__dict__\n")
    assert [f.line for f in report.findings] == [1, 2, 3]


DATA = os.environ.get("AUDITCODER_DATA", "")


@pytest.mark.skipif(not DATA, reason="AUDITCODER_DATA names no folder with the benchmark packs")
def test_measured_acceptance_of_published_programs() -> None:
    root = Path(DATA)
    with gzip.open(root / "humaneval" / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    assert _share([row["prompt"] + row["canonical_solution"] for row in rows]) >= 0.99
    assert _share([row["code"] for row in _lines(root / "llm-programs" / "apps.jsonl")]) >= 0.985
    classes = json.loads((root / "classeval" / "ClassEval_data_60.json").read_text(encoding="utf-8"))
    reports = [gate(item["solution_code"]) for item in classes]
    assert sum(report.clean for report in reports) / len(reports) >= 0.8
    assert sum(all(f.rule == "import" for f in report.findings) for report in reports) / len(reports) >= 0.95


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _share(sources: list[str]) -> float:
    return sum(gate(source).clean for source in sources) / len(sources)
