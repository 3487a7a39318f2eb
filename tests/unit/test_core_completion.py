from __future__ import annotations

import pytest

from auditcoder.core.completion import missing_imports


@pytest.mark.parametrize(
    ("source", "added"),
    [
        ("def f(x):\n    return Counter(x)", ("from collections import Counter",)),
        ("def f(x):\n    return math.gcd(x, heapq.heappop(x))", ("import heapq", "import math")),
        ("def f(x: List[int]) -> Optional[int]:\n    pass", ("from typing import List", "from typing import Optional")),
        ("class A:\n    def m(self):\n        return deque()", ("from collections import deque",)),
        ("def f(xs):\n    return [gcd(a, b) for a, b in xs]", ("from math import gcd",)),
        ("class A:\n    def m(self) -> A:\n        return A()", ("from __future__ import annotations",)),
        (
            "class A:\n    def m(self, o: list[A]):\n        return deque()",
            ("from __future__ import annotations", "from collections import deque"),
        ),
    ],
    ids=["from-import", "modules", "annotations", "method", "comprehension", "own-class", "own-class-and-another"],
)
def test_known_names_that_nobody_defines_are_imported(source: str, added: tuple[str, ...]) -> None:
    assert missing_imports(source) == added


@pytest.mark.parametrize(
    "source",
    [
        "import math\ndef f(x):\n    return math.sqrt(x)",
        "def f(math):\n    return math.sqrt(1)",
        "def f():\n    Counter = dict\n    return Counter()",
        "def gcd(a, b):\n    return a\ndef f(a):\n    return gcd(a, 1)",
        "def f(x):\n    return x.Counter, 'math'",
        "def f(x):\n    return unknown_name(x)",
        "from __future__ import annotations\nclass A:\n    def m(self) -> A:\n        return A()",
        "class A:\n    def m(self) -> 'A':\n        return A()",
        "def f(:",
        "",
        "\x00",
    ],
    ids=[
        "imported",
        "parameter",
        "local",
        "own-function",
        "attribute",
        "unknown",
        "late-already",
        "as-text",
        "syntax-error",
        "empty",
        "nul",
    ],
)
def test_nothing_else_is_added(source: str) -> None:
    assert missing_imports(source) == ()


def test_names_of_other_nodes_are_not_imported() -> None:
    assert missing_imports("def f(a):\n    return gcd(a, 1)", {"gcd"}) == ()
