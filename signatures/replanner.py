"""Signature of the replanner: a new outline that answers the complaints about the old one."""

from __future__ import annotations

from typing import Annotated

import dspy
from pydantic import Field

from auditcoder.signatures.planner import FINE_STEPS, Step


class Replan(dspy.Signature):
    """Give a better outline for the task: keep what was sound in the old one and answer every complaint.

    Each step is one pure function that computes one result from the task's inputs and from results of earlier
    steps, in an order in which each step needs only earlier results. The last step computes the final answer.
    Do not name a step like the entry point, and do not write code.
    """

    task: str = dspy.InputField(desc="the programming task")
    entry: str = dspy.InputField(desc="how the finished program is entered")
    plan: str = dspy.InputField(desc="the old outline")
    complaints: str = dspy.InputField(desc="what was wrong with it")
    steps: Annotated[list[Step], Field(min_length=1, max_length=FINE_STEPS)] = dspy.OutputField(
        desc="the new outline, first to last"
    )
