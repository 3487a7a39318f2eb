"""Executable local checks of the steps of a plan: proposed, confirmed from the goal alone, admitted by the core."""

from __future__ import annotations

import dspy

from auditcoder.core.local_admission import (
    CALLS,
    ProposedCall,
    admit,
    designable,
    local_checks_policy,
    read_call,
    read_value,
    same_value,
)
from auditcoder.errors import RecordError, UnusableAnswerError
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import contract_text, safe
from auditcoder.programs.session import Session
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.signatures.demos import PREDICT, STEP_CALLS
from auditcoder.signatures.local_checks import PredictResult, ProposeCalls

PROPOSE_TOKENS, PREDICT_TOKENS = 220, 200
STATEMENT = 900
"""Characters of the statement that a proposal is shown: the step's goal carries the rest."""


class LocalCheckDesigner(TypedModule["TaskGraph"]):
    """Gives the leaves of a plan that passed review checks that can be run on their own code.

    Like all calls of planning, these name no node: in the record a node exists from the acceptance of its plan on.
    """

    def __init__(self) -> None:
        super().__init__()
        self.propose = dspy.Predict(ProposeCalls)
        self.predict = dspy.Predict(PredictResult)
        self.propose.demos, self.predict.demos = STEP_CALLS, PREDICT

    def forward(self, session: Session, graph: TaskGraph) -> TaskGraph:
        """Return the plan with local checks added to its leaves; nothing else in it changes.

        Raises:
            BackboneError: a backbone cannot be used at all (an answer that cannot be used adds no check).
        """
        if local_checks_policy(session.config, weak=session.weak) == "none":
            return graph
        designed = {leaf.id: admit(leaf, self._calls(session, leaf)) for leaf in designable(graph)}
        return graph.model_copy(update={"nodes": tuple(designed.get(node.id, node) for node in graph.nodes)})

    def _calls(self, session: Session, leaf: Node) -> list[tuple[ProposedCall, str]]:
        """Return the readable calls that were proposed, each with why it is not confirmed (empty: it is)."""
        try:
            answer = ask_fields(
                self.propose,
                PROPOSE_TOKENS,
                task=safe(session.task.statement, STATEMENT),
                function=_head(leaf),
                goal=leaf.goal,
                contract=contract_text(leaf),
            )
        except UnusableAnswerError:
            return []
        calls: list[ProposedCall] = []
        for proposed in answer.calls[:CALLS]:
            try:
                call = read_call(leaf, proposed.arguments, proposed.result, session.evaluator)
            except RecordError:
                continue  # no call of this function: there is nothing to confirm
            if all(call.args != other.args for other in calls):
                calls.append(call)
        return [(call, self._unconfirmed(leaf, call)) for call in calls]

    def _unconfirmed(self, leaf: Node, call: ProposedCall) -> str:
        """Return why a second derivation does not confirm a call, or an empty text when it does."""
        signature = leaf.contract.signatures[0]
        try:
            answer = ask_fields(
                self.predict,
                PREDICT_TOKENS,
                function=_head(leaf),
                goal=leaf.goal,
                call=call.text(signature),
            )
            predicted = read_value(answer.result)
        except UnusableAnswerError as error:
            return f"no second derivation: {error.message}"[:160]
        except RecordError:
            return "the second derivation gave no value"
        return "" if same_value(predicted, call.expected) else "a second derivation gave another value"


def _head(leaf: Node) -> str:
    return f"def {leaf.contract.signatures[0].render()}:"
