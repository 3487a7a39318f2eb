"""Signatures of the planner: an outline first, then the details of one step at a time.

Schemas are flat and bounded on purpose: a small model fills a short form well, and an unbounded array runs away.
"""

from __future__ import annotations

from typing import Annotated, Literal

import dspy
from pydantic import BaseModel, ConfigDict, Field

LeafCategory = Literal[
    "greedy", "dynamic-programming", "graph", "tree", "number-theory", "geometry", "string", "simulation",
    "brute-force", "binary-search", "data-structure", "input-output", "numerical", "class-state",
]  # fmt: skip
COARSE_STEPS, FINE_STEPS = 3, 6


class Step(BaseModel):
    """One step of an outline."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{2,30}$", max_length=32, description="snake_case function name")
    goal: str = Field(min_length=8, max_length=140, description="what it computes, from what")
    kind: LeafCategory = Field(description="the algorithm that fits")


class Outline(dspy.Signature):
    """Split the task into the few steps that a careful programmer would write as separate functions.

    Each step is one pure function that computes one intermediate or final result from the task's inputs and from
    results of earlier steps. Order them so that each step needs only earlier results. The last step computes the
    final answer. Use as few steps as make sense; never split what shares one loop. Do not name a step like the
    entry point, and do not write code.
    """

    task: str = dspy.InputField(desc="the programming task")
    entry: str = dspy.InputField(desc="how the finished program is entered")
    steps: Annotated[list[Step], Field(min_length=1, max_length=COARSE_STEPS)] = dspy.OutputField(
        desc="one to three steps, first to last"
    )


class FineOutline(dspy.Signature):
    """Split the task into separate responsibilities, each a pure function with one clear result.

    A step computes one intermediate or final result from the task's inputs and from results of earlier steps. Order
    them so that each step needs only earlier results. The last step computes the final answer. Keep together what
    shares one loop or one invariant. Do not name a step like the entry point, and do not write code.
    """

    task: str = dspy.InputField(desc="the programming task")
    entry: str = dspy.InputField(desc="how the finished program is entered")
    steps: Annotated[list[Step], Field(min_length=1, max_length=FINE_STEPS)] = dspy.OutputField(
        desc="one to six steps, first to last"
    )


class Detail(dspy.Signature):
    """State the interface of one step of the plan: which of the available values it takes, and what it gives.

    `takes` names only values from the list of available ones. `requires` and `ensures` are each one short Python
    expression that is true for every correct call: `requires` over the taken names, `ensures` over the taken names
    and `result`. Leave an expression empty when none is certain.
    """

    task: str = dspy.InputField(desc="the programming task")
    step: str = dspy.InputField(desc="the step to detail: name and goal")
    available: str = dspy.InputField(desc="values that exist before this step: name: type")
    takes: Annotated[
        list[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,30}$", max_length=32)]],
        Field(min_length=1, max_length=4),
    ] = dspy.OutputField(desc="names out of the available values")
    gives: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$", max_length=32)] = dspy.OutputField(
        desc="a new name for the result"
    )
    type: Annotated[str, Field(min_length=1, max_length=48)] = dspy.OutputField(
        desc="Python type of the result, such as int or list[int]"
    )
    requires: Annotated[str, Field(max_length=90)] = dspy.OutputField(desc="precondition expression or empty")
    ensures: Annotated[str, Field(max_length=90)] = dspy.OutputField(desc="postcondition expression or empty")
