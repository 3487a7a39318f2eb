"""Benchmark of the sandbox: checks per CPU second against a bare `python file` per check.

The bare design runs twice: as it is, and with -S, without `site` and the start-up files of installed packages (on
some machines these alone take longer than all the rest). Both ratios are given; the claim is about the first.

Run `python -m auditcoder.eval.bench_sandbox`. CPU time is that of all processes of a check, this one included. The
designs take turns within each round, so that other load on the machine meets all of them alike; start-up of the
warm worker is given apart.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from auditcoder.eval.bench_cpu import cpu_seconds
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput, Limits, ProgramInput
from auditcoder.sandbox.executor import SandboxExecutor

_TRIVIAL = "n = int(input())\nprint(n * 2)\n"
_IMPORTS = "import collections, itertools, functools, heapq, math, random, re, json, decimal, datetime\n" + _TRIVIAL
_FUNCTION = "def double(n):\n    return n * 2\n"
_BATCH = 50
_LIMITS = Limits()
_BARE: str = getattr(sys, "_base_executable", sys.executable)
"""Outside any virtual environment, whose start-up files would only slow the bare design down."""


class Cost(NamedTuple):
    """What a number of checks took."""

    checks: int = 0
    cpu: float = 0.0
    wall: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Return the sum."""
        return Cost(self.checks + other.checks, self.cpu + other.cpu, self.wall + other.wall)


class Line(NamedTuple):
    """One line of the result: a design on a workload, and its rate as a multiple of the bare ones."""

    workload: str
    design: str
    cpu_ms: float
    wall_ms: float
    per_cpu_second: float
    ratio: float
    ratio_without_site: float


def main() -> int:
    """Print the table as JSON lines; return 1 when the sandbox is under twice the bare rate."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with SandboxExecutor() as sandbox:
        sandbox.run(_TRIVIAL, EntryPoint(kind="program"), [_program_check(0)], _LIMITS)
        lines = _measure(sandbox, rounds)
        report = sandbox.isolation()
    sys.stdout.write(json.dumps({"level": report.level, "rung": report.rung, "uid": report.uid}) + "\n")
    for line in lines:
        sys.stdout.write(json.dumps(line._asdict()) + "\n")
    return 0 if all(line.ratio >= 2 for line in lines if line.design == "sandbox") else 1


def _measure(sandbox: SandboxExecutor, rounds: int) -> list[Line]:
    workloads: dict[str, tuple[Callable[[list[str]], int], Callable[[], int]]] = {
        "trivial program": (lambda options: _bare(options, _TRIVIAL), lambda: _warm(sandbox, _TRIVIAL)),
        "ten imports": (lambda options: _bare(options, _IMPORTS), lambda: _warm(sandbox, _IMPORTS)),
        f"function, {_BATCH} inputs": (_bare_batch, lambda: _warm_batch(sandbox)),
    }
    lines: list[Line] = []
    for name, (bare, warm) in workloads.items():
        acts: tuple[Callable[[], int], ...] = (partial(bare, []), partial(bare, ["-S"]), warm)
        totals = [Cost()] * len(acts)
        for _ in range(rounds):
            totals = [total.plus(_cost(sandbox, act)) for total, act in zip(totals, acts, strict=True)]
        bare_rate, siteless_rate = (total.checks / total.cpu for total in totals[:2])
        for design, total in zip(("bare python", "bare python -S", "sandbox"), totals, strict=True):
            cpu, wall, rate = (
                1000 * total.cpu / total.checks,
                1000 * total.wall / total.checks,
                total.checks / total.cpu,
            )
            ratios = (round(rate / bare_rate, 2), round(rate / siteless_rate, 2))
            lines.append(Line(name, design, round(cpu, 3), round(wall, 3), round(rate, 1), *ratios))
    return lines


def _cost(sandbox: SandboxExecutor, act: Callable[[], int]) -> Cost:
    worker = sandbox.worker_pid()
    cpu, wall = cpu_seconds(worker), time.monotonic()
    checks = act()
    return Cost(checks, cpu_seconds(worker) - cpu, time.monotonic() - wall)


def _program_check(index: int) -> Check:
    return Check(
        id=f"c{index}",
        input=ProgramInput(stdin=f"{index}\n"),
        expected=Expected(stdout=f"{2 * index}\n"),
        comparator=Comparator(kind="lines"),
    )


def _bare(options: list[str], program: str, checks: int = 40) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(program)
        for index in range(checks):
            done = subprocess.run([_BARE, *options, str(path)], input=f"{index}\n", capture_output=True, text=True)
            _expect(done.stdout == f"{2 * index}\n")
    return checks


def _warm(sandbox: SandboxExecutor, program: str, checks: int = 40) -> int:
    report = sandbox.run(program, EntryPoint(kind="program"), [_program_check(i) for i in range(checks)], _LIMITS)
    _expect(all(result.outcome == "pass" for result in report.results))
    return checks


def _bare_batch(options: list[str]) -> int:
    """One cold process for all inputs of the function: the cheapest thing without isolation."""
    script = f"{_FUNCTION}\nimport json, sys\nprint(json.dumps([double(n) for n in json.load(sys.stdin)]))\n"
    inputs = list(range(_BATCH))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(script)
        for _ in range(10):
            done = subprocess.run(
                [_BARE, *options, str(path)], input=json.dumps(inputs), capture_output=True, text=True
            )
            _expect(json.loads(done.stdout) == [2 * n for n in inputs])
    return 10 * _BATCH


def _warm_batch(sandbox: SandboxExecutor) -> int:
    checks = [
        Check(id=f"c{n}", input=FunctionInput(args=(n,)), expected=Expected(value=2 * n, has_value=True))
        for n in range(_BATCH)
    ]
    for _ in range(10):
        report = sandbox.run(_FUNCTION, EntryPoint(kind="function", name="double"), checks, _LIMITS)
        _expect(all(result.outcome == "pass" for result in report.results))
    return 10 * _BATCH


def _expect(fine: bool) -> None:
    if not fine:
        raise SystemExit("the benchmark's own checks do not pass")


if __name__ == "__main__":
    raise SystemExit(main())
