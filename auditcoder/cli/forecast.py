"""The model calls that a solve would make, before it makes one: at least, when all goes well; at most, else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from auditcoder.core.admission import admission_of
from auditcoder.core.ladder import ladder
from auditcoder.core.local_admission import CALLS, local_checks_policy
from auditcoder.programs.baselines.base import options_of
from auditcoder.programs.boundary import BOUNDARY_KINDS
from auditcoder.programs.methods import METHODS
from auditcoder.programs.planning import DIVISIBLE, REPLANS
from auditcoder.programs.writing import TRIES
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import Granularity
from auditcoder.records.task import Task
from auditcoder.signatures.planner import COARSE_STEPS, FINE_STEPS


class PlannedCalls(NamedTuple):
    """Calls of one role in one step."""

    step: str
    role: str
    """More than one, of a rival method, divided by commas."""
    least: int
    most: int | None
    """None: until no progress is made."""


def forecast(task: Task, config: RunConfig, *, weak: bool) -> tuple[PlannedCalls, ...]:
    """Return the planned calls in order; what comes only after a failing check has a least of 0."""
    if config.method != "auditcoder":
        return (rival(config),)
    rows = list(boundary(task, config, weak=weak))
    for number, rung in enumerate(ladder(config.granularity, weak)):
        name = f"plan attempt {number + 1} ({rung.granularity})" + ("" if number == 0 else ", if a check fails")
        divided = rung.granularity != "single" and task.entry.kind in DIVISIBLE
        calls = divided_attempt(task, config, rung.granularity, weak=weak) if divided else undivided_attempt()
        rows += [row._replace(step=name, least=row.least if number == 0 else 0) for row in calls]
    return (*rows, *repairs(config))


def rival(config: RunConfig) -> PlannedCalls:
    """Return the calls of a rival method as its own formula has them, all its agents in one row."""
    method = METHODS[config.method]
    least, most = method(options_of(method, config)).bounds(config)
    agents = dict.fromkeys(method.agents.values())
    step = f"{config.method}, usable answers"
    return PlannedCalls(step, ", ".join(agents), least, None if config.adaptive else most)


def boundary(task: Task, config: RunConfig, *, weak: bool) -> Iterator[PlannedCalls]:
    """Yield the calls that design boundary checks."""
    admission = admission_of(config, weak=weak)
    if admission == "none" or not config.boundary_count:
        return
    if task.entry.kind in BOUNDARY_KINDS and task.examples:
        derived = config.boundary_count if admission == "confirmed" else 0
        yield PlannedCalls("boundary checks", "planner", 1, 1 + derived)


def undivided_attempt() -> Iterator[PlannedCalls]:
    """Yield the calls for a program that one node owns."""
    yield PlannedCalls("", "generator", 1, TRIES)


def divided_attempt(task: Task, config: RunConfig, granularity: Granularity, *, weak: bool) -> Iterator[PlannedCalls]:
    """Yield the calls for a plan, its review, the local checks of its steps, and the code of its nodes."""
    steps = (FINE_STEPS, COARSE_STEPS) if granularity == "fine" else (COARSE_STEPS,)
    rounds = REPLANS + 1
    checked = local_checks_policy(config, weak=weak) == "confirmed"
    checks = max(steps) * (1 + CALLS) if checked else 0
    yield PlannedCalls("", "planner", 2 + checked, sum(1 + rounds * most for most in steps) + checks)
    yield PlannedCalls("", "replanner", 0, REPLANS * len(steps))
    if config.plan_review == "model":
        yield PlannedCalls("", "reviewer", 1, rounds * len(steps))
    yield PlannedCalls("", "generator", 1, TRIES * max(steps))
    if not (weak and task.entry.kind == "function"):
        yield PlannedCalls("", "orchestrator", 1, TRIES)


def repairs(config: RunConfig) -> Iterator[PlannedCalls]:
    """Yield the calls of the repairs that the budget allows."""
    if not config.k and not config.adaptive:
        return
    step = "repairs, if a check fails"
    if config.verify != "never":
        yield PlannedCalls(step, "verifier", 0, None if config.adaptive else config.k * FINE_STEPS)
    writers = {"resample": "generator", "auto": "generator, regenerator"}.get(config.feedback, "regenerator")
    yield PlannedCalls(step, writers, 0, None if config.adaptive else config.k * 2 * TRIES)
