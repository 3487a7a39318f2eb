"""From task to accepted graph: propose, review, replan at most twice, then coarser, at last a single owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from auditcoder.core.plan import PlannedStep, Vet, build_graph, single_owner_graph
from auditcoder.core.review import review_plan
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.local_checks import LocalCheckDesigner
from auditcoder.programs.module import TypedModule
from auditcoder.programs.planner import Planner, without_printing
from auditcoder.programs.replanner import Replanner
from auditcoder.programs.reviewer import Reviewer
from auditcoder.programs.session import Session
from auditcoder.records.events import PlanAccepted, PlanReviewed
from auditcoder.records.graph import Granularity, TaskGraph
from auditcoder.records.task import Task
from auditcoder.signatures.planner import COARSE_STEPS, FINE_STEPS

Split = Literal["coarse", "fine"]
REPLANS = 2
DIVISIBLE = ("function", "program", "script")
"""Entry kinds that are split into functions; the methods of a class share its state, so one node owns it."""


class Planning(TypedModule["TaskGraph"]):
    """Composes planner, reviewer and replanner around the deterministic review; what passed gets its local checks."""

    def __init__(
        self, planner: Planner, reviewer: Reviewer, replanner: Replanner, local_checks: LocalCheckDesigner, vet: Vet
    ) -> None:
        super().__init__()
        self.local_checks = local_checks
        self.planner, self.reviewer, self.replanner = planner, reviewer, replanner
        self._vet = vet

    def forward(self, session: Session, attempt: int, granularity: Granularity) -> TaskGraph:
        """Return a graph of sound structure; always one, since the single owner needs no model."""
        fallback = ""
        for rung in _rungs(granularity):
            if session.task.entry.kind not in DIVISIBLE:
                fallback = fallback or "the entry is one unit with shared state"
                break
            graph, problem = self._propose(session, attempt, rung)
            if graph is not None:
                return _accept(session, attempt, rung, self.local_checks(session, graph), fallback)
            fallback = f"{rung} plan: {problem}"
        return _accept(session, attempt, "single", single_owner_graph(session.task), fallback)

    def _propose(self, session: Session, attempt: int, rung: Split) -> tuple[TaskGraph | None, str]:
        steps: Sequence[PlannedStep] = ()
        complaints: tuple[str, ...] = ()
        for number in range(REPLANS + 1):
            try:
                steps = self._steps(session.task, rung, steps, complaints)
            except UnusableAnswerError as error:
                complaints = (error.message,)
                _reviewed(session, attempt, number, "parser", complaints)
                continue
            graph = build_graph(session.task, steps, self._vet)
            complaints = self._review(session, attempt, number, graph)
            if not complaints:
                return graph, ""
        return None, complaints[0] if complaints else "no usable outline"

    def _steps(
        self, task: Task, rung: Split, steps: Sequence[PlannedStep], complaints: Sequence[str]
    ) -> Sequence[PlannedStep]:
        if not steps:
            return self.planner(task, rung)
        plan = "\n".join(f"- {step.name} ({step.kind}): {step.goal}" for step in steps)
        most = COARSE_STEPS if rung == "coarse" else FINE_STEPS
        return self.planner.details(task, without_printing(self.replanner(task, plan, complaints, most)))

    def _review(self, session: Session, attempt: int, number: int, graph: TaskGraph) -> tuple[str, ...]:
        complaints = review_plan(graph, session.task)
        _reviewed(session, attempt, number, "deterministic", complaints)
        if complaints or session.config.plan_review != "model":
            return complaints
        try:
            complaints = self.reviewer(session.task, graph)
        except UnusableAnswerError as error:
            _reviewed(session, attempt, number, "parser", (error.message,))
            return ()
        _reviewed(session, attempt, number, "model", complaints)
        return complaints


def _rungs(granularity: Granularity) -> tuple[Split, ...]:
    if granularity == "fine":
        return ("fine", "coarse")
    return ("coarse",) if granularity == "coarse" else ()


def _reviewed(
    session: Session,
    attempt: int,
    number: int,
    reviewer: Literal["deterministic", "model", "parser"],
    complaints: tuple[str, ...],
) -> None:
    session.journal.emit(PlanReviewed(attempt=attempt, round=number, reviewer=reviewer, complaints=complaints))


def _accept(session: Session, attempt: int, rung: Granularity, graph: TaskGraph, fallback: str) -> TaskGraph:
    session.accept_plan(PlanAccepted(attempt=attempt, granularity=rung, graph=graph, fallback=fallback))
    return graph
