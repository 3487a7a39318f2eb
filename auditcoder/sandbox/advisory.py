"""Reading advisory runs: recorded calls and measured costs. They may steer a search, never decide a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from auditcoder.records.execution import Measurement, RecordedCall, Recording, UnitCost
from auditcoder.records.task import Check, Limits
from auditcoder.sandbox import settings
from auditcoder.sandbox.child_run import ChildRun
from auditcoder.sandbox.records import ProtocolError, RecordStream, check_value

Tool = Literal["calls", "cpu", "memory"]
_SLOW_DOWN: dict[Tool, float] = {"calls": 3.3, "cpu": 3.3, "memory": 14.0}
"""Measured factors of the wrappers and of memory tracing: the CPU limit is raised by them."""
_MEMORY_FACTOR = 2
UNFINISHED = "<unfinished>"
"""Stands for the exception of a call that was under way when the run ended."""


class Watched(NamedTuple):
    """One advisory run."""

    run: ChildRun
    records: RecordStream


def raised(limits: Limits, tool: Tool) -> Limits:
    """Return the limits of an advisory run with a tool."""
    cpu = min(3600.0, limits.cpu_seconds * _SLOW_DOWN[tool])
    memory = limits.memory_mb * (_MEMORY_FACTOR if tool == "memory" else 1)
    return limits.model_copy(update={"cpu_seconds": cpu, "memory_mb": min(65536, memory)})


def recording(check: Check, watched: Watched) -> Recording:
    """Return the recorded calls in the order of their start."""
    calls: dict[int, RecordedCall] = {}
    complete = False
    for record in watched.records.advisory:
        try:
            if record["r"] == "call":
                calls[_index(record)] = _call(record)
            elif record["r"] == "ret" and _index(record) in calls:
                calls[record["n"]] = _ended(calls[record["n"]], record)
            elif record["r"] == "recorded":
                complete = record.get("complete") is True
        except ProtocolError:
            complete = False
            break
    whole = complete and watched.records.state == "end" and not watched.records.advisory_cut
    whole = whole and not any(call.exception == UNFINISHED for call in calls.values())
    return Recording(check=check.id, calls=tuple(calls[index] for index in sorted(calls)), complete=whole)


def _index(record: dict[str, Any]) -> int:
    index = record.get("n")
    if type(index) is not int:
        raise ProtocolError("a call without a number")
    return index


def _call(record: dict[str, Any]) -> RecordedCall:
    unit, args = record.get("u"), record.get("a")
    if not isinstance(unit, str) or not isinstance(args, list):
        raise ProtocolError("a malformed call")
    check_value(args)
    return RecordedCall(unit=unit, args=tuple(args), exception=UNFINISHED)


def _ended(call: RecordedCall, record: dict[str, Any]) -> RecordedCall:
    error = record.get("x")
    if isinstance(error, str):
        check_value(error)
        return call.model_copy(update={"exception": error[:100] or "?"})
    check_value(record.get("v"))
    return call.model_copy(update={"result": record.get("v"), "exception": ""})


def measurement(check: Check, units: Sequence[str], cpu: Watched, memory: Watched) -> Measurement:
    """Return what the last snapshots of both runs say; CPU time is a share of the outside total."""
    seconds = _last(cpu, "cpu")
    peaks = _last(memory, "memory")
    total = sum(seconds.values())
    scale = cpu.run.cpu / total if total > 0 else 0.0
    costs = tuple(
        UnitCost(
            unit=unit,
            cpu_seconds=round(seconds.get(unit, 0.0) * scale, 6),
            peak_mb=round(peaks.get(unit, 0.0) / settings.MB, 3),
        )
        for unit in units
        if unit in seconds or unit in peaks
    )
    complete = all(watched.records.state == "end" and not watched.records.advisory_cut for watched in (cpu, memory))
    return Measurement(check=check.id, costs=costs, complete=complete)


def _last(watched: Watched, key: str) -> dict[str, float]:
    for record in reversed(watched.records.advisory):
        data = record.get(key)
        if record["r"] == "cost" and isinstance(data, dict):
            return {name: float(value) for name, value in data.items() if _is_amount(value)}
    return {}


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0
