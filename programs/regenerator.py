"""The regenerator: new code for one node of a repair scope, from the evidence against the old one."""

from __future__ import annotations

import dspy

from auditcoder.core.fenced import LEAD, without_lead
from auditcoder.programs.ask import ask_code
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import contract_text, entry_text, safe, task_text
from auditcoder.records.graph import ROOT, Node
from auditcoder.records.task import Task
from auditcoder.signatures.regenerator import Regenerate

RESAMPLE_TEMPERATURE = 0.8


class Regenerator(TypedModule["str"]):
    """Corrects the units of one node; contract and signature stay."""

    def __init__(self) -> None:
        super().__init__()
        self.regenerate = dspy.Predict(Regenerate)

    def forward(self, task: Task, node: Node, source: str, evidence: str, seed: int | None = None) -> str:
        """Return the model's corrected code, not yet accepted.

        Args:
            task: The task.
            node: The node in scope.
            source: Its active source.
            evidence: What was observed.
            seed: When given, sample at a raised temperature with this seed: a differently posed attempt.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
        """
        heads = "\n".join(f"def {s.render()}:" for s in node.contract.signatures)
        entry = entry_text(task) if node.id == ROOT else heads
        answer = ask_code(
            self.regenerate,
            PROGRAM_TOKENS,
            node=node.id,
            wanted=task.entry.name if node.id == ROOT else node.contract.signatures[0].name,
            prefill=lead_of(task, node),
            sampling={} if seed is None else {"temperature": RESAMPLE_TEMPERATURE, "seed": seed},
            task=task_text(task),
            contract=f"{entry}\nGoal: {node.goal}\n{contract_text(node)}",
            code=safe(source, 6000),
            evidence=evidence,
        )
        return without_lead(answer)


def lead_of(task: Task, node: Node) -> str:
    """Return the beginning of the answer: the line that defines, and a comment that names the fault.

    A small model that may write prose first often stops behind it; one that must begin with code repeats the old
    code. Inside the definition the comment keeps the diagnosis, and the answer cannot end without code. A program
    without such a line is left free: behind a bare comment the model stops.
    """
    if node.id == ROOT and task.entry.kind == "class":
        return f"class {task.entry.name}:\n    {LEAD}"
    signature = task.entry.signature if node.id == ROOT else node.contract.signatures[0]
    return "" if signature is None else f"def {signature.render()}:\n    {LEAD}"
