"""One child, from request to end, watched from outside: streams drained and capped, deadlines kept, then judged."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from typing import Any, Literal, NamedTuple

from auditcoder.records.task import Limits
from auditcoder.sandbox import settings
from auditcoder.sandbox.clock import ProcessClock, Reading
from auditcoder.sandbox.records import RecordStream
from auditcoder.sandbox.worker_process import WorkerProcess, memory_file

Stop = Literal["", "stdout", "result", "more", "cpu", "idle", "protocol"]
_CORES = os.cpu_count() or 1
_CHUNK = 1 << 16


class Order(NamedTuple):
    """What one child is to do."""

    request: bytes
    stdin: bytes
    limits: Limits
    collect: tuple[str, ...] = ()


class ChildRun(NamedTuple):
    """What was seen of one child."""

    stop: Stop
    """Why the supervisor ended it, if it did; `more`: the records' total is used up, nothing is wrong."""
    status: int
    """Wait status."""
    cpu: float
    wall: float
    peak_mb: float
    stdout: bytes
    stderr: bytes
    stderr_cut: bool
    files: tuple[tuple[str, bytes], ...]
    file_over: bool
    laps: tuple[Reading, ...]
    """What each item took."""
    overdue: bool
    """The worker did not report the end in time after it was told to kill; it must not be used again."""


class WorkerLostError(Exception):
    """The worker ended, or its set-up of a child failed; never the program's fault."""


def run_child(worker: WorkerProcess, order: Order, records: RecordStream) -> ChildRun:
    """Return what one child did.

    Raises:
        WorkerLostError: the harness failed; the worker must not be used again.
    """
    watch = _Watch(worker, order, records)
    try:
        watch.begin()
        return watch.follow()
    except OSError as error:
        raise WorkerLostError(str(error)) from error
    finally:
        watch.close()


class _Watch:
    def __init__(self, worker: WorkerProcess, order: Order, records: RecordStream) -> None:
        self._worker, self._order, self._records = worker, order, records
        self._out, self._err = bytearray(), bytearray()
        self._err_cut = False
        self._stop: Stop = ""
        self._overdue = False
        self._clock: ProcessClock | None = None
        self._laps: list[Reading] = []
        self._mark = Reading(0.0, 0.0)
        self._done: dict[str, Any] | None = None
        self._files: list[int] = []
        self._give_up = time.monotonic() + settings.HELLO_SECONDS
        self._pipes: dict[int, str] = {}
        self._poll = select.poll()

    def begin(self) -> None:
        """Hand the request to the worker; it is passed on to a new child."""
        order = self._order
        handles = [
            memory_file("request", order.request, sealed=False),
            memory_file("stdin", order.stdin, sealed=True),
        ]
        for name in ("out", "err", "records"):
            reader, writer = os.pipe2(os.O_CLOEXEC)
            os.set_blocking(reader, False)
            self._pipes[reader] = name
            self._poll.register(reader, select.POLLIN)
            handles.append(writer)
        self._poll.register(self._worker.control, select.POLLIN)
        header = {
            "op": "run", "cpu": order.limits.cpu_seconds, "memory": order.limits.memory_mb,
            "record_limit": order.limits.output_kb << 10, "collect": list(order.collect),
        }  # fmt: skip
        try:
            self._worker.request(header, handles)
        finally:
            for handle in handles:
                os.close(handle)

    def follow(self) -> ChildRun:
        """Watch until the worker says that everything of this check is dead."""
        control = self._worker.control.fileno()
        while self._done is None:
            ready = {handle for handle, _ in self._poll.poll(self._patience() * 1000)}
            for handle in [handle for handle in self._pipes if handle in ready]:
                self._drain(handle)
            if control in ready:
                self._hear()
            self._check_deadlines()
        for handle in list(self._pipes):
            while self._drain(handle):
                pass
        if self._records.setup_failed or not self._records.state:
            raise WorkerLostError(self._records.setup_failed or "the child ended before it began")
        return self._result(self._done)

    def _patience(self) -> float:
        """Return the seconds until a limit can be reached at the earliest."""
        if self._clock is None or self._stop:
            return max(0.0, self._give_up - time.monotonic())
        now = self._clock.read()
        limits = self._order.limits
        cpu = (limits.cpu_seconds - (now.cpu - self._mark.cpu)) / _CORES
        wall = limits.wall_seconds - (now.wall - self._mark.wall)
        return max(0.001, min(cpu, wall))

    def _check_deadlines(self) -> None:
        if self._done is not None:
            return
        if self._clock is None or self._stop:
            if time.monotonic() > self._give_up:
                self._settle_overdue()
            return
        now, limits = self._clock.read(), self._order.limits
        if now.cpu - self._mark.cpu > limits.cpu_seconds:
            self._end("cpu")
        elif now.wall - self._mark.wall > limits.wall_seconds:
            self._end("idle")

    def _settle_overdue(self) -> None:
        """The limit was passed, so the verdict stands, whatever keeps the worker from saying so."""
        if self._clock is None or not self._stop:
            raise WorkerLostError("the child did not start")
        self._overdue = True
        baseline = self._worker.facts["rss_kb"]
        self._done = {"status": signal.SIGKILL, "cpu": self._clock.read().cpu, "rss_kb": baseline, "files": []}

    def _end(self, reason: Stop) -> None:
        if not self._stop:
            self._stop = reason
            self._give_up = time.monotonic() + settings.BACKSTOP_SECONDS
            self._worker.request({"op": "kill"}, [])

    def _hear(self) -> None:
        message, pid, handles = self._worker.receive()
        if not message:
            raise WorkerLostError("the worker ended")
        if message == b"hello":
            self._clock = ProcessClock(pid)
        else:
            self._done = json.loads(message)
            self._files = handles

    def _drain(self, handle: int) -> bool:
        """Read what is there; return whether more may follow at once."""
        try:
            data = os.read(handle, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._poll.unregister(handle)
            os.close(handle)
            del self._pipes[handle]
            return False
        name = self._pipes[handle]
        if name == "out":
            self._take_output(data)
        elif name == "err":
            self._err_cut = self._err_cut or len(self._err) + len(data) > settings.STDERR_KEPT
            self._err += data[: settings.STDERR_KEPT - len(self._err)]
        else:
            self._take_records(data)
        return True

    def _take_output(self, data: bytes) -> None:
        cap = self._order.limits.output_kb << 10
        if len(self._out) + len(data) > cap:
            self._end("stdout") if self._done is None else self._late("stdout")
        self._out += data[: cap - len(self._out)]

    def _take_records(self, data: bytes) -> None:
        records = self._records
        if self._stop:
            return  # what was under way when the run was ended does not count
        before, state = len(records.items), records.state
        fine = records.feed(data)
        if self._clock is not None and (len(records.items) != before or records.state != state):
            now = self._clock.read()
            lap = Reading(now.cpu - self._mark.cpu, now.wall - self._mark.wall)
            new = len(records.items) - before
            if new:
                self._laps += [Reading(lap.cpu / new, lap.wall / new)] * new
            if new or records.state == "loaded":
                self._mark = now
        if not fine:
            reason: Stop = "result" if records.line_over else "more" if records.total_over else "protocol"
            self._end(reason) if self._done is None else self._late(reason)

    def _late(self, reason: Stop) -> None:
        """The child is dead already, only what it wrote breaks a rule."""
        self._stop = self._stop or reason

    def _result(self, done: dict[str, Any]) -> ChildRun:
        wall = self._clock.read().wall if self._clock is not None else 0.0
        files, over = self._read_files(done["files"])
        peak = max(0.0, (done["rss_kb"] - self._worker.facts["rss_kb"]) / 1024)
        return ChildRun(
            self._stop, done["status"], done["cpu"], wall, peak, bytes(self._out), bytes(self._err), self._err_cut,
            files, over, tuple(self._laps), self._overdue,
        )  # fmt: skip

    def _read_files(self, names: list[str]) -> tuple[tuple[tuple[str, bytes], ...], bool]:
        files: list[tuple[str, bytes]] = []
        over = False
        for name, handle in zip(names, self._files, strict=True):
            size = os.fstat(handle).st_size
            over = over or size > settings.COLLECTED_FILE
            if size <= settings.COLLECTED_FILE:
                with open(handle, "rb", closefd=False) as source:
                    files.append((name, source.read(settings.COLLECTED_FILE)))
        return tuple(files), over

    def close(self) -> None:
        """Give back every descriptor."""
        for handle in (*self._pipes, *self._files):
            with contextlib.suppress(OSError):
                os.close(handle)
        self._pipes.clear()
        if self._clock is not None:
            self._clock.close()
