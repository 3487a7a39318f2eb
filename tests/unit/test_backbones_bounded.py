from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from auditcoder.backbones.bounded import run_bounded
from auditcoder.backbones.context import call_context, current_call


def test_the_value_comes_back() -> None:
    assert run_bounded(lambda cancelled: cancelled.is_set(), 10.0) is False


def test_an_error_is_raised_as_it_was() -> None:
    def work(_cancelled: threading.Event) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_bounded(work, 10.0)


def test_work_that_takes_too_long_is_told_to_stop() -> None:
    told = threading.Event()

    def work(cancelled: threading.Event) -> None:
        if cancelled.wait(30):
            told.set()

    with pytest.raises(TimeoutError, match=r"no answer within 0\.05 s"):
        run_bounded(work, 0.05)
    assert told.wait(10)


def test_the_work_sees_the_callers_context() -> None:
    with call_context(node="S7"):
        assert run_bounded(lambda _cancelled: current_call().node, 10.0) == "S7"


def test_ctrl_c_ends_the_wait_and_stops_the_work() -> None:
    program = textwrap.dedent(
        """
        from auditcoder.backbones.bounded import run_bounded
        def work(cancelled):
            print("started", flush=True)
            print("stopped" if cancelled.wait(60) else "late", flush=True)
        try:
            run_bounded(work, 60)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    heard = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731  # a background job's is off
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, preexec_fn=heard)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "stopped\ninterrupted\n"
    assert process.returncode == 0
