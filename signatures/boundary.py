"""Signatures for planner-derived boundary checks: propose inputs, then derive the expected value another way."""

from __future__ import annotations

from typing import Annotated

import dspy
from pydantic import BaseModel, ConfigDict, Field


class BoundaryCase(BaseModel):
    """One proposed boundary case."""

    model_config = ConfigDict(extra="forbid")

    input: str = Field(min_length=1, max_length=120, description="written exactly like the inputs of the examples")
    expected: str = Field(max_length=120, description="written exactly like the outputs of the examples")


class ProposeBoundary(dspy.Signature):
    """Propose small boundary cases that the examples leave out: the smallest allowed input, ties, repeated values.

    Every input must be allowed by the task. Write inputs and outputs exactly in the form of the examples. Keep them
    short. Give the output only as the task defines it.
    """

    task: str = dspy.InputField(desc="the programming task")
    examples: str = dspy.InputField(desc="known input and output pairs")
    cases: Annotated[list[BoundaryCase], Field(min_length=1, max_length=3)] = dspy.OutputField(
        desc="new cases, the most telling first"
    )


class DeriveExpected(dspy.Signature):
    """Work out the output for one input by following the task statement step by step on that input.

    First list the relevant rule and the intermediate values in a few words, then give the output exactly in the
    form of the examples.
    """

    task: str = dspy.InputField(desc="the programming task")
    examples: str = dspy.InputField(desc="known input and output pairs")
    input: str = dspy.InputField(desc="the input to work out")
    steps: Annotated[str, Field(max_length=240)] = dspy.OutputField(desc="the rule applied to this input, briefly")
    expected: Annotated[str, Field(max_length=120)] = dspy.OutputField(desc="the output alone")
