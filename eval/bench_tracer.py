"""Benchmark of the tracer: a traced run against an untraced one and against a tracer that only counts lines.

Run `python -m auditcoder.eval.bench_tracer`. The programs run in this process, one after the other in each round, and
the median ratio over the rounds counts: other load on the machine meets all designs alike. The counting tracer is the
least that any line tracer costs; it is of the same kind (`sys.settrace` or `sys.monitoring`). Line events stay below
the limit, at which tracing ends.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from auditcoder.sandbox.worker.channel import Channel
from auditcoder.sandbox.worker.trace_engines import Engine, best_engine
from auditcoder.sandbox.worker.tracer import Tracer

_LOOPS = """
def run(n):
    total, row = 0, [0] * 50
    for i in range(n):
        for j in range(50):
            row[j] += i
            if row[j] % 3 == 0:
                total += row[j]
    return total
"""
_CALLS = """
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

def run(n):
    return fib(n)
"""
_COMPREHENSIONS = """
def run(n):
    found = []
    for i in range(n):
        squares = [j * j for j in range(200)]
        even = {k for k in squares if k % 2 == 0}
        table = {k: k + i for k in even}
        found.append(sum(v for v in table.values()))
    return found
"""
_OBJECTS = """
class Node:
    def __init__(self, value, rest):
        self.value = value
        self.rest = rest

def run(n):
    chain = None
    for i in range(n):
        chain = Node([i, str(i), {"k": i}], chain)
    count = 0
    while chain is not None:
        count += len(chain.value)
        chain = chain.rest
    return count
"""
PROGRAMS: dict[str, tuple[str, int]] = {
    "loops": (_LOOPS, 90),
    "calls": (_CALLS, 17),
    "comprehensions": (_COMPREHENSIONS, 60),
    "objects": (_OBJECTS, 1800),
}
"""Text and size of each program."""


class Line(NamedTuple):
    """One line of the result: times in ms, and ratios of the same rounds."""

    program: str
    events: int
    untraced_ms: float
    counted_ms: float
    traced_ms: float
    blocks_ms: float
    counted_by_untraced: float
    traced_by_untraced: float
    traced_by_counted: float
    blocks_by_counted: float
    us_an_event: float


class _Last(Channel):
    """Keeps the last record."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {}

    def send(self, record: dict[str, Any]) -> None:
        self.last = record


def main() -> int:
    """Print the table as JSON lines; return 1 when a traced run passed the limit of events."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    engine = best_engine()
    lines = [measure(name, *PROGRAMS[name], rounds, engine) for name in PROGRAMS]
    sys.stdout.write(json.dumps({"python": sys.version.split()[0], "engine": engine, "rounds": rounds}) + "\n")
    for line in lines:
        sys.stdout.write(json.dumps(line._asdict()) + "\n")
    return 1 if any(line.events > 20_000 for line in lines) else 0


def measure(name: str, source: str, size: int, rounds: int, engine: Engine) -> Line:
    """Return what the designs took on one program, each once in every round."""
    channel = _Last()
    blocks = [(line, line) for line in range(1, source.count("\n") + 1)]
    acts: tuple[Callable[[], float], ...] = (
        lambda: _plain(source, size),
        lambda: _counted(source, size, engine),
        lambda: _traced(source, size, channel, [], engine),
        lambda: _traced(source, size, _Last(), blocks, engine),
    )
    times = [[act() for act in acts] for _ in range(rounds)]
    plain, counted, seen, by_block = (statistics.median(each) for each in zip(*times, strict=True))
    events = channel.last["events"]
    return Line(
        program=name,
        events=events,
        untraced_ms=round(1000 * plain, 3),
        counted_ms=round(1000 * counted, 3),
        traced_ms=round(1000 * seen, 3),
        blocks_ms=round(1000 * by_block, 3),
        counted_by_untraced=_ratio(times, 1, 0),
        traced_by_untraced=_ratio(times, 2, 0),
        traced_by_counted=_ratio(times, 2, 1),
        blocks_by_counted=_ratio(times, 3, 1),
        us_an_event=round(1e6 * (seen - plain) / events, 2),
    )


def _ratio(times: list[list[float]], above: int, below: int) -> float:
    return round(statistics.median(each[above] / each[below] for each in times), 2)


def _plain(source: str, size: int) -> float:
    return _timed(compile(source, "<program>", "exec"), size, lambda: None)


def _counted(source: str, size: int, engine: Engine) -> float:
    code = compile(source, "<program>", "exec")
    count = 0

    def line(*_: Any) -> None:
        nonlocal count
        count += 1

    if engine == "monitoring":
        tools: Any = vars(sys)["monitoring"]
        tools.use_tool_id(3, "count")
        tools.register_callback(3, tools.events.LINE, line)
        stack = [code]
        while stack:
            each = stack.pop()
            stack += [inner for inner in each.co_consts if isinstance(inner, types.CodeType)]
            tools.set_local_events(3, each, tools.events.LINE)
        return _timed(code, size, lambda: tools.free_tool_id(3))

    def trace(frame: types.FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != "<program>":
            return None
        count += event == "line"
        return trace

    sys.settrace(trace)
    return _timed(code, size, lambda: sys.settrace(None))


def _traced(source: str, size: int, channel: _Last, blocks: list[tuple[int, int]], engine: Engine) -> float:
    tracer = Tracer(channel, [], blocks, 10, engine)
    return _timed(tracer.compile(source, "<program>"), size, tracer.finish)


def _timed(code: types.CodeType, size: int, finish: Callable[[], None]) -> float:
    """Return the CPU seconds of a run to its end, what was seen included."""
    module: dict[str, Any] = {"__name__": "solution"}
    start = time.process_time()
    exec(code, module)
    module["run"](size)
    finish()
    return time.process_time() - start


if __name__ == "__main__":
    raise SystemExit(main())
