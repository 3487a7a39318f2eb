"""Signatures for executable checks of one step: propose calls with results, then predict a result from the goal."""

from __future__ import annotations

from typing import Annotated

import dspy
from pydantic import BaseModel, ConfigDict, Field


class StepCall(BaseModel):
    """One proposed call of a step's function."""

    model_config = ConfigDict(extra="forbid")

    arguments: str = Field(min_length=2, max_length=120, description="list of all arguments in order, as Python values")
    result: str = Field(min_length=1, max_length=120, description="what the call returns, as a Python value")


class ProposeCalls(dspy.Signature):
    """Give two small calls of one function of a plan, each with the exact result that the function's goal asks for.

    Choose small arguments of the stated types that keep every obligation marked (before), one of them an edge case.
    Write values as Python literals. Give a result only when you have worked it out from the goal.
    """

    task: str = dspy.InputField(desc="the programming task that the function is a step of")
    function: str = dspy.InputField(desc="the function's first line")
    goal: str = dspy.InputField(desc="what the function must compute")
    contract: str = dspy.InputField(desc="obligations with their ids")
    calls: Annotated[list[StepCall], Field(min_length=1, max_length=2)] = dspy.OutputField(
        desc="one or two calls, the plainer one first"
    )


class PredictResult(dspy.Signature):
    """Work out what one call of a function returns, from what the function must compute and nothing else.

    First follow the goal step by step on these arguments in a few words, then give the returned value alone as a
    Python literal.
    """

    function: str = dspy.InputField(desc="the function's first line")
    goal: str = dspy.InputField(desc="what the function must compute")
    call: str = dspy.InputField(desc="the call to work out")
    steps: Annotated[str, Field(max_length=240)] = dspy.OutputField(
        desc="the goal followed on these arguments, briefly"
    )
    result: Annotated[str, Field(max_length=120)] = dspy.OutputField(desc="the returned value alone")
