"""Programs that take more than they may, and what they are called."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput, Limits, ProgramInput
from auditcoder.sandbox.executor import SandboxExecutor

LIMITS = Limits(cpu_seconds=0.4, memory_mb=128)
QUICK = Limits(cpu_seconds=0.05, memory_mb=128)


class Case(NamedTuple):
    id: str
    source: str
    outcomes: tuple[str, ...]
    details: tuple[str, ...] = ()


def _run(sandbox: SandboxExecutor, source: str, limits: Limits = LIMITS) -> CheckResult:
    check = Check(
        id="c", input=ProgramInput(stdin="7\n"), expected=Expected(stdout="7\n"), comparator=Comparator(kind="lines")
    )
    return sandbox.run(source, EntryPoint(kind="program"), [check], limits).results[0]


def _healthy(sandbox: SandboxExecutor) -> bool:
    return _run(sandbox, "print(input())").outcome == "pass"


ERROR, MEMORY = "runtime-error", "memory"
CASES = [
    Case("process bomb", "import os\nwhile True:\n    os.fork()", (ERROR,), ("PermissionError",)),
    Case(
        "thread bomb",
        "import threading as t, time\nwhile True:\n    t.Thread(target=time.sleep, args=(99,), daemon=True).start()",
        (ERROR, MEMORY),
    ),
    Case("heap bomb", "x = []\nwhile True:\n    x.append(bytearray(1 << 20))", (MEMORY,)),
    Case("one huge object", "x = bytearray(200 << 20)", (MEMORY,)),
    Case("string doubling", "x = 'ab'\nwhile True:\n    x += x", (MEMORY,)),
    Case("shared map", "import mmap\nx = mmap.mmap(-1, 1 << 30)", (ERROR, MEMORY)),
    Case("memfd", "import os\nos.memfd_create('x')", (ERROR,), ("PermissionError",)),
    Case(
        "shared memory of System V",
        "import ctypes\nassert ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600) < 0\nprint(input(), 'refused')",
        ("wrong-answer",),
    ),
    Case("CPU spin", "while True:\n    pass", ("timeout",), ("cpu",)),
    Case("one endless C call", "sum(iter(int, 1))", ("timeout",), ("cpu",)),
    Case("two spinning threads",
         "import threading as t\ndef f():\n    while True: pass\nt.Thread(target=f).start()\nf()",
         ("timeout",), ("cpu",)),
    Case("signals swallowed", "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
         "    except (OSError, ValueError): pass\nwhile True: pass", ("timeout",), ("cpu",)),
    Case("exceptions swallowed", "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
         ("timeout",), ("cpu",)),
    Case("faked clocks", "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\nwhile True: pass",
         ("timeout",), ("cpu",)),
    Case("output flood", "while True:\n    print('x' * 1000)", ("output-limit",), ("stdout",)),
    Case("one big file", "f = open('f', 'wb')\nwhile True:\n    f.write(bytes(1 << 20))", ("output-limit",), ("file",)),
    Case("sparse file", "f = open('f', 'wb')\nf.truncate(1 << 40)", ("output-limit",), ("file",)),
    Case("raising its limits", "import resource as r\nr.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY, r.RLIM_INFINITY))",
         (ERROR,), ("ValueError", "PermissionError")),
    Case("daemonised child", "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass", (ERROR,)),
    Case("grandchild keeps a pipe", "import subprocess\nsubprocess.Popen(['sleep', '100'])", (ERROR,)),
    Case("C stack overflow",
         "import sys\nsys.setrecursionlimit(10**9)\ndef f(x):\n    return list(map(f, [x]))\nf(1)", (ERROR, MEMORY)),
    Case("endless recursion", "def f():\n    return f()\nf()", (ERROR,), ("RecursionError",)),
    Case("segfault", "import ctypes\nctypes.string_at(8)", (ERROR,), ("signal 11",)),
    Case("killing itself", "import os\nos.kill(os.getpid(), 9)", (ERROR,), ("signal 9",)),
    Case("answer then crash", "import os\nprint(input(), flush=True)\nos.abort()", (ERROR,), ("signal 6",)),
]  # fmt: skip
IDLE = [
    Case("sleep", "import time\ntime.sleep(1000)", ("timeout",), ("idle",)),
    Case("stopping itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", ("timeout",), ("idle",)),
    Case("lock deadlock", "import threading\nx = threading.Lock()\nx.acquire()\nx.acquire()", ("timeout",), ("idle",)),
    Case(
        "import deadlock",
        "open('m.py', 'w').write('import threading\\ndef f():\\n    import m\\n    m.later\\n"
        "t = threading.Thread(target=f)\\nt.start()\\nt.join()\\nlater = 1\\n')\nimport m",
        ("timeout",), ("idle",),
    ),
    Case("threads that never join", "import threading as t\nprint(input())\nt.Thread(target=t.Event().wait).start()",
         ("timeout",), ("idle",)),
    Case("answer then hang", "import time\nprint(input(), flush=True)\ntime.sleep(1000)", ("timeout",), ("idle",)),
]  # fmt: skip
QUOTA = [
    Case("full disk by many files",
         "for n in range(9):\n    with open(f'f{n}', 'wb') as f: f.write(bytes(15 << 20))",
         ("output-limit",), ("quota",)),
    Case("inode flood", "for n in range(5000):\n    open(f'f{n}', 'w').close()", ("output-limit",), ("quota",)),
    Case("memory hidden in /dev/shm",
         "for n in range(9):\n    with open(f'/dev/shm/f{n}', 'wb') as f: f.write(bytes(15 << 20))",
         ("output-limit",), ("quota",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_taking_too_much_is_stopped_and_named(sandbox: SandboxExecutor, case: Case) -> None:
    result = _run(sandbox, case.source)
    assert result.outcome in case.outcomes, result
    assert not case.details or result.detail in case.details
    assert _healthy(sandbox)


@pytest.mark.parametrize("case", IDLE, ids=lambda case: case.id)
def test_waiting_for_ever_is_an_idle_timeout(sandbox: SandboxExecutor, case: Case) -> None:
    result = _run(sandbox, case.source, QUICK)
    assert (result.outcome, result.detail) == ("timeout", "idle"), result
    assert result.cpu_seconds < QUICK.wall_seconds


@pytest.mark.parametrize("case", QUOTA, ids=lambda case: case.id)
def test_the_work_folder_has_a_quota(sandbox: SandboxExecutor, case: Case) -> None:
    if not sandbox.isolation().quota:
        pytest.skip("no namespaces, no quota on this machine")
    result = _run(sandbox, case.source, Limits(cpu_seconds=2.0, memory_mb=128))
    assert (result.outcome, result.detail) == ("output-limit", "quota"), result


def test_result_flood_is_an_output_limit(sandbox: SandboxExecutor) -> None:
    source = "def f(n):\n    return 'x' * n"
    check = Check(id="c", input=FunctionInput(args=(10 << 20,)), expected=Expected(value="", has_value=True))
    result = sandbox.run(source, EntryPoint(kind="function", name="f"), [check], LIMITS).results[0]
    assert (result.outcome, result.detail) == ("output-limit", "result")


def test_many_results_near_the_limit_take_several_children(sandbox: SandboxExecutor) -> None:
    """Each result is within its limit, all together are not: no check pays for the others."""
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(1 << 20,)), expected=Expected(value=1 << 20, has_value=True))
        for n in range(12)
    ]
    source = "def f(n):\n    print('y' * 9)\n    return 'x' * n"
    limits = Limits(cpu_seconds=2.0, memory_mb=256, output_kb=1100)
    results = sandbox.run(source, EntryPoint(kind="function", name="f"), checks, limits).results
    assert [result.outcome for result in results] == ["wrong-answer"] * 12
    assert {result.stdout for result in results} == {"y" * 9 + "\n"}


def test_error_flood_is_drained_and_is_no_fault(sandbox: SandboxExecutor) -> None:
    result = _run(sandbox, "import sys\nfor _ in range(3000):\n    sys.stderr.write('e' * 1000)\nprint(input())")
    assert (result.outcome, result.truncated) == ("pass", True)
    assert len(result.stderr) <= 4000


def test_limits_are_exact(sandbox: SandboxExecutor) -> None:
    """Half the memory limit is fine; the largest object is close under the limit; CPU kills land close after it."""
    half = _run(sandbox, "x = bytearray(64 << 20)\nprint(input())")
    near = _run(sandbox, "x = bytearray(120 << 20)\nprint(input())")
    over = _run(sandbox, "x = bytearray(130 << 20)\nprint(input())")
    assert (half.outcome, near.outcome, over.outcome) == ("pass", "pass", "memory")
    assert 63 < half.peak_mb < 70
    spin = _run(sandbox, "while True: pass", Limits(cpu_seconds=0.3))
    assert 0.3 <= spin.cpu_seconds < 0.4
