"""Benchmark of the core: locate plus scope on plans of growing size, with ten findings a node.

Run `python -m auditcoder.eval.bench_core [NODES ...]`. One JSON line a size and policy: CPU seconds for the
localization and for the scope, the best of a few runs; `per_doubling` is the factor that twice the size costs, against
the size before. The last lines give the exponent of the least-squares line through the logarithms: 1 is linear growth.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from auditcoder.core.graph import integrity
from auditcoder.core.locate import locate
from auditcoder.core.scope import select_scope
from auditcoder.eval.bench_world import World, make_world
from auditcoder.records.localization import Localization, Policy
from auditcoder.sandbox.predicate_policy import compile_predicate
from auditcoder.sandbox.predicates import MeteredEvaluator

T = TypeVar("T")
SIZES = (30, 100, 300, 1000)
POLICIES: tuple[Policy, ...] = ("paper", "executed-first")
FINDINGS_A_NODE = 10
_ENOUGH = 20.0
"""Seconds after which a size is not run again."""


class Point(NamedTuple):
    """One size under one policy."""

    policy: Policy
    nodes: int
    findings: int
    locate_s: float
    scope_s: float
    per_doubling: float
    defect: str
    implicated: int
    action: str

    @property
    def seconds(self) -> float:
        """Return the sum."""
        return self.locate_s + self.scope_s


def main() -> int:
    """Print the curve as JSON lines; return 1 when a plan of the benchmark is not what it should be."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    points: list[Point] = []
    for nodes in sizes:
        world = make_world(nodes, FINDINGS_A_NODE * nodes)
        if integrity(world.active.graph):
            raise SystemExit("the generated plan is not sound")
        for policy in POLICIES:
            points.append(_point(world, policy, [point for point in points if point.policy == policy]))
            sys.stdout.write(json.dumps({**points[-1]._asdict(), "seconds": round(points[-1].seconds, 4)}) + "\n")
            sys.stdout.flush()
    for policy in POLICIES:
        curve = [(point.nodes, point.seconds) for point in points if point.policy == policy]
        if len(curve) > 1:
            sys.stdout.write(json.dumps({"policy": policy, "exponent": round(exponent(curve), 2)}) + "\n")
    return 0 if all(point.implicated and point.action for point in points) else 1


def _point(world: World, policy: Policy, before: Sequence[Point]) -> Point:
    active = world.active
    found, locating = best_of(lambda: _locate_cold(world, policy))
    scope, scoping = best_of(lambda: select_scope(found, active.graph, active.assembly, world.findings))
    nodes, seconds = len(active.graph.nodes), locating + scoping
    doubling = per_doubling((before[-1].nodes, before[-1].seconds), (nodes, seconds)) if before else 0.0
    return Point(
        policy,
        nodes,
        len(world.findings),
        round(locating, 4),
        round(scoping, 4),
        round(doubling, 2),
        found.defect or found.abstained,
        len(found.implicated),
        scope.action or "",
    )


def _locate_cold(world: World, policy: Policy) -> Localization:
    """Compiled conditions are kept by the evaluator: a second run would find those of small plans only."""
    compile_predicate.cache_clear()
    return locate(world.inputs(policy), MeteredEvaluator())


def best_of(act: Callable[[], T], runs: int = 3) -> tuple[T, float]:
    """Return what a call returns and the CPU seconds of its fastest run; a slow call is made once."""
    best, result = math.inf, None
    for _ in range(runs):
        start = time.process_time()
        result = act()
        best = min(best, time.process_time() - start)
        if best > _ENOUGH:
            break
    assert result is not None
    return result, best


def per_doubling(before: tuple[int, float], after: tuple[int, float]) -> float:
    """Return the factor that twice the size costs, between two (size, seconds) points."""
    return float((after[1] / before[1]) ** (math.log(2) / math.log(after[0] / before[0])))


def exponent(curve: Sequence[tuple[int, float]]) -> float:
    """Return the slope of the least-squares line through the logarithms of (size, seconds) points."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in curve]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return slope


if __name__ == "__main__":
    raise SystemExit(main())
