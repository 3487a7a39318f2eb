"""The planner: an outline, then the interface of one step at a time, against the values that exist by then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import dspy

from auditcoder.core.plan import PlannedStep, task_slots
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import entry_text, safe, task_text
from auditcoder.records.graph import Slot
from auditcoder.records.task import Task
from auditcoder.signatures.demos import DETAIL, OUTLINE
from auditcoder.signatures.planner import Detail, FineOutline, Outline, Step

OUTLINE_TOKENS, DETAIL_TOKENS = 420, 180
PRINTING = ("print_", "display_", "output_", "show_", "write_output")
"""How steps begin that small models add though a function returns and the root prints."""
DETAIL_STATEMENT = 900
"""Characters of the statement that a detail call is shown: the step's goal carries the rest."""


class Planner(TypedModule["tuple[PlannedStep, ...]"]):
    """Proposes steps. Ids, signatures and provenance are computed from them by `core.plan`."""

    def __init__(self) -> None:
        super().__init__()
        self.coarse = dspy.Predict(Outline)
        self.fine = dspy.Predict(FineOutline)
        self.detail = dspy.Predict(Detail)
        self.coarse.demos, self.fine.demos, self.detail.demos = OUTLINE, OUTLINE, DETAIL

    def forward(self, task: Task, granularity: Literal["coarse", "fine"]) -> tuple[PlannedStep, ...]:
        """Return the planned steps.

        Raises:
            UnusableAnswerError: the model gave no outline of the required form.
        """
        predictor = self.coarse if granularity == "coarse" else self.fine
        answer = ask_fields(predictor, OUTLINE_TOKENS, task=task_text(task), entry=entry_text(task))
        return self.details(task, without_printing(answer.steps))

    def details(self, task: Task, steps: Sequence[Step]) -> tuple[PlannedStep, ...]:
        """Return the steps of an outline with their interfaces, asked one by one.

        Raises:
            UnusableAnswerError: the model gave no detail of the required form for some step.
        """
        return detailed(self.detail, task, task_slots(task), steps)


def detailed(detail: dspy.Predict, task: Task, slots: Sequence[Slot], steps: Sequence[Step]) -> tuple[PlannedStep, ...]:
    """Return the steps of an outline with their interfaces, asked one by one against the values that exist by then.

    Raises:
        UnusableAnswerError: the model gave no detail of the required form for some step.
    """
    available = [f"{slot.name}: {slot.type}" for slot in slots]
    planned: list[PlannedStep] = []
    for step in steps:
        answer = ask_fields(
            detail,
            DETAIL_TOKENS,
            task=safe(task.statement, DETAIL_STATEMENT),
            step=f"{step.name}: {step.goal}",
            available="\n".join(available),
        )
        planned.append(
            PlannedStep(
                name=step.name,
                goal=step.goal,
                kind=step.kind,
                takes=tuple(answer.takes),
                gives=answer.gives,
                type=answer.type,
                requires=answer.requires,
                ensures=answer.ensures,
            )
        )
        available.append(f"{answer.gives}: {answer.type}")
    return tuple(planned)


def without_printing(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps without those that only print: a step gives a value, printing is the root's own code."""
    kept = [step for step in steps if not step.name.startswith(PRINTING)]
    return kept or steps
