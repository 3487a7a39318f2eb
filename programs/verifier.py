"""The local verifier: a judged verdict on one node's contract (paper 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import dspy

from auditcoder.core.contracts import semantic_obligation
from auditcoder.core.evidence import Judgement
from auditcoder.core.wanted import COSTLY
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import calls_text, contract_text, failure_text, safe
from auditcoder.records.execution import CheckResult, RecordedCall
from auditcoder.records.finding import Obligation
from auditcoder.records.graph import Node, PlanningDecision
from auditcoder.records.task import Check, Task
from auditcoder.signatures.demos import VERIFY
from auditcoder.signatures.verifier import VerifyNode

VERIFY_TOKENS = 220
GOAL = "goal"
"""The postcondition that every node has: its goal."""


@dataclass(frozen=True)
class FailingRun:
    """The anchor check with its result, and the calls recorded in that run."""

    check: Check
    result: CheckResult
    calls: Sequence[RecordedCall] = ()


class Verifier(TypedModule["Judgement"]):
    """Judges a node's code against its contract, with the failing check as the lead."""

    def __init__(self) -> None:
        super().__init__()
        self.verify = dspy.Predict(VerifyNode)
        self.verify.demos = VERIFY

    def forward(
        self,
        task: Task,
        node: Node,
        source: str,
        units: Sequence[str],
        failing: FailingRun,
        decisions: Sequence[PlanningDecision] = (),
    ) -> Judgement:
        """Return the judgement on one node.

        Args:
            task: The task.
            node: The node to judge.
            source: Its active source.
            units: The units that it owns.
            failing: The anchor check, with what was recorded in its run.
            decisions: The planning decisions that were made at the node: its approach.

        Raises:
            UnusableAnswerError: the model gave no verdict of the required form.
        """
        answer = ask_fields(
            self.verify,
            VERIFY_TOKENS,
            node=node.id,
            goal=node.goal,
            contract=contract_text(node, decisions),
            code=safe(source, 4000),
            failing=failure_text(task, failing.check, failing.result),
            calls=calls_text([call for call in failing.calls if call.unit in units]),
        )
        return Judgement(
            owners=(node.id,),
            verdict=answer.verdict,
            obligation=obligation_of(answer.obligation, node, decisions, costly=failing.result.outcome in COSTLY),
            condition=answer.condition.strip(),
            reason=safe(answer.reason, 300),
            check=failing.check.id,
        )


def obligation_of(named: str, node: Node, decisions: Sequence[PlanningDecision], *, costly: bool) -> Obligation:
    """Return the obligation that an answer names: a planning decision, else the budget or a predicate, else the goal.

    A commitment is admissible for every failure, the others each for their own (core.md section 4).
    """
    if named in {decision.id for decision in decisions}:
        return Obligation(kind="commitment", decision=named)
    if costly:
        return Obligation(kind="resource")
    known = {predicate.id: predicate for predicate in (*node.contract.postconditions, *node.contract.invariants)}
    predicate = known.get(named) or known.get(GOAL)
    return semantic_obligation(node, predicate) if predicate else Obligation(kind="semantic", predicate=GOAL)
