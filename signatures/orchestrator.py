"""Signature of the orchestrator: the root's own code, which connects the functions of the plan."""

from __future__ import annotations

import dspy


class Orchestrate(dspy.Signature):
    """Write the entry point of the program. The listed functions exist already: call them, do not define them.

    Follow the data flow: call the functions in order, pass each the values that it takes, and return or print the
    final result exactly as the task asks. Add only what is missing between them. Answer with one python code block.
    """

    task: str = dspy.InputField(desc="the programming task with examples")
    functions: str = dspy.InputField(desc="functions that exist, with what they compute")
    entry: str = dspy.InputField(desc="what to define, or how input and output work")
    code: str = dspy.OutputField(desc="the entry point only")
