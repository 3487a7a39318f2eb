"""Signature of the local verifier: one node's code against its contract, with a failing input as the lead."""

from __future__ import annotations

from typing import Annotated, Literal

import dspy
from pydantic import Field


class VerifyNode(dspy.Signature):
    """Decide whether one function of a program keeps its contract.

    The whole program gives a wrong result on the failing check; the cause may be in this function or elsewhere.
    Follow the function on the values that it is called with. Reject only when you can name a call on which it
    breaks an obligation; otherwise accept. Name an obligation that is marked (approach) only when the approach itself
    is wrong: no code that follows it can keep the contract. `condition` is one Python expression over the parameters
    that is true for the calls on which it goes wrong, or empty.
    """

    goal: str = dspy.InputField(desc="what the function must compute")
    contract: str = dspy.InputField(desc="obligations with their ids")
    code: str = dspy.InputField(desc="the function")
    failing: str = dspy.InputField(desc="the failing check of the whole program")
    calls: str = dspy.InputField(desc="recorded calls of this function in that run")
    reason: Annotated[str, Field(max_length=200)] = dspy.OutputField(desc="what happens on a recorded call, briefly")
    verdict: Literal["accept", "reject"] = dspy.OutputField(desc="does it keep its contract?")
    obligation: Annotated[str, Field(max_length=24)] = dspy.OutputField(desc="id of the broken obligation, or goal")
    condition: Annotated[str, Field(max_length=90)] = dspy.OutputField(desc="expression over the parameters, or empty")
