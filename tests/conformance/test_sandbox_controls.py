"""Honest programs that a careless sandbox breaks: all pass, on every rung that untrusted code may run on."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import (
    CallsInput,
    Check,
    CheckInput,
    Comparator,
    EntryPoint,
    Expected,
    ExpectedFile,
    FilesInput,
    FunctionInput,
    Limits,
    MethodCall,
    ProgramInput,
    TextFile,
    UnittestInput,
)
from auditcoder.records.values import encode
from auditcoder.sandbox.executor import SandboxExecutor

LIMITS = Limits(cpu_seconds=2.0, memory_mb=128)


class Program(NamedTuple):
    id: str
    source: str
    stdin: str = "3 4\n"
    stdout: str = "7\n"


PROGRAMS = [
    Program("plain", "a, b = map(int, input().split())\nprint(a + b)"),
    Program("late-flush fast input and output",
            "import os, sys, atexit\nfrom io import BytesIO, StringIO\n"
            "sys.stdin = BytesIO(os.read(0, os.fstat(0).st_size))\nsys.stdout = StringIO()\n"
            "atexit.register(lambda: os.write(1, sys.stdout.getvalue().encode()))\n"
            "print(sum(map(int, sys.stdin.readline().split())))"),
    Program("big recursion in a big-stack thread",
            "import sys, threading\nsys.setrecursionlimit(10**6)\nthreading.stack_size(64 << 20)\n"
            "def depth(n): return 0 if n == 0 else 1 + depth(n - 1)\n"
            "def main():\n    depth(50000)\n    print(sum(map(int, input().split())))\n"
            "t = threading.Thread(target=main)\nt.start()\nt.join()"),
    Program("deep recursion in the main thread",
            "import sys\nsys.setrecursionlimit(10**6)\ndef depth(n): return 0 if n == 0 else 1 + depth(n - 1)\n"
            "print(depth(50000) * 0 + 7)"),
    Program("asyncio", "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n"
            "    print(await asyncio.to_thread(lambda: sum(map(int, input().split()))))\nasyncio.run(main())"),
    Program("/dev/stdin", "print(sum(map(int, open('/dev/stdin').read().split())))"),
    Program("open(0)", "print(sum(map(int, open(0).read().split())))"),
    Program("sys.stdin.buffer", "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))"),
    Program("input after end is caught", "s = 0\ntry:\n    while True: s += sum(map(int, input().split()))\n"
            "except EOFError: print(s)"),
    Program("sys.exit(0)", "import sys\nprint(7)\nsys.exit(0)"),
    Program("exit()", "print(7)\nexit()"),
    Program("quit in a guard", "if __name__ == '__main__':\n    print(7)\n    quit()"),
    Program("stray blanks", "print('7   ')\nprint()\nprint()"),
    Program("no newline at the end", "print(7, end='')"),
    Program("temporary files with threads",
            "import tempfile, threading\ndef work(n):\n    with tempfile.NamedTemporaryFile('w+') as f:\n"
            "        f.write(str(n)); f.seek(0); assert f.read() == str(n)\n"
            "ts = [threading.Thread(target=work, args=(n,)) for n in range(8)]\n[t.start() for t in ts]\n"
            "[t.join() for t in ts]\nprint(7)"),
    Program("thread that outlives the main one",
            "import threading, time\ndef late():\n    time.sleep(0.05)\n    print(7)\n"
            "threading.Thread(target=late).start()"),
    Program("half the memory limit", "x = bytearray(64 << 20)\nprint(7)"),
    Program("warnings on stderr", "import warnings\nwarnings.warn('x')\nprint(7)"),
    Program("invalid escape in the source", "x = '\\d'\nprint(7)"),
    Program("lazy imports", "import colorsys, wave, sqlite3, zoneinfo, hashlib, uuid\nprint(7)"),
    Program("dataclass, pickle, source of itself",
            "import dataclasses, pickle, inspect\n@dataclasses.dataclass\nclass P:\n    x: int\n"
            "assert pickle.loads(pickle.dumps(P(1))) == P(1)\nassert 'x: int' in inspect.getsource(P)\nprint(7)"),
    Program("thread pool", "from concurrent.futures import ThreadPoolExecutor as T\n"
            "with T(4) as pool: print(sum(pool.map(int, input().split())))"),
    Program("signals and subinterpreter-free timers",
            "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.05)\nsignal.pause()\nprint(7)"),
    Program("big input", "import sys\nprint(len(sys.stdin.read()) and 7)", "1 " * 1_000_000),
    Program("just under the output limit", "print('x' * 1_000_000)", "", "x" * 1_000_000 + "\n"),
    Program("unicode", "print(input())", "naïve ☃ 数\n", "naïve ☃ 数\n"),
    Program("future import first", "from __future__ import annotations\nprint(7)"),
    Program("global statements", "n = 0\ndef f():\n    global n\n    n = 7\nf()\nprint(n)"),
]  # fmt: skip


def _one(
    sandbox: SandboxExecutor, source: str, entry: EntryPoint, given: CheckInput, expected: Expected
) -> CheckResult:
    comparator = Comparator(kind="lines" if expected.stdout is not None else "value")
    check = Check(id="c", input=given, expected=expected, comparator=comparator)
    return sandbox.run(source, entry, [check], LIMITS).results[0]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_honest_programs_pass(sound_sandbox: SandboxExecutor, program: Program) -> None:
    result = _one(
        sound_sandbox,
        program.source,
        EntryPoint(kind="program"),
        ProgramInput(stdin=program.stdin),
        Expected(stdout=program.stdout),
    )
    assert result.outcome == "pass", result


VALUES = {
    "nothing": "None",
    "numbers": "[0, -1, 2**53, -2**70, 0.1, -0.0, float('inf')]",
    "texts": "['', 'a\\0b', '☃', 'x' * 1000, b'\\x00\\xff']",
    "keys": "{(1, 2): {3}, 'a': [None, True], 1.5: frozenset({'x'})}",
    "nested": "[[(1, [2, {3: (4,)}])], ()]",
    "many": "list(range(20_000))",
}


@pytest.mark.parametrize("name", VALUES)
def test_rich_values_come_and_go_unchanged(sound_sandbox: SandboxExecutor, name: str) -> None:
    value = eval(VALUES[name])
    source = f"def f(x):\n    assert repr(x) == {VALUES[name]!r} or x == {VALUES[name]}\n    return x"
    result = _one(
        sound_sandbox,
        source,
        EntryPoint(kind="function", name="f"),
        FunctionInput(args=(encode(value),)),
        Expected(value=encode(value), has_value=True),
    )
    assert result.outcome == "pass", result.message
    assert result.observed == encode(value)


COUNTER = "class Counter:\n    def __init__(self, n): self.n = [n]\n    def add(self, k):\n        self.n.append(k)\n"
COUNTER += "        return self.n\n    def total(self): return sum(self.n)"
CLASS = EntryPoint(kind="class", name="Counter")


def test_results_of_calls_are_taken_before_the_next_call(sound_sandbox: SandboxExecutor) -> None:
    calls = (MethodCall(method="add", args=(1,)), MethodCall(method="add", args=(2,)), MethodCall(method="total"))
    expected = Expected(value=[[5, 1], [5, 1, 2], 8], has_value=True)
    assert _one(sound_sandbox, COUNTER, CLASS, CallsInput(init=(5,), calls=calls), expected).outcome == "pass"


def test_unittest_of_a_class(sound_sandbox: SandboxExecutor) -> None:
    tests = (
        "import unittest\nclass CounterTest(unittest.TestCase):\n    def setUp(self): self.c = Counter(1)\n"
        "    def test_add(self): self.assertEqual(self.c.add(2), [1, 2])\n"
        "    def test_total(self): self.assertAlmostEqual(self.c.total(), 1.0)\n"
        "    def test_error(self):\n        with self.assertRaises(TypeError): self.c.add()\n"
    )
    given, expected = UnittestInput(source=tests), Expected(passes=True)
    assert _one(sound_sandbox, COUNTER, CLASS, given, expected).outcome == "pass"
    wrong = _one(sound_sandbox, COUNTER.replace("sum", "len"), CLASS, given, expected)
    assert wrong.outcome == "pass"  # total() of one item is 1 either way
    broken = _one(sound_sandbox, COUNTER.replace("append(k)", "append(-k)"), CLASS, given, expected)
    assert broken.outcome == "wrong-answer"
    assert "test_add" in broken.message


def test_a_script_reads_files_and_writes_files(sound_sandbox: SandboxExecutor) -> None:
    source = (
        "import sys, os, json\nname = sys.argv[1]\nrows = open('data/' + name).read().split()\n"
        "os.makedirs('out', exist_ok=True)\njson.dump({'n': len(rows)}, open('out/n.json', 'w'))\n"
        "print(open(0).read().strip())"
    )
    check = Check(
        id="c",
        input=FilesInput(files=(TextFile(name="data/in.txt", text="a b\nc\n"),), argv=("in.txt",), stdin="hello\n"),
        expected=Expected(files=(ExpectedFile(name="out/n.json", text='{ "n": 3 }', format="json"),)),
        comparator=Comparator(kind="file"),
    )
    entry = EntryPoint(kind="script", outputs=("out/n.json",))
    result = sound_sandbox.run(source, entry, [check], LIMITS).results[0]
    assert result.outcome == "pass", result
    assert result.observed == [["out/n.json", '{"n": 3}']]
    assert result.stdout == "hello\n"


def test_fifty_inputs_share_one_child(sandbox: SandboxExecutor) -> None:
    source = "calls = []\ndef f(n):\n    calls.append(n)\n    return len(calls)"
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=n + 1, has_value=True))
        for n in range(50)
    ]
    report = sandbox.run(source, EntryPoint(kind="function", name="f"), checks, LIMITS)
    assert [result.check for result in report.results] == [check.id for check in checks]
    assert {result.outcome for result in report.results} == {"pass"}


def test_confirmation_finds_what_only_works_in_a_batch(sandbox: SandboxExecutor) -> None:
    stateful = "calls = []\ndef f(n):\n    calls.append(n)\n    return len(calls)"
    stateless = "def f(n):\n    return n + 1"
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=n + 1, has_value=True))
        for n in range(4)
    ]
    entry = EntryPoint(kind="function", name="f")
    assert not sandbox.run(stateful, entry, checks, LIMITS).state_dependent
    confirmed = sandbox.confirm(stateful, entry, checks, LIMITS)
    assert confirmed.state_dependent
    assert [result.outcome for result in confirmed.results] == ["pass", *["wrong-answer"] * 3]
    honest = sandbox.confirm(stateless, entry, checks, LIMITS)
    assert not honest.state_dependent
    assert {result.outcome for result in honest.results} == {"pass"}


def test_equal_runs_give_equal_results(sandbox: SandboxExecutor) -> None:
    """Hash seed, random state and environment are the same in every child and every worker."""
    source = "import random, os\ndef f():\n    own = sorted(os.environ.items())\n"
    source += "    return [hash('x'), random.random(), own, list({'a', 'b'})]"
    check = Check(id="c", input=FunctionInput(), expected=Expected())
    entry = EntryPoint(kind="function", name="f")
    first = sandbox.run(source, entry, [check], LIMITS).results[0]
    sandbox.close()
    second = sandbox.run(source, entry, [check], LIMITS).results[0]
    assert first.outcome == "pass", first
    assert first.observed == second.observed


DEEP = "def depth(n):\n    return 0 if n == 0 else 1 + depth(n - 1)\n"
ROOMY = {
    "program": (EntryPoint(kind="program"), f"{DEEP}print(depth(998))", ProgramInput(stdin=""), Expected(stdout="998")),
    "thread": (EntryPoint(kind="program"), f"import threading\n{DEEP}"
               "t = threading.Thread(target=lambda: print(depth(998)))\nt.start()\nt.join()",
               ProgramInput(stdin=""), Expected(stdout="998")),
    "function": (EntryPoint(kind="function", name="depth"), DEEP, FunctionInput(args=(998,)),
                 Expected(value=998, has_value=True)),
    "class": (EntryPoint(kind="class", name="C"), f"{DEEP}class C:\n    def get(self): return depth(996)",
              CallsInput(calls=(MethodCall(method="get"),)), Expected(value=[996], has_value=True)),
    "unittest": (EntryPoint(kind="function", name="depth"), DEEP,
                 UnittestInput(source="class T(unittest.TestCase):\n"
                                      "    def test_a(self): self.assertEqual(depth(985), 985)"),
                 Expected(passes=True)),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "source", "given", "expected"), ROOMY.values(), ids=ROOMY.keys())
def test_the_harness_takes_nothing_off_the_recursion_limit(
    sandbox: SandboxExecutor, entry: EntryPoint, source: str, given: CheckInput, expected: Expected
) -> None:
    assert _one(sandbox, source, entry, given, expected).outcome == "pass"


def test_a_watched_program_recurses_as_deep(sandbox: SandboxExecutor) -> None:
    check = Check(id="c", input=ProgramInput(stdin=""), expected=Expected(stdout="998"))
    recorded = sandbox.record(f"{DEEP}print(depth(998))", EntryPoint(kind="program"), check, LIMITS, ["depth"])
    assert [call.exception for call in recorded.calls if call.exception == "RecursionError"] == []
    assert recorded.calls[0].result == 998


def test_endless_recursion_still_ends(sandbox: SandboxExecutor) -> None:
    result = _one(sandbox, "def f():\n    return f()\nf()", EntryPoint(kind="program"), ProgramInput(stdin=""),
                  Expected(stdout=""))  # fmt: skip
    assert (result.outcome, result.detail) == ("runtime-error", "RecursionError")
