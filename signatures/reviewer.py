"""Signature of the plan reviewer, asked only about plans that passed the deterministic review."""

from __future__ import annotations

from typing import Annotated

import dspy
from pydantic import Field


class ReviewPlan(dspy.Signature):
    """Check whether the steps of the plan, done in order, solve the whole task.

    Complain only about a real gap: a rule of the task that no step covers, a step that does not follow from what it
    takes, two steps that do the same. One short sentence a complaint, naming the step. No complaint is a good answer.
    """

    task: str = dspy.InputField(desc="the programming task")
    plan: str = dspy.InputField(desc="steps with their interfaces")
    complaints: Annotated[list[Annotated[str, Field(max_length=140)]], Field(max_length=3)] = dspy.OutputField(
        desc="gaps, at most three; empty when the plan is sound"
    )
