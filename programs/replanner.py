"""The replanner: a new outline that answers the complaints of the plan review."""

from __future__ import annotations

from collections.abc import Sequence

import dspy

from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.planner import OUTLINE_TOKENS
from auditcoder.programs.render import entry_text, task_text
from auditcoder.records.task import Task
from auditcoder.signatures.demos import REPLAN
from auditcoder.signatures.planner import Step
from auditcoder.signatures.replanner import Replan


class Replanner(TypedModule["tuple[Step, ...]"]):
    """Revises an outline. Details are asked anew, since the values that exist have changed."""

    def __init__(self) -> None:
        super().__init__()
        self.replan = dspy.Predict(Replan)
        self.replan.demos = REPLAN

    def forward(self, task: Task, plan: str, complaints: Sequence[str], most: int) -> tuple[Step, ...]:
        """Return the revised steps, at most `most`.

        Raises:
            UnusableAnswerError: the model gave no outline of the required form.
        """
        answer = ask_fields(
            self.replan,
            OUTLINE_TOKENS,
            task=task_text(task),
            entry=entry_text(task),
            plan=plan,
            complaints="\n".join(f"- {complaint}" for complaint in complaints),
        )
        return tuple(answer.steps[:most])
