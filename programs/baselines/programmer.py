"""The programmer that the methods share: the same first prompt as AuditCoder's undivided program, word for word."""

from __future__ import annotations

import dspy

from auditcoder.programs.ask import Sampling, ask_code
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import entry_text, task_text
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Task
from auditcoder.signatures.node_generator import WriteProgram


class Programmer(TypedModule["str"]):
    """Writes a whole program from the statement alone."""

    def __init__(self) -> None:
        super().__init__()
        self.whole = dspy.Predict(WriteProgram)

    def forward(self, task: Task, refused: str = "", sampling: Sampling | None = None) -> str:
        """Return the model's program, not yet accepted.

        Args:
            task: The task.
            refused: Why an earlier answer was refused; empty at first.
            sampling: Of a fresh draw; the run's own decoding without it.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        note = f"\nAn earlier answer was refused: {refused}" if refused else ""
        return ask_code(
            self.whole,
            PROGRAM_TOKENS,
            node=ROOT,
            agent="programmer",
            wanted=task.entry.name,
            sampling=sampling,
            task=task_text(task),
            entry=entry_text(task) + note,
        )
