"""Signatures of the node generator: one function of a plan, or the whole program of a single owner.

The base instruction is specialized per executor category (paper 3.2: algorithm-specialized agents), so every
category's predictor has an instruction of its own and can be tuned apart.
"""

from __future__ import annotations

import dspy

from auditcoder.records.graph import ExecutorCategory


class WriteFunction(dspy.Signature):
    """Write one Python function of a larger program, exactly with the given signature.

    It must do what its goal and contract say for every allowed input, and nothing else: no input, no printing, no
    example calls. Other functions of the program are written by others: do not define them. Imports, constants of your
    own and private helper functions are allowed. Answer with one python code block.
    """

    task: str = dspy.InputField(desc="the task that the whole program solves, for context")
    function: str = dspy.InputField(desc="signature to implement")
    goal: str = dspy.InputField(desc="what this function must compute")
    contract: str = dspy.InputField(desc="what holds before and after each call")
    code: str = dspy.OutputField(desc="the function")


class WriteProgram(dspy.Signature):
    """Write a correct and efficient Python solution of the task.

    Answer with one python code block that holds the complete solution and nothing else: no example calls, no tests.
    """

    task: str = dspy.InputField(desc="the programming task with examples")
    entry: str = dspy.InputField(desc="what to define, or how input and output work")
    code: str = dspy.OutputField(desc="the complete solution")


SPECIALIZATION: dict[ExecutorCategory, str] = {
    "greedy": "Use a greedy rule that can be justified: sort or scan once, and handle ties and empty input.",
    "dynamic-programming": "Use dynamic programming: define the state, the base cases and the order of filling first.",
    "graph": "Treat it as a graph: build adjacency lists, use BFS, DFS or Dijkstra as fits, mark visited nodes.",
    "tree": "Treat it as a tree: be careful with the root, with leaves and with recursion depth.",
    "number-theory": "Use exact integer arithmetic: gcd, modular powers, sieves; never floats for integers.",
    "geometry": "Use exact cross products where possible; treat collinear, touching and degenerate cases explicitly.",
    "string": "Work on the string step by step; mind empty strings, letter case, blanks and positions counted from 0.",
    "simulation": "Simulate the rules in the order in which the task states them, one state change at a time.",
    "brute-force": "Enumerate all candidates in a clear order and stop early where the limits need it.",
    "binary-search": "Use binary search: state the invariant of the borders, and make sure that the loop ends.",
    "data-structure": "Choose the data structure that makes each operation cheap: dict, set, heap, deque, stack.",
    "orchestration": "Call the given functions in order and pass their results on; add no logic of your own.",
    "input-output": "Parse or format exactly as the task says: separators, line breaks, number formats.",
    "numerical": "Mind precision: choose a stable formula, the right units and the rounding that the task asks for.",
    "class-state": "Keep all state in attributes set in __init__; every method keeps the class's invariants.",
}


def write_function_for(category: ExecutorCategory) -> type[dspy.Signature]:
    """Return `WriteFunction` specialized for an executor category."""
    return WriteFunction.with_instructions(f"{WriteFunction.instructions}\n\n{SPECIALIZATION[category]}")
