"""CPU self time and memory of units, measured by wrappers. Snapshots are written while the program runs.

A program that is too slow is the one that matters, and it will be killed: a profiling timer makes it write what
it knows every tenth of a CPU second, functions that are still running included.
"""

from __future__ import annotations

import builtins
import signal
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from auditcoder.sandbox.worker.channel import Channel

globals()["__builtins__"] = dict(vars(builtins))

_INTERVAL = 0.1
OTHER = "<other>"
_ident = threading.get_ident


class CpuMeter:
    """Self time of units by the clock of the thread that runs them; time elsewhere counts as `<other>`."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._seconds: dict[str, float] = {}
        self._stacks: dict[int, list[str]] = {}
        self._last: dict[int, float] = {}
        self._main = _ident()
        signal.signal(signal.SIGPROF, self._snapshot)
        signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)

    def wrap(self, unit: str, function: Callable[..., Any], *, method: bool) -> Callable[..., Any]:
        """Return a function that books its own time."""

        def measured(*args: Any, **kwargs: Any) -> Any:
            thread = _ident()
            self._book(thread, time.thread_time())
            stack = self._stacks.setdefault(thread, [])
            stack.append(unit)
            try:
                return function(*args, **kwargs)
            finally:
                self._book(thread, time.thread_time())
                stack.pop()

        return measured

    def _book(self, thread: int, now: float) -> None:
        stack = self._stacks.get(thread)
        unit = stack[-1] if stack else OTHER
        self._seconds[unit] = self._seconds.get(unit, 0.0) + now - self._last.get(thread, 0.0)
        self._last[thread] = now

    def _snapshot(self, number: int, frame: object) -> None:
        """The handler runs in the main thread, whose time counts in module-level code as well."""
        if not self._stacks.get(self._main):
            self._book(self._main, time.thread_time())
        for thread in list(self._stacks):
            if self._stacks[thread]:
                try:
                    now = time.clock_gettime(time.pthread_getcpuclockid(thread))
                except OSError:
                    continue
                self._book(thread, now)
        self._write()

    def _write(self) -> None:
        self._channel.send({"r": "cost", "cpu": dict(self._seconds)})

    def finish(self) -> None:
        """Stop the timer and write the last snapshot."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._book(_ident(), time.thread_time())
        self._write()


class _Frame:
    """A running unit: what it has grown by in its own code so far, and the level where its own code went on."""

    def __init__(self, unit: str, level: int) -> None:
        self.unit = unit
        self.grown = 0
        self.level = level


class MemoryMeter:
    """Peak growth of traced memory while a unit's own code ran; what a callee left behind is the callee's."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._peaks: dict[str, int] = {}
        self._stacks: dict[int, list[_Frame]] = {}
        self._written = 0.0
        tracemalloc.start(1)

    def wrap(self, unit: str, function: Callable[..., Any], *, method: bool) -> Callable[..., Any]:
        """Return a function that books its own memory."""

        def measured(*args: Any, **kwargs: Any) -> Any:
            stack = self._stacks.setdefault(_ident(), [])
            stack.append(_Frame(unit, self._book(stack)))
            try:
                return function(*args, **kwargs)
            finally:
                level = self._book(stack)
                stack.pop()
                if stack:
                    stack[-1].level = level

        return measured

    def _book(self, stack: list[_Frame]) -> int:
        level, peak = tracemalloc.get_traced_memory()
        if stack:
            frame = stack[-1]
            self._peaks[frame.unit] = max(self._peaks.get(frame.unit, 0), frame.grown + peak - frame.level)
            frame.grown += level - frame.level
            frame.level = level
        tracemalloc.reset_peak()
        now = time.process_time()
        if now - self._written > _INTERVAL:
            self._written = now
            self._write()
        return level

    def _write(self) -> None:
        self._channel.send({"r": "cost", "memory": dict(self._peaks)})

    def finish(self) -> None:
        """Book what is still running and write the last snapshot."""
        for stack in self._stacks.values():
            self._book(stack)
        self._write()
