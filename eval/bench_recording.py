"""Benchmark of evidence: what recording calls and contract monitors cost, relative to the bare run of the same check.

Run `python -m auditcoder.eval.bench_recording [ROUNDS]`. One JSON line a program: CPU milliseconds of a bare check, of
one that records its calls, and of the monitors on what was recorded; `recording` and `monitored` are multiples of the
bare run. CPU time is that of all processes. The ways take turns within each round, so that other load on the machine
meets all of them alike. The pipeline records one failing check a round of repair, and never for a verdict.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import NamedTuple

from auditcoder.core.assembly import assemble
from auditcoder.core.monitors import monitor
from auditcoder.core.versions import Active
from auditcoder.eval.bench_cpu import cpu_seconds
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import Recording
from auditcoder.records.graph import ROOT, Contract, Node, Predicate, Slot, TaskGraph
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Limits,
    Parameter,
    Task,
)
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator

_LIMITS = Limits(cpu_seconds=10.0)


_REPEATS = 5
"""Runs in one reading of the clock, whose ticks are coarse."""
_ROWS = """def solve(n):
    row = list(range(n))
    for _ in range({calls}):
        row = step(row)
    return row[0]
"""
_PLUS_ONE = "def step(row):\n    return [value + 1 for value in row]\n"


class Workload(NamedTuple):
    """A program of two nodes: the root's function calls the leaf's `step`."""

    name: str
    root: str
    leaf: str
    parameters: tuple[str, ...]
    argument: int
    preconditions: tuple[str, ...]
    postconditions: tuple[str, ...]


WORKLOADS = (
    Workload(
        "few calls",
        "def solve(n):\n    return sum(step(n + i) for i in range(5))\n",
        "def step(n):\n    total = 0\n    for i in range(n):\n        total += i * i % 7\n    return total\n",
        ("n",),
        60_000,
        ("n >= 0",),
        ("result >= 0", "result <= 6 * n"),
    ),
    Workload(
        "many calls",
        "def solve(n):\n    total = 0\n    for i in range(n):\n        total = step(total, i)\n    return total\n",
        "def step(total, i):\n    return total + i % 3\n",
        ("total", "i"),
        100_000,
        ("total >= 0", "i >= 0"),
        ("result >= total", "result - total < 3"),
    ),
    Workload(
        "big arguments",
        _ROWS.format(calls=200),
        _PLUS_ONE,
        ("row",),
        1_500,
        ("len(row) > 0",),
        ("len(result) == len(row)", "all(b > a for a, b in zip(row, result))"),
    ),
    Workload(
        "arguments over the cap",
        _ROWS.format(calls=20),
        _PLUS_ONE,
        ("row",),
        20_000,
        ("len(row) > 0",),
        ("len(result) == len(row)",),
    ),
)


class Ready(NamedTuple):
    """A workload with its program and contracts."""

    active: Active
    entry: EntryPoint
    check: Check


class Line(NamedTuple):
    """One line of the result."""

    workload: str
    bare_ms: float
    recording_ms: float
    monitors_ms: float
    recording: float
    """The recording run as a multiple of the bare one."""
    monitored: float
    """The recording run and the monitors as a multiple of the bare one."""
    calls: int
    """Calls that were kept."""
    findings: int
    """Of the monitors; a value that was cut gives none."""


def main() -> int:
    """Print the table as JSON lines."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with SandboxExecutor() as sandbox:
        for workload in WORKLOADS:
            line = _measure(sandbox, workload, rounds)
            sys.stdout.write(json.dumps(line._asdict()) + "\n")
            sys.stdout.flush()
    return 0


def prepare(workload: Workload) -> Ready:
    """Return the program of a workload, assembled from its two nodes."""
    parameters = tuple(Parameter(name=name) for name in workload.parameters)
    contract = Contract(
        signatures=(FunctionSignature(name="step", parameters=parameters),),
        preconditions=_predicates("pre", workload.preconditions, workload.parameters[:1]),
        postconditions=_predicates("post", workload.postconditions, ("out",)),
    )
    signature = FunctionSignature(name="solve", parameters=(Parameter(name="n"),))
    entry = EntryPoint(kind="function", name="solve", signature=signature)
    slots = tuple(Slot(name=name) for name in workload.parameters)
    leaf = Node(id="S1", parent=ROOT, goal="Step.", executor="simulation", kind="leaf", contract=contract, inputs=slots,
                outputs=(Slot(name="out"),))  # fmt: skip
    root = Node(id=ROOT, goal="Solve.", executor="orchestration", kind="orchestrator",
                contract=Contract(signatures=(signature,)), depends_on=("S1",))  # fmt: skip
    graph = TaskGraph(nodes=(root, leaf), order=("S1",))
    codes = {
        node: NodeCode(node=node, source=source, digest=sha256_text(source))
        for node, source in ((ROOT, workload.root), ("S1", workload.leaf))
    }
    assembly = assemble(graph, codes, Task(id="benchmark", statement="Solve.", entry=entry))
    check = Check(id="c", input=FunctionInput(args=(workload.argument,)), expected=Expected())
    return Ready(Active(graph, codes, assembly), entry, check)


def _predicates(prefix: str, expressions: tuple[str, ...], slots: tuple[str, ...]) -> tuple[Predicate, ...]:
    return tuple(
        Predicate(id=f"{prefix}{number}", text=text, slots=slots, expression=text)
        for number, text in enumerate(expressions, start=1)
    )


def _measure(sandbox: SandboxExecutor, workload: Workload, rounds: int) -> Line:
    active, entry, check = prepare(workload)
    program, units = active.assembly.program, ("solve", "step")
    recordings: list[Recording] = []
    findings: list[int] = []

    def bare() -> None:
        report = sandbox.run(program, entry, [check], _LIMITS)
        _expect(report.results[0].outcome == "pass")

    def record() -> None:
        recordings[:] = [sandbox.record(program, entry, check, _LIMITS, units)]

    def watch() -> None:
        found = monitor(recordings[0], active, MeteredEvaluator(), start=0).findings
        _expect(all(finding.verdict == "accept" for finding in found))
        findings[:] = [len(found)]

    acts: tuple[Callable[[], None], ...] = (bare, record, watch)
    for act in acts:
        act()  # warm: the worker is started, every module loaded
    totals = [0.0] * len(acts)
    for _ in range(rounds):
        totals = [total + _cpu(sandbox, act) for total, act in zip(totals, acts, strict=True)]
    _expect(len(recordings[0].calls) > 1)
    run, recorded, monitored = (1000 * total / (rounds * _REPEATS) for total in totals)
    return Line(
        workload.name,
        round(run, 2),
        round(recorded, 2),
        round(monitored, 2),
        round(recorded / run, 2),
        round((recorded + monitored) / run, 2),
        len(recordings[0].calls),
        findings[0],
    )


def _cpu(sandbox: SandboxExecutor, act: Callable[[], None]) -> float:
    worker = sandbox.worker_pid()
    before = cpu_seconds(worker)
    for _ in range(_REPEATS):
        act()
    return cpu_seconds(worker) - before


def _expect(fine: bool) -> None:
    if not fine:
        raise SystemExit("the benchmark's own program does not behave")


if __name__ == "__main__":
    raise SystemExit(main())
