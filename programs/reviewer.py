"""The plan reviewer: asked only about plans that passed the deterministic review."""

from __future__ import annotations

import dspy

from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import plan_text, task_text
from auditcoder.records.graph import TaskGraph
from auditcoder.records.task import Task
from auditcoder.signatures.reviewer import ReviewPlan

REVIEW_TOKENS = 200


class Reviewer(TypedModule["tuple[str, ...]"]):
    """Looks for gaps between the statement and the plan."""

    def __init__(self) -> None:
        super().__init__()
        self.review = dspy.Predict(ReviewPlan)

    def forward(self, task: Task, graph: TaskGraph) -> tuple[str, ...]:
        """Return complaints; an answer that cannot be used is no complaint, since it names no gap."""
        answer = ask_fields(self.review, REVIEW_TOKENS, task=task_text(task), plan=plan_text(graph))
        return tuple(text.strip() for text in answer.complaints if text.strip())
