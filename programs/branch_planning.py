"""A branch planned again below its root: steps by the replanner, ids, interfaces and contracts by the core."""

from __future__ import annotations

from typing import Literal

import dspy

from auditcoder.core.graph import subtree
from auditcoder.core.plan import PlannedStep, Vet
from auditcoder.core.replan import external, splice
from auditcoder.core.review import review_plan
from auditcoder.core.transaction import OpenTransaction
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.investigation import Evidence
from auditcoder.programs.module import TypedModule
from auditcoder.programs.planner import detailed, without_printing
from auditcoder.programs.planning import DIVISIBLE
from auditcoder.programs.render import decision_lines, interface_text, task_text
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.events import PlanReviewed
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.task import Task
from auditcoder.signatures.branch import PlanBranch
from auditcoder.signatures.demos import BRANCH, DETAIL
from auditcoder.signatures.planner import Detail

BRANCH_TOKENS = 300
TRIES = 2


class BranchPlanner(TypedModule["tuple[PlannedStep, ...]"]):
    """Outlines the steps of one branch, then details them against the values that the branch takes."""

    def __init__(self) -> None:
        super().__init__()
        self.plan = dspy.Predict(PlanBranch)
        self.detail = dspy.Predict(Detail)
        self.plan.demos, self.detail.demos = BRANCH, DETAIL

    def forward(self, task: Task, graph: TaskGraph, node: Node, evidence: str) -> tuple[PlannedStep, ...]:
        """Return the new steps of a branch.

        Raises:
            UnusableAnswerError: the model gave no outline, or no detail, of the required form.
        """
        decisions = [decision for decision in graph.decisions if decision.node == node.id]
        answer = ask_fields(
            self.plan,
            BRANCH_TOKENS,
            node=node.id,
            task=task_text(task),
            function=interface_text(node),
            approach="\n".join(decision_lines(decisions)) or f"- {node.id} in one piece",
            evidence=evidence,
        )
        inside = frozenset(subtree(graph, node.id)) - {node.id}
        return detailed(self.detail, task, external(node, inside)[0], without_printing(answer.steps))


class BranchPlanning(TypedModule["TaskGraph | None"]):
    """Asks for the steps of a branch until the spliced plan passes the deterministic review."""

    def __init__(self, planner: BranchPlanner, vet: Vet) -> None:
        super().__init__()
        self.planner = planner
        self._vet = vet

    def forward(
        self, session: Session, active: Candidate, opened: OpenTransaction, evidence: Evidence
    ) -> TaskGraph | None:
        """Return the plan with the scope's branch replaced, or None when no usable outline came; reviews are recorded.

        Raises:
            BackboneError: a backbone cannot be used at all.
        """
        if session.task.entry.kind not in DIVISIBLE:
            return None
        graph, node = opened.state.graph, opened.state.graph.node(opened.scope.branch)
        text = evidence.text(session, active, node)
        used, note = session.used_ids(active.attempt), ""
        for number in range(TRIES):
            try:
                steps = self.planner(session.task, graph, node, text + note)
            except UnusableAnswerError as error:
                note = _refused(session, active.attempt, number, "parser", (error.message,))
                continue
            spliced = splice(graph, node.id, steps, used, self._vet)
            complaints = review_plan(spliced, session.task)
            if not complaints:
                return spliced
            note = _refused(session, active.attempt, number, "deterministic", complaints)
        return None


def _refused(
    session: Session,
    attempt: int,
    number: int,
    reviewer: Literal["deterministic", "parser"],
    complaints: tuple[str, ...],
) -> str:
    event = PlanReviewed(attempt=attempt, round=number, reviewer=reviewer, complaints=complaints)
    session.journal.emit(event)
    return "\n\nAn earlier outline was refused:\n" + "\n".join(f"- {complaint}" for complaint in complaints)
