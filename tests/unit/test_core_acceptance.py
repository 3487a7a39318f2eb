from __future__ import annotations

import pytest

from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.linking import last_resort
from auditcoder.core.parsing import Refusal
from auditcoder.core.plan import PlannedStep, build_graph, single_owner_graph
from auditcoder.records.graph import ROOT
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task, TextFile

SOLVE = FunctionSignature(name="solve", parameters=(Parameter(name="n"), Parameter(name="k")))
FUNCTION = Task(
    id="f",
    statement="Do it.",
    entry=EntryPoint(kind="function", name="solve", signature=SOLVE),
    prelude="from math import gcd\ndef given(x):\n    return x\n",
)
PROGRAM = Task(id="p", statement="Do it.", entry=EntryPoint(kind="program"))
SCRIPT = Task(
    id="s",
    statement="Do it.",
    entry=EntryPoint(kind="script", outputs=("out.txt",)),
    files=(TextFile(name="in.txt", text="1"),),
)
PUT = FunctionSignature(name="put", parameters=(Parameter(name="x"),))
CLASS = Task(id="c", statement="Do it.", entry=EntryPoint(kind="class", name="Box", methods=(PUT,)))
STEPS = (
    PlannedStep("halve", "Halves.", "simulation", ("n",), "half"),
    PlannedStep("grow", "Grows.", "simulation", ("half", "k"), "grown"),
)
GRAPH = build_graph(FUNCTION, STEPS, lambda expression, names: "")
GROW = "def grow(half, k):\n    return half + k\n"


def accept(source: str) -> AcceptedSource | Refusal:
    """Accept a source for the second step of the plan."""
    return accept_source(source, GRAPH.node("S2"), FUNCTION, {"halve"})


def alone(source: str, task: Task) -> AcceptedSource | Refusal:
    """Accept a source as the only owner's."""
    return accept_source(source, single_owner_graph(task).node(ROOT), task, ())


KEPT = {
    "plain": GROW,
    "helper": "def _twice(x):\n    return 2 * x\n\n\n" + GROW,
    "constants-that-are-used": "TABLE = [1, 2]\n\n\ndef grow(half, k):\n    return TABLE[half]\n",
    "chain-of-constants": "A = 1\nB = A + 1\n\n\ndef grow(half, k):\n    return B\n",
    "filled-table": "T = {}\nfor i in range(9): T[i] = i\n\n\ndef grow(half, k):\n    return T[half]\n",
    "filled-by-a-helper": "T = []\n\n\ndef fill():\n    T.append(1)\n\n\nfill()\n\n\n" + GROW.replace("+ k", "+ T[0]"),
    "recursion-limit": "import sys\n\n\nsys.setrecursionlimit(10**6)\n\n\n" + GROW,
    "optional-import": "try:\n    import m\nexcept ImportError:\n    m = 0\n\n\n" + GROW.replace("+ k", "+ m"),
    "defaults-after-the-contract": "def grow(half, k, memo=None, *rest, deep=0, **more):\n    return half\n",
    "shadowing-locals": "def grow(half, k):\n    halve = solve = half\n    return halve\n",
    "method-like-a-foreign-name": "class Part:\n    def halve(self): return 1\n\n\n" + GROW,
    "settings-of-objects": "def helper(): pass\n\n\nhelper.calls = 0\n\n\n" + GROW,
}


@pytest.mark.parametrize("source", list(KEPT.values()), ids=list(KEPT))
def test_what_a_node_needs_must_not_change(source: str) -> None:
    assert accept(source) == AcceptedSource(source)


STRIPPED = {
    "foreign-function": ("def halve(n): return n\n", "foreign-definition `halve` (line 1): def halve(n): return n"),
    "foreign-lambda": ("halve = lambda n: n\n", "foreign-definition `halve` (line 1): halve = lambda n: n"),
    "foreign-class": ("class halve: pass\n", "foreign-definition `halve` (line 1): class halve: pass"),
    "entry-function": ("def solve(n, k): return n\n", "foreign-definition `solve` (line 1): def solve(n, k): return n"),
    "prelude-function": ("def given(x): return x\n", "foreign-definition `given` (line 1): def given(x): return x"),
    "foreign-import": ("from steps import halve\n", "foreign-import `halve` (line 1): from steps import halve"),
    "own-import": ("from steps import grow\n", "foreign-import `grow` (line 1): from steps import grow"),
    "stub": ('def grow(half, k):\n    """Grows."""\n', "superseded-definition `grow` (line 1): def grow(half, k):"),
    "docstring": ('"""A step."""\n', 'docstring (line 1): """A step."""'),
    "unused-constant": ("LIMIT = 3\n", "unused-statement (line 1): LIMIT = 3"),
    "comment-goes-along": ("# try it\nx = 1\n", "unused-statement (line 2): x = 1"),
    "unittest": ("import unittest\nclass TestGrow(unittest.TestCase): pass\n", "test-code `TestGrow` (line 2): class"),
}


@pytest.mark.parametrize(("extra", "report"), list(STRIPPED.values()), ids=list(STRIPPED))
def test_what_is_not_the_nodes_is_taken_out_and_reported(extra: str, report: str) -> None:
    outcome = accept(extra + GROW)
    assert isinstance(outcome, AcceptedSource)
    assert len(outcome.stripped) == 1
    assert outcome.stripped[0].startswith(report)
    assert outcome.source.endswith(GROW)
    assert "steps" not in outcome.source


AFTER = {
    "guard": 'if __name__ == "__main__":\n    print(grow(1, 2))\n',
    "print": "print(grow(1, 2))\n",
    "assert": "assert grow(1, 2) == 3\n",
    "bare-call": "grow(1, 2)\n",
    "loop-of-prints": "for case in [(1, 2)]:\n    print(grow(*case))\n",
    "test-function-and-call": "def test_grow():\n    assert grow(1, 2) == 3\ntest_grow()\n",
    "main-and-call": "def main():\n    print(grow(1, 2))\nmain()\n",
    "helper-that-prints": "def show(x):\n    print(grow(x, x))\nfor i in range(2): show(i)\n",
    "result-and-print": "result = grow(1, 2)\nprint(result)\n",
    "example-input": "values = list(map(int, input().split()))\nprint(grow(*values))\n",
}


@pytest.mark.parametrize("extra", list(AFTER.values()), ids=list(AFTER))
def test_test_code_is_taken_out(extra: str) -> None:
    outcome = accept(GROW + extra)
    assert isinstance(outcome, AcceptedSource)
    assert outcome.stripped
    body = outcome.source.removeprefix(GROW).strip()
    assert body in ("", "def show(x):\n    print(grow(x, x))")


REFUSED = {
    "syntax": ("def grow(half, k:\n", "syntax error", 1),
    "unfinished": ("def grow(half, k):\n", "syntax error: expected an indented block", 1),
    "return-outside": (GROW + "return 1\n", "syntax error: 'return' outside function", 3),
    "null-byte": ("x = '\0'\n" + GROW, "null bytes", 0),
    "nothing": ("", "`grow` is not defined", 0),
    "prose": ("Here is the code you asked for.", "syntax error", 1),
    "other-name": ("def growth(half, k): pass\n", "`grow` is not defined", 0),
    "in-a-class": ("class Solution:\n    def grow(self, half, k): pass\n", "inside something else", 2),
    "in-an-if": ("if True:\n    def grow(half, k): pass\n", "inside something else", 2),
    "lambda": ("grow = lambda half, k: half\n", "`grow` is not defined", 0),
    "async": ("async def grow(half, k): pass\n", "not async", 1),
    "too-few-parameters": ("def grow(half): pass\n", "`grow(half)` must have the signature `grow(half, k)`", 1),
    "other-parameters": ("def grow(k, half): pass\n", "must have the signature `grow(half, k)`", 1),
    "extra-parameter": ("def grow(half, k, x): pass\n", "must have the signature `grow(half, k)`", 1),
    "keyword-only-parameter": ("def grow(half, k, *, x): pass\n", "must have the signature `grow(half, k)`", 1),
    "star-import": ("from math import *\n" + GROW, "import the names you use", 1),
    "relative-import": ("from .steps import other\n" + GROW, "relative imports", 1),
    "reads-for-a-constant": ("N = int(input())\ndef grow(half, k): return N\n", "reads, prints or stops", 1),
    "foreign-in-a-loop": ("for halve in [3]: X = halve\ndef grow(half, k): return X\n", "belongs to another node", 1),
    "foreign-through-global": (
        "def grow(half, k):\n    global halve\n    halve = 1\n    return half\n",
        "`halve` belongs to another node",
        1,
    ),
    "foreign-among-others": ("a = halve = 1\ndef grow(half, k): return a\n", "belongs to another node", 1),
    "global-import": ("def grow(half, k):\n    global np\n    import np\n", "import it at the top", 3),
    "stub-that-is-used": ("def grow(half, k): pass\nT = grow(1, 2)\n" + GROW, "defined 2 times (lines 1, 3)", 3),
}


@pytest.mark.parametrize(("source", "reason", "line"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_cannot_be_used_is_refused_with_reason_and_line(source: str, reason: str, line: int) -> None:
    outcome = accept(source)
    assert isinstance(outcome, Refusal)
    assert reason in outcome.reason
    assert outcome.line == line


def test_the_root_defines_the_entry_and_calls_the_steps() -> None:
    source = "def solve(n, k):\n    return grow(halve(n), k)\n"
    steps = {"halve", "grow"}
    assert accept_source(source, GRAPH.node(ROOT), FUNCTION, steps) == AcceptedSource(source)
    both = accept_source("def grow(half, k): return 0\n" + source, GRAPH.node(ROOT), FUNCTION, steps)
    assert isinstance(both, AcceptedSource)
    assert both.source == source


FLAT = "import sys\n\n\nn = int(input())\nprint(n * 2)\n"
PROGRAMS = {
    "flat": FLAT,
    "main-with-guard": 'def main():\n    print(input())\n\n\nif __name__ == "__main__":\n    main()\n',
    "main-alone": "def main(argv=None):\n    print(input())\n",
    "functions-between-statements": "N = int(input())\n\n\ndef f():\n    return N\n\n\nprint(f())\n",
}


@pytest.mark.parametrize("source", list(PROGRAMS.values()), ids=list(PROGRAMS))
@pytest.mark.parametrize("task", [PROGRAM, SCRIPT], ids=["program", "script"])
def test_the_work_of_a_whole_program_must_not_change(source: str, task: Task) -> None:
    assert alone(source, task) == AcceptedSource(source)


@pytest.mark.parametrize(
    "source",
    ["def solve():\n    print(input())\n", "x = 1\n", "import os\n", "# nothing\n", "", "def main(n):\n    print(n)\n"],
)
def test_a_program_that_does_nothing_is_refused(source: str) -> None:
    outcome = alone(source, PROGRAM)
    assert isinstance(outcome, Refusal)
    assert outcome.reason.startswith("nothing starts the program")


def test_a_star_import_is_harmless_where_nobody_else_owns_code() -> None:
    source = "from math import *\n\n\ndef solve(n, k):\n    return gcd(n, k)\n"
    assert alone(source, FUNCTION) == AcceptedSource(source)


CLASSES = {
    "method": ("class Box:\n    def put(self, x): pass\n", ""),
    "static": ("class Box:\n    @staticmethod\n    def put(x): pass\n", ""),
    "inherited": ("class Base:\n    def put(self, x): pass\n\n\nclass Box(Base):\n    pass\n", ""),
    "missing": ("class Box:\n    pass\n", "class `Box` must define `put(x)`"),
    "parameters": ("class Box:\n    def put(self): pass\n", "`put()` must have the signature `put(x)`"),
    "other-class": ("class Bag:\n    def put(self, x): pass\n", "`Box` is not defined"),
    "function": ("def put(x): pass\n", "`Box` is not defined"),
}


@pytest.mark.parametrize(("source", "reason"), list(CLASSES.values()), ids=list(CLASSES))
def test_the_entry_class_has_its_methods(source: str, reason: str) -> None:
    outcome = alone(source, CLASS)
    if reason:
        assert isinstance(outcome, Refusal)
        assert reason in outcome.reason
    else:
        assert outcome == AcceptedSource(source)


@pytest.mark.parametrize("task", [FUNCTION, PROGRAM, SCRIPT, CLASS], ids=["function", "program", "script", "class"])
def test_the_program_of_last_resort_is_accepted(task: Task) -> None:
    outcome = alone(last_resort(task), task)
    assert isinstance(outcome, AcceptedSource)
    assert outcome.stripped == ()


INTRUSIONS = {
    "code-of-a-foreign-function": "def new(n):\n    return n\n\n\nhalve.__code__ = new.__code__\n",
    "code-through-an-alias": "def new(n):\n    return n\n\n\nold = halve\nold.__code__ = new.__code__\nX = [old]\n",
    "attribute-of-a-foreign-function": "halve.calls = 0\n",
    "item-of-a-foreign-name": "halve.memo[1] = 2\n",
    "built-in": "import builtins\n\n\nbuiltins.len = sum\n",
    "built-in-under-another-name": "import builtins as b\n\n\nb.len = sum\n",
    "built-in-item": "__builtins__['len'] = sum\n",
    "built-in-deleted": "import builtins\n\n\ndef drop():\n    del builtins.len\n",
    "built-in-in-a-function": "def swap():\n    import builtins\n    builtins.len = sum\n",
    "built-in-by-setattr": "import builtins\n\n\ndef swap():\n    setattr(builtins, 'len', sum)\n",
    "built-in-by-its-dict": "import builtins\n\n\ndef swap():\n    builtins.__dict__['len'] = sum\n",
    "built-in-by-vars": "import builtins\n\n\ndef swap():\n    vars(builtins).update(len=sum)\n",
    "built-in-by-import-call": "def swap():\n    import builtins\n    __import__('builtins').len = sum\n",
    "globals-item": "def swap():\n    globals()['halve'] = sum\n",
    "globals-alias": "_g = globals()\n_g['halve'] = sum\n",
    "globals-read": "def swap():\n    return globals()['halve']\n",
    "locals-at-the-top": "locals()['halve'] = sum\n",
    "vars-in-a-default": "def swap(x=vars().update(halve=sum)):\n    return x\n",
    "names-of-a-function": "def swap():\n    swap.__globals__['halve'] = sum\n",
    "names-of-a-frame": "import sys\n\n\ndef swap():\n    sys._getframe().f_globals['halve'] = sum\n",
    "module-alias": "import math\n\nm2 = math\nm2.floor = abs\n",
    "names-of-builtins": "from builtins import __dict__\n",
    "globals-update": "def swap():\n    globals().update(halve=sum)\n",
    "modules-item": "import sys\n\n\ndef swap():\n    sys.modules['math'] = None\n",
    "modules-by-name": "from sys import modules\n\n\ndef swap():\n    modules['math'] = None\n",
    "attribute-of-a-module-in-modules": "import sys\n\n\ndef swap():\n    sys.modules['__main__'].halve = sum\n",
    "function-of-a-module": "import math\n\n\ndef swap():\n    math.sqrt = sum\n",
    "display-hook": "import sys\n\n\ndef swap():\n    sys.excepthook = print\n",
}


@pytest.mark.parametrize("source", INTRUSIONS.values(), ids=INTRUSIONS.keys())
def test_code_that_reaches_into_other_nodes_is_refused(source: str) -> None:
    refused = accept(source + "\n\n" + GROW.replace("+ k", "+ k + len(str(swap))" if "swap" in source else "+ k"))
    assert isinstance(refused, Refusal)
    assert "other nodes' code would change with it" in refused.reason or "all nodes share" in refused.reason
    assert refused.line > 0


HARMLESS = {
    "own-function": "def helper(): pass\n\n\nhelper.calls = 0\n\n\n",
    "own-object": "class Box:\n    def __init__(self, **more):\n        self.__dict__.update(more)\n\n\n",
    "own-table": "T = {}\nT.update(a=1)\nT['b'] = 2\n\n\n",
    "environment": "import os\n\n\nos.environ['A'] = '1'\n\n\n",
    "object-of-a-module": "import decimal\n\n\ndecimal.DefaultContext.prec = 9\n\n\n",
    "local-with-a-foreign-name": "def own(halve):\n    halve.seen = halve[0] = 1\n\n\n",
    "streams": "import sys\n\n\ndef own():\n    sys.stdout = sys.stderr\n\n\n",
}


@pytest.mark.parametrize("source", HARMLESS.values(), ids=HARMLESS.keys())
def test_code_that_changes_only_its_own_things_is_kept(source: str) -> None:
    whole = source + GROW.replace("+ k", "+ k + len(str(T))" if source.startswith("T") else "+ k")
    assert accept(whole) == AcceptedSource(whole)


def test_the_only_owner_may_change_anything() -> None:
    source = "import builtins\n\n\nbuiltins.len = sum\nprint(len([1]))\n"
    assert alone(source, PROGRAM) == AcceptedSource(source)
