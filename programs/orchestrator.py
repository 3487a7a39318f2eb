"""The orchestrator: the root's own code, which connects the functions of the plan."""

from __future__ import annotations

import dspy

from auditcoder.programs.ask import Sampling, ask_code
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import entry_text, plan_text, task_text
from auditcoder.records.graph import TaskGraph
from auditcoder.records.task import Task
from auditcoder.signatures.orchestrator import Orchestrate

ORCHESTRATE_TOKENS = 500


class Orchestrator(TypedModule["str"]):
    """Writes the entry point around functions that exist."""

    def __init__(self) -> None:
        super().__init__()
        self.orchestrate = dspy.Predict(Orchestrate)

    def forward(
        self, task: Task, graph: TaskGraph, node: str, refused: str = "", sampling: Sampling | None = None
    ) -> str:
        """Return the model's code for the root, not yet accepted.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
        """
        head = f"def {task.entry.signature.render()}:\n" if task.entry.signature else ""
        note = f"\nAn earlier answer was refused: {refused}" if refused else ""
        return ask_code(
            self.orchestrate,
            ORCHESTRATE_TOKENS,
            node=node,
            wanted=task.entry.name,
            prefill=head,
            sampling=sampling,
            task=task_text(task),
            functions=plan_text(graph),
            entry=entry_text(task) + note,
        )
