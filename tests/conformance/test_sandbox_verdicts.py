"""The taxonomy of verdicts: outcome, sub-kind, frames of generated code; and what never blames the program."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from auditcoder.core.protocols import Executor
from auditcoder.errors import HarnessError, IsolationTooWeakError, TaskError
from auditcoder.records.execution import CheckResult
from auditcoder.records.task import (
    Check,
    Comparator,
    EntryPoint,
    Expected,
    FilesInput,
    FunctionInput,
    Limits,
    ProgramInput,
    TextFile,
)
from auditcoder.sandbox.child_run import ChildRun, Order, WorkerLostError, run_child
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.probe import probe, probe_rung
from auditcoder.sandbox.records import RecordStream
from auditcoder.sandbox.worker_process import WorkerProcess

LIMITS = Limits(cpu_seconds=0.3, memory_mb=128)
PROGRAM = EntryPoint(kind="program")


class Case(NamedTuple):
    id: str
    source: str
    outcome: str
    detail: str = ""
    lines: tuple[int, ...] = ()


NUL_ERROR = "SyntaxError" if sys.version_info >= (3, 11, 4) else "ValueError"
CASES = [
    Case("pass", "print(1)", "pass"),
    Case("wrong answer", "print(2)", "wrong-answer"),
    Case("silence", "", "wrong-answer"),
    Case("bytes that are no text", "import sys\nsys.stdout.buffer.write(b'\\xff')", "wrong-answer"),
    Case("exception", "def f():\n    return 1 / 0\n\nf()", "runtime-error", "ZeroDivisionError", (4, 2)),
    Case("own exception", "class Bad(Exception): pass\nraise Bad('x')", "runtime-error", "Bad", (2,)),
    Case("exit status", "import sys\nprint(1)\nsys.exit(3)", "runtime-error", "exit 3"),
    Case("exit with a text", "import sys\nprint(1)\nsys.exit('bad')", "runtime-error", "exit 1"),
    Case("signal", "import os\nos.abort()", "runtime-error", "signal 6"),
    Case("end by force", "import os\nprint(1, flush=True)\nos._exit(0)", "runtime-error", "no-end"),
    Case("syntax error", "x = 1\ny = = 2\n", "runtime-error", "SyntaxError", (2,)),
    Case("indentation error", "def f():\nx = 1", "runtime-error", "IndentationError", (2,)),
    Case("NUL in the source", "x = '\0'", "runtime-error", NUL_ERROR),
    Case("import error", "import no_such_module", "runtime-error", "ModuleNotFoundError", (1,)),
    Case("end of input", "input()\ninput()", "runtime-error", "EOFError", (2,)),
    Case("assertion", "assert False, 'no'", "runtime-error", "AssertionError", (1,)),
    Case(
        "frames of the library are left out", "import json\njson.loads('[')", "runtime-error", "JSONDecodeError", (2,)
    ),
    Case("CPU time", "while True: pass", "timeout", "cpu"),
    Case("memory", "def f():\n    return [0] * (1 << 30)\nf()", "memory", "MemoryError", (3, 2)),
    Case("stdout", "while True: print('x' * 999)", "output-limit", "stdout"),
    Case("flood at the end", "print('x' * 2_000_000)", "output-limit", "stdout"),
    Case("file", "open('f', 'wb').write(bytes(17 << 20))", "output-limit", "file", (1,)),
    Case("caught memory error is no verdict", "try: x = [0] * (1 << 30)\nexcept MemoryError: print(1)", "pass"),
]


def _check(name: str = "c") -> Check:
    return Check(
        id=name, input=ProgramInput(stdin="a\n"), expected=Expected(stdout="1\n"), comparator=Comparator(kind="lines")
    )


def _run(sandbox: SandboxExecutor, source: str) -> CheckResult:
    return sandbox.run(source, PROGRAM, [_check()], LIMITS).results[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_verdict(sandbox: SandboxExecutor, case: Case) -> None:
    result = _run(sandbox, case.source)
    assert (result.outcome, result.detail) == (case.outcome, case.detail), result
    assert tuple(frame.line for frame in result.frames) == case.lines
    assert result.has_observed


def test_first_and_last_frames_of_a_deep_traceback(sandbox: SandboxExecutor) -> None:
    result = _run(sandbox, "def f(n):\n    if n == 0:\n        raise ValueError('deep')\n    f(n - 1)\n\nf(100)")
    assert [frame.line for frame in result.frames] == [6, 4, 4, 4, 4, 4, 4, 4, 4, 3]
    assert [frame.function for frame in result.frames] == ["<module>", *["f"] * 9]
    assert result.message == "deep"
    assert "ValueError: deep" in result.stderr
    assert "runner.py" not in result.stderr


def test_methods_have_qualified_names(sandbox: SandboxExecutor) -> None:
    result = _run(sandbox, "class A:\n    def m(self):\n        return [][1]\nA().m()")
    assert [(frame.line, frame.function) for frame in result.frames] == [(4, "<module>"), (3, "A.m")]


@pytest.mark.parametrize(
    ("source", "detail", "lines"),
    [
        ("def g(): pass", "AttributeError", []),
        ("f = 3", "TypeError", []),
        ("def f(): pass", "TypeError", []),
        ("def f(x):\n    return x.y", "AttributeError", [2]),
        ("def f(x:\n    pass", "SyntaxError", [1]),
        ("x = 1 / 0\ndef f(x): return 1", "ZeroDivisionError", [1]),
    ],
)
def test_function_verdicts(sandbox: SandboxExecutor, source: str, detail: str, lines: list[int]) -> None:
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=1, has_value=True)) for n in range(2)
    ]
    report = sandbox.run(source, EntryPoint(kind="function", name="f"), checks, LIMITS)
    for result in report.results:
        assert (result.outcome, result.detail) == ("runtime-error", detail), result
        assert [frame.line for frame in result.frames] == lines


def test_endless_import_is_not_tried_again_for_every_input(sandbox: SandboxExecutor) -> None:
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=1, has_value=True)) for n in range(30)
    ]
    report = sandbox.run("while True: pass", EntryPoint(kind="function", name="f"), checks, LIMITS)
    assert {(result.outcome, result.detail) for result in report.results} == {("timeout", "cpu")}
    assert len({result.cpu_seconds for result in report.results}) == 1


def test_input_only_checks_ask_for_a_clean_exit(sandbox: SandboxExecutor) -> None:
    check = Check(id="c", input=ProgramInput(stdin=""), expected=Expected())
    results = [sandbox.run(source, PROGRAM, [check], LIMITS).results[0] for source in ("print(5)", "1 / 0")]
    assert [result.clean_exit for result in results] == [True, False]


def test_output_belongs_to_its_call(sandbox: SandboxExecutor) -> None:
    source = "import sys\ndef f(n):\n    print('out', n)\n    print('err', n, file=sys.stderr)\n    return 1 // n"
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=1, has_value=True)) for n in (1, 0, 1)
    ]
    results = sandbox.run(source, EntryPoint(kind="function", name="f"), checks, LIMITS).results
    assert [result.stdout for result in results] == ["out 1\n", "out 0\n", "out 1\n"]
    assert [result.stderr for result in results] == ["err 1\n", "err 0\n", "err 1\n"]


def test_a_lost_worker_is_replaced_and_nobody_blamed(sandbox: SandboxExecutor) -> None:
    os.kill(sandbox.worker_pid(), signal.SIGKILL)
    assert _run(sandbox, "print(1)").outcome == "pass"


def test_a_worker_lost_twice_on_one_check_is_a_harness_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third run, a trivial one, works: only this check has no verdict. No retry goes on for ever."""
    killed: list[int] = []

    def killing(worker: WorkerProcess, order: Order, records: RecordStream) -> ChildRun:
        if b"deadly" in order.request:
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)
        return run_child(worker, order, records)

    monkeypatch.setattr("auditcoder.sandbox.executor.run_child", killing)
    with SandboxExecutor() as own:
        results = own.run("print(1)  # deadly", PROGRAM, [_check()], LIMITS).results
        assert [result.outcome for result in results] == ["harness-error"]
        assert len(set(killed)) == 2
        assert own.run("print(1)", PROGRAM, [_check()], LIMITS).results[0].outcome == "pass"


def test_a_sandbox_that_is_broken_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(worker: WorkerProcess, order: Order, records: RecordStream) -> ChildRun:
        raise WorkerLostError("broken")

    monkeypatch.setattr("auditcoder.sandbox.executor.run_child", broken)
    with SandboxExecutor() as own, pytest.raises(HarnessError):
        own.run("print(1)", PROGRAM, [_check()], LIMITS)


def test_the_report_names_its_isolation(sandbox: SandboxExecutor) -> None:
    report = sandbox.run("print(1)", PROGRAM, [_check("a"), _check("b")], LIMITS)
    assert report.isolation == sandbox.isolation().content_hash()
    assert sandbox.isolation() == probe()
    assert sandbox.isolation().level >= 2


def test_a_level_that_is_not_there_is_refused_with_a_hint() -> None:
    weak = probe_rung().report.model_copy(update={"level": 1, "rung": "x", "missing": ("how to get more",)})
    with pytest.raises(IsolationTooWeakError) as caught:
        SandboxExecutor(probed=probe_rung()._replace(report=weak), minimum_level=1)
    assert caught.value.fields["level"] == 1
    assert "how to get more" in caught.value.hint
    with SandboxExecutor(probed=probe_rung()._replace(report=weak), minimum_level=1, allow_weak=True) as allowed:
        assert allowed.isolation().level == 1


def test_a_closed_executor_leaves_nothing_and_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = SandboxExecutor()
    pid = own.worker_pid()
    _run(own, "open('left', 'w').close()")
    own.close()
    own.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert _run(own, "print(1)").outcome == "pass"
    own.close()


def test_an_interrupted_run_does_not_answer_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def follow_interrupted(self: object) -> ChildRun:
        raise KeyboardInterrupt

    with SandboxExecutor() as own:
        first = own.worker_pid()
        with monkeypatch.context() as patch:
            patch.setattr("auditcoder.sandbox.child_run._Watch.follow", follow_interrupted)
            with pytest.raises(KeyboardInterrupt):
                _run(own, "print(2)")
        assert _run(own, "print(1)").outcome == "pass"
        assert own.worker_pid() != first


def test_a_kill_that_is_not_confirmed_in_time_keeps_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditcoder.sandbox.settings.BACKSTOP_SECONDS", 0.2)
    with SandboxExecutor() as own:
        pid = own.worker_pid()
        source = "while True: pass"
        stopper = threading.Timer(0.1, os.kill, (pid, signal.SIGSTOP))
        stopper.start()
        result = _run(own, source)
        stopper.join()
        assert (result.outcome, result.detail) == ("timeout", "cpu")
        assert _run(own, "print(1)").outcome == "pass"
        assert own.worker_pid() != pid


def test_input_names_that_lead_outside_are_refused(sandbox: SandboxExecutor) -> None:
    given = FilesInput(files=(TextFile(name="../x", text=""),))
    with pytest.raises(TaskError):
        sandbox.run("", EntryPoint(kind="script"), [Check(id="c", input=given, expected=Expected())], LIMITS)


def test_it_is_an_executor(sandbox: SandboxExecutor) -> None:
    port: Executor = sandbox
    assert port.isolation().level == sandbox.isolation().level
