"""CPU time and adjusted wall time of another process, read from outside."""

from __future__ import annotations

import os
import time
from typing import NamedTuple


class Reading(NamedTuple):
    """CPU seconds of all threads, and wall seconds without the time spent waiting for a core."""

    cpu: float
    wall: float


class ProcessClock:
    """Reads the clocks of one process, until it is gone; then the last reading stays."""

    def __init__(self, pid: int) -> None:
        self._clock = ((~pid) << 3) | 2  # the kernel's id of a process's CPU clock, see clock_getcpuclockid(3)
        self._start = time.monotonic()
        self._cpu = 0.0
        self._waited = 0.0
        try:
            self._schedule = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._schedule = -1

    def read(self) -> Reading:
        """Return both clocks now."""
        try:
            self._cpu = time.clock_gettime(self._clock)
        except OSError:
            pass  # the process is gone
        return Reading(self._cpu, time.monotonic() - self._start - self._run_queue_wait())

    def _run_queue_wait(self) -> float:
        if self._schedule >= 0:
            try:
                fields = os.pread(self._schedule, 100, 0).split()
                self._waited = int(fields[1]) / 1e9
            except (OSError, IndexError, ValueError):
                pass  # gone, or a kernel without scheduler statistics: no adjustment
        return self._waited

    def close(self) -> None:
        """Give the descriptor back."""
        if self._schedule >= 0:
            os.close(self._schedule)
            self._schedule = -1
