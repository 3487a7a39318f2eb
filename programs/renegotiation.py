"""The open slots of an interface pair, settled by the replanner one at a time; the revised contracts by the core."""

from __future__ import annotations

import dspy

from auditcoder.core.renegotiate import Settlement, renegotiated
from auditcoder.core.transaction import OpenTransaction
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.investigation import Evidence
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import interface_text, safe, task_text
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import OpenSlot
from auditcoder.records.task import Task
from auditcoder.signatures.demos import RENEGOTIATE
from auditcoder.signatures.renegotiate import Renegotiate

RENEGOTIATE_TOKENS = 160
TRIES = 2


class Renegotiator(TypedModule["Settlement"]):
    """Decides which side of an interface gives way."""

    def __init__(self) -> None:
        super().__init__()
        self.renegotiate = dspy.Predict(Renegotiate)
        self.renegotiate.demos = RENEGOTIATE

    def forward(self, task: Task, graph: TaskGraph, slot: OpenSlot, evidence: str) -> Settlement:
        """Return what is agreed on for one open slot.

        Raises:
            UnusableAnswerError: the model gave no choice of the required form.
        """
        provider, consumer = graph.node(slot.provider), graph.node(slot.consumer)
        answer = ask_fields(
            self.renegotiate,
            RENEGOTIATE_TOKENS,
            node=slot.consumer,
            task=task_text(task),
            value=_value_text(consumer, slot),
            provider=interface_text(provider),
            consumer=interface_text(consumer),
            evidence=evidence,
        )
        return Settlement(slot, answer.choice, type=answer.type.strip(), text=safe(answer.reason, 160).strip())


class Renegotiation(TypedModule["TaskGraph | None"]):
    """Settles every open slot of a scope."""

    def __init__(self, renegotiator: Renegotiator) -> None:
        super().__init__()
        self.renegotiator = renegotiator

    def forward(
        self, session: Session, active: Candidate, opened: OpenTransaction, evidence: Evidence
    ) -> TaskGraph | None:
        """Return the plan with the revised interface, or None when some slot got no usable answer.

        Raises:
            BackboneError: a backbone cannot be used at all.
        """
        graph = opened.state.graph
        settlements: list[Settlement] = []
        for slot in opened.scope.open_slots:
            text = evidence.text(session, active, graph.node(slot.consumer))
            settlement = self._settle(session.task, graph, slot, text)
            if settlement is None:
                return None
            settlements.append(settlement)
        used = {support.finding for support in opened.localization.supporting}
        return renegotiated(graph, settlements, [finding for finding in session.findings if finding.id in used])

    def _settle(self, task: Task, graph: TaskGraph, slot: OpenSlot, evidence: str) -> Settlement | None:
        note = ""
        for _ in range(TRIES):
            try:
                return self.renegotiator(task, graph, slot, evidence + note)
            except UnusableAnswerError as error:
                note = f"\n\nAn earlier answer was refused: {error.message}"
        return None


def _value_text(consumer: Node, slot: OpenSlot) -> str:
    types = {each.name: each.type for each in consumer.inputs}
    return f"{slot.slot}: {types.get(slot.slot, 'Any')}"
