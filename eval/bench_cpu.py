"""CPU time of a benchmark, sandboxed programs included."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(worker: int) -> float:
    """Return the CPU seconds so far of this process, its ended children, the worker and the worker's ended children."""
    total = sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )
    fields = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
    return total + sum(int(field) for field in fields[11:15]) / _TICKS
