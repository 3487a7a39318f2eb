"""The node generator: the code of one leaf, by the predictor of its executor category, or of a single owner."""

from __future__ import annotations

from typing import get_args

import dspy

from auditcoder.programs.ask import Sampling, ask_code
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import contract_text, entry_text, task_text
from auditcoder.records.graph import ROOT, ExecutorCategory, Node
from auditcoder.records.task import Task
from auditcoder.signatures.node_generator import WriteFunction, WriteProgram, write_function_for

FUNCTION_TOKENS, PROGRAM_TOKENS = 520, 1000


class NodeGenerator(TypedModule["str"]):
    """Writes the source of one code owner (paper 3.1: algorithm-specialized agents).

    A generic one has a single predictor for every leaf: the ablation with a task plan only.
    """

    def __init__(self, *, generic: bool = False) -> None:
        super().__init__()
        categories: tuple[ExecutorCategory, ...] = () if generic else get_args(ExecutorCategory)
        self.by_category = {category: dspy.Predict(write_function_for(category)) for category in categories}
        self.generic = dspy.Predict(WriteFunction) if generic else None
        self.whole = dspy.Predict(WriteProgram)

    def forward(self, task: Task, node: Node, refused: str = "", sampling: Sampling | None = None) -> str:
        """Return the model's code for a node, not yet accepted.

        A leaf's answer begins with its `def` line. A whole program is left free, exactly like one direct call: begun
        with the line, a small model leaves out the steps before it (docs/first-runs.md).

        Args:
            task: The task.
            node: The node to write.
            refused: Why an earlier answer was refused; empty at first.
            sampling: Overrides of the backbone's sampling, for a fresh draw.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
        """
        note = f"\nAn earlier answer was refused: {refused}" if refused else ""
        if node.id == ROOT:
            return ask_code(
                self.whole,
                PROGRAM_TOKENS,
                node=node.id,
                wanted=task.entry.name,
                sampling=sampling,
                task=task_text(task),
                entry=entry_text(task) + note,
            )
        signature = node.contract.signatures[0]
        return ask_code(
            self.generic or self.by_category[node.executor],
            FUNCTION_TOKENS,
            node=node.id,
            wanted=signature.name,
            prefill=f"def {signature.render()}:\n",
            sampling=sampling,
            task=task_text(task),
            function=f"def {signature.render()}:",
            goal=node.goal,
            contract=contract_text(node) + note,
        )
