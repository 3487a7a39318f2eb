"""Programs that try to look right, or to break the harness with their values: none passes."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Limits, UnittestInput
from auditcoder.records.values import encode
from auditcoder.sandbox.executor import SandboxExecutor

LIMITS = Limits(cpu_seconds=0.4, memory_mb=128)
ENTRY = EntryPoint(kind="function", name="f")


class Case(NamedTuple):
    id: str
    source: str
    outcomes: tuple[str, ...] = ("wrong-answer",)
    details: tuple[str, ...] = ()


def _check(expected: Any, *args: Any, name: str = "c") -> Check:
    given = FunctionInput(args=tuple(encode(arg) for arg in args))
    return Check(id=name, input=given, expected=Expected(value=encode(expected), has_value=True))


def _run(sandbox: SandboxExecutor, source: str, expected: Any = 42, *args: Any) -> CheckResult:
    return sandbox.run(source, ENTRY, [_check(expected, *args)], LIMITS).results[0]


ERROR = "runtime-error"
FAKES = [
    Case("exit 0 in the call", "import os\ndef f():\n    os._exit(0)", (ERROR,), ("no-end",)),
    Case("exit 0 at import", "import os\nos._exit(0)", (ERROR,), ("no-end",)),
    Case("sys.exit at import", "import sys\nsys.exit(0)", (ERROR,), ("SystemExit",)),
    Case("SystemExit in the call", "def f():\n    raise SystemExit(0)", (ERROR,), ("SystemExit",)),
    Case("KeyboardInterrupt", "def f():\n    raise KeyboardInterrupt", (ERROR,), ("KeyboardInterrupt",)),
    Case("equal to everything", "class A:\n    def __eq__(self, o): return True\n    def __hash__(self): return 42\n"
         "def f(): return A()"),
    Case("lying int", "class A(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\n"
         "    def __int__(self): return 42\n    def __index__(self): return 42\n    def __repr__(self): return '42'\n"
         "def f(): return A(7)"),
    Case("patched built-ins", "import builtins\nbuiltins.type = lambda *a: int\nbuiltins.isinstance = lambda *a: True\n"
         "builtins.len = lambda x: 0\nbuiltins.issubclass = lambda *a: True\ndef f(): return 41"),
    Case("patched json and modules", "import sys, json\njson.dumps = lambda *a, **k: '42'\n"
         "json.JSONEncoder.encode = lambda *a: '42'\nfor name in list(sys.modules):\n    sys.modules[name] = None\n"
         "def f(): return 41"),
    Case("patched os.write", "import os\nreal = os.write\n"
         "os.write = lambda h, d: real(h, bytes(d).replace(b'41', b'42'))\n"
         "def f(): return 41"),
    Case("frames and gc hold no expected value",
         "import gc, sys, re\ndef strings():\n    frame = sys._getframe()\n    while frame:\n"
         "        yield repr(frame.f_locals)[:100000]\n        frame = frame.f_back\n"
         "    for item in gc.get_objects():\n        if type(item) in (dict, list, tuple):\n"
         "            yield repr(item)[:5000]\ndef f():\n    for text in strings():\n"
         "        found = re.search('sesa' + 'me-[0-9]+', text)\n        if found: return found.group()\n"),
    Case("wrong answer for a float", "def f(): return float('nan')"),
    Case("text for a number", "def f(): return '42'"),
    Case("forged wrong record first", "import os\ndef f():\n"
         "    os.write(3, b'{\"r\":\"item\",\"i\":0,\"v\":7}\\n')\n    return 41", ("wrong-answer", ERROR)),
    Case("records on every descriptor", "import os\ndef f():\n    for n in range(64):\n        try:\n"
         "            os.write(n, b'{\"r\":\"item\",\"i\":5,\"v\":42}\\n{\"r\":\"end\"}\\n')\n"
         "        except OSError: pass\n"
         "    return 41", (ERROR,), ("protocol",)),
    Case("garbage record", "import os\ndef f():\n    os.write(3, b'\\xff\\x00[[[\\n')\n    return 42",
         (ERROR,), ("protocol",)),
    Case("deep record", "import os\ndef f():\n    os.write(3, b'[' * 100000 + b'\\n')\n    return 42",
         (ERROR,), ("protocol",)),
    Case("infinite number in a record", "import os\ndef f():\n"
         "    os.write(3, b'{\"r\":\"item\",\"i\":0,\"v\":1e999}\\n')\n    return 42", (ERROR,), ("protocol",)),
    Case("endless record", "import os\ndef f():\n    while True: os.write(3, b'x' * 65536)",
         ("output-limit",), ("result",)),
    Case("right answer, then more records", "import os, threading, time\ndef f():\n    def late():\n"
         "        for _ in range(2000): os.write(3, b'{\"r\":\"end\"}\\n')\n    threading.Thread(target=late).start()\n"
         "    time.sleep(0.05)\n    return 42", (ERROR,), ("protocol",)),
    Case("the harness's own writer", "import sys\ndef f():\n    frame = sys._getframe()\n    while frame:\n"
         "        for value in list(frame.f_locals.values()):\n"
         "            channel = getattr(value, '_channel', value)\n"
         "            if hasattr(channel, 'send_value'):\n"
         "                channel.send({'r': 'item', 'i': 0, 'v': 7})\n                return 42\n"
         "        frame = frame.f_back\n    return 42", ("wrong-answer", ERROR)),
    Case("all descriptors closed", "import os\ndef f():\n    os.closerange(0, 256)\n    return 42", (ERROR,)),
]  # fmt: skip
TRAPS = [
    Case("endless dunders", "class A:\n    def loop(self, *a):\n        while True: pass\n"
         "    __iter__ = __len__ = __repr__ = __str__ = __hash__ = __eq__ = __bool__ = loop\ndef f(): return A()"),
    Case("lying list", "class A(list):\n    def __iter__(self):\n        while True: yield 1\n"
         "    def __len__(self): return 10**9\ndef f(): return A([1])"),
    Case("metaclass that lies", "class M(type):\n    def __getattribute__(c, n): raise ValueError(n)\n"
         "class A(metaclass=M): pass\ndef f(): return A()"),
    Case("contains itself", "def f():\n    x = []\n    x.append(x)\n    return x"),
    Case("contains itself often", "def f():\n    x = []\n    x += [x] * 9\n    return x",
         ("wrong-answer", "output-limit", "timeout", "memory")),
    Case("very deep", "def f():\n    x = 1\n    for _ in range(100000): x = [x]\n    return x"),
    Case("infinite iterator", "import itertools\ndef f(): return itertools.count()"),
    Case("huge int", "def f(): return 1 << 200000"),
    Case("int over the limit", "def f(): return 1 << (10 ** 8)", ("output-limit",), ("result",)),
    Case("exception text that loops", "class E(Exception):\n    def __str__(self):\n        while True: pass\n"
         "def f(): raise E", ("timeout",), ("cpu",)),
    Case("exception text that fails", "class E(Exception):\n    def __str__(self): raise E\ndef f(): raise E",
         (ERROR,), ("E",)),
    Case("exception text that is no text", "class S(str):\n    def __getitem__(self, k): return 3\n"
         "class E(Exception):\n    def __str__(self): return S('x')\ndef f(): raise E", (ERROR,), ("E",)),
    Case("exception text that is huge", "def f(): raise ValueError('\\ud800\\x1b[2J\\0' * 10**6)",
         (ERROR,), ("ValueError",)),
    Case("traceback that lies", "class E(Exception):\n    @property\n    def __traceback__(self): raise KeyError\n"
         "def f(): raise E", (ERROR,), ("E",)),
    Case("error number that lies", "class E(OSError):\n    errno = property(lambda self: self.x)\ndef f(): raise E",
         (ERROR,), ("E",)),
    Case("stdout closed", "import sys\ndef f():\n    sys.stdout.close()\n    return 41"),
    Case("stdout replaced", "import sys\ndef f():\n    sys.stdout = None\n    return 41"),
    Case("lone surrogates", "def f(): return '\\ud800'"),
    Case("NUL and terminal codes", "def f(): return '\\0\\x1b[2J\\x07'"),
]  # fmt: skip


@pytest.mark.parametrize("case", FAKES, ids=lambda case: case.id)
def test_success_cannot_be_faked(sandbox: SandboxExecutor, case: Case) -> None:
    expected = "sesame-20937" if "sesa" in case.source else 42
    result = _run(sandbox, case.source, expected)
    assert result.outcome in case.outcomes, result
    assert not case.details or result.detail in case.details, result


@pytest.mark.parametrize("case", TRAPS, ids=lambda case: case.id)
def test_values_cannot_break_the_harness(sandbox: SandboxExecutor, case: Case) -> None:
    result = _run(sandbox, case.source)
    assert result.outcome in case.outcomes, result
    assert not case.details or result.detail in case.details, result
    assert len(result.message) <= 600
    json.loads(result.model_dump_json())


def test_late_code_of_a_function_does_not_run(sandbox: SandboxExecutor) -> None:
    source = (
        "import atexit, os\natexit.register(os._exit, 3)\n"
        "class A:\n    def __del__(self): os._exit(4)\nkeep = A()\ndef f(): return 42"
    )
    assert _run(sandbox, source).outcome == "pass"


def test_arguments_are_fresh_for_each_call(sandbox: SandboxExecutor) -> None:
    source = "def f(xs):\n    xs.append(0)\n    return xs"
    checks = [_check([1, 0], [1], name=f"c{n}") for n in range(3)]
    results = sandbox.run(source, ENTRY, checks, LIMITS).results
    assert [result.outcome for result in results] == ["pass"] * 3


def test_a_failed_input_does_not_spoil_the_next_ones(sandbox: SandboxExecutor) -> None:
    source = (
        "import os, time\ndef f(n):\n    if n == 1: os._exit(0)\n    if n == 2:\n        while True: pass\n"
        "    if n == 3: raise ValueError(n)\n    if n == 4: os.kill(os.getpid(), 9)\n    return n"
    )
    checks = [_check(n, n, name=f"c{n}") for n in range(6)]
    results = sandbox.run(source, ENTRY, checks, LIMITS).results
    assert [(r.check, r.outcome, r.detail) for r in results] == [
        ("c0", "pass", ""), ("c1", ERROR, "no-end"), ("c2", "timeout", "cpu"), ("c3", ERROR, "ValueError"),
        ("c4", ERROR, "signal 9"), ("c5", "pass", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "kind"),
    [("True", "wrong-answer"), ("1", "pass"), ("1.0", "pass"), ("'1'", "wrong-answer"), ("(1,)", "wrong-answer")],
)
def test_look_alikes_of_one(sandbox: SandboxExecutor, value: str, kind: str) -> None:
    assert _run(sandbox, f"def f(): return {value}", 1).outcome == kind


def test_unittest_cannot_be_patched_away(sandbox: SandboxExecutor) -> None:
    tests = "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(C().get(), 5)\n"
    check = Check(id="c", input=UnittestInput(source=tests), expected=Expected(passes=True))
    entry = EntryPoint(kind="class", name="C")
    attacks = {
        "patched assertion": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"
        "class C:\n    def get(self): return 4",
        "patched runner": "import unittest\nunittest.TestSuite.run = lambda self, result, **k: result\n"
        "unittest.TestCase.run = lambda self, result=None: result\nclass C:\n    def get(self): return 4",
        "equal to everything": "class C:\n    def get(self): return self\n    def __eq__(self, o): return True\n"
        "    __hash__ = None",
        "nested look-alike": "class C(int):\n    def get(self): return C(4)\n    def __eq__(self, o): return True\n"
        "    __hash__ = None",
        "skips the test": "import unittest\nclass C:\n    def get(self): raise unittest.SkipTest",
        "exits": "import sys\nclass C:\n    def get(self): sys.exit(0)",
        "no such class": "x = 1",
    }
    outcomes = {
        name: sandbox.run(source, entry, [check], LIMITS).results[0].outcome for name, source in attacks.items()
    }
    assert "pass" not in outcomes.values(), outcomes
    right = sandbox.run("class C:\n    def get(self): return 5", entry, [check], LIMITS).results[0]
    assert right.outcome == "pass"


PATCHES = {
    "a record without names": "import os\n"
    'os.write(3, b\'{"r":"loaded"}\\n{"r":"tests","ran":99,"skipped":0,"bad":0}\\n{"r":"end"}\\n\')\n'
    "os._exit(0)",
    "a record with no names": "import os\nclass C:\n    def get(self):\n"
    '        os.write(3, b\'{"r":"tests","ran":9,"skipped":0,"bad":0,"names":[]}\\n{"r":"end"}\\n\')\n'
    "        os._exit(0)",
    "the outcome's executor": "import unittest.case, contextlib\n@contextlib.contextmanager\n"
    "def part(self, test_case, subTest=False, **more):\n    try: yield\n    except BaseException: pass\n"
    "    self.success = True\nunittest.case._Outcome.testPartExecutor = part\nclass C:\n    def get(self): return 1",
    "the request in the frames": "import sys, re\nframe, source = sys._getframe(), ''\nwhile frame:\n"
    "    for value in list(frame.f_locals.values()):\n        if isinstance(value, dict) and 'test' in value:\n"
    "            source = value['test']\n        if isinstance(value, str) and '\"test\"' in value: source = value\n"
    "    frame = frame.f_back\nfound = [int(n) for n in re.findall(r'get\\(\\), (\\d+)', source)]\n"
    "class C:\n    def get(self): return found.pop(0)",
    "the result's note": "import sys\nclass C:\n    def get(self):\n        frame = sys._getframe()\n"
    "        while frame:\n            for value in list(frame.f_locals.values()):\n"
    "                if type(value).__name__ == '_Result':\n"
    "                    type(value)._note = lambda *args, **more: None\n            frame = frame.f_back\n"
    "        return 1",
}
"""Attacks that are kept out; the guide says that others are not (docs/guide/sandbox.md)."""


@pytest.mark.parametrize("attack", PATCHES.values(), ids=PATCHES.keys())
def test_simple_forgeries_of_a_unittest_run_do_not_pass(sandbox: SandboxExecutor, attack: str) -> None:
    tests = (
        "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(C().get(), 5)\n"
        "    def test_b(self):\n        self.assertEqual(C().get(), 6)\n"
    )
    check = Check(id="c", input=UnittestInput(source=tests), expected=Expected(passes=True))
    entry = EntryPoint(kind="class", name="C")
    assert sandbox.run(attack, entry, [check], LIMITS).results[0].outcome != "pass"


HONEST = {
    "sub-tests": "    def test_a(self):\n        for n in range(3):\n            with self.subTest(n=n):\n"
    "                self.assertEqual(C().get(), 5)\n",
    "skipped": "    @unittest.skip('later')\n    def test_a(self): pass\n"
    "    def test_b(self): self.skipTest('later')\n",
    "expected failure": "    @unittest.expectedFailure\n    def test_a(self): self.assertEqual(C().get(), 4)\n",
    "skipped sub-test": "    def test_a(self):\n        with self.subTest(n=1): self.skipTest('later')\n",
    "tests made in a loop": "for n in range(3):\n    setattr(T, f'test_{n}', lambda self: self.assertTrue(C()))\n",
    "inherited": "    def test_a(self): pass\nclass U(T):\n    def test_b(self): pass\n",
}


@pytest.mark.parametrize("body", HONEST.values(), ids=HONEST.keys())
def test_every_form_of_test_that_ends_well_counts(sandbox: SandboxExecutor, body: str) -> None:
    source = f"class T(unittest.TestCase):\n    wanted = 5\n{body}"
    check = Check(id="c", input=UnittestInput(source=source), expected=Expected(passes=True))
    entry = EntryPoint(kind="class", name="C")
    result = sandbox.run("class C:\n    def get(self): return 5", entry, [check], LIMITS).results[0]
    assert result.outcome == "pass", result
