"""From a model answer to a node's accepted source: strip, complete imports, refuse with a reason, ask once more."""

from __future__ import annotations

from collections.abc import Callable

from auditcoder.core.answers import Written, accept_answer
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.session import Session
from auditcoder.records.base import sha256_text
from auditcoder.records.events import CodeRejected
from auditcoder.records.graph import Node, TaskGraph

TRIES = 2


def write_node(session: Session, graph: TaskGraph, node: Node, ask: Callable[[str], str]) -> Written | None:
    """Return the accepted source of a node, or None when every answer was refused; refusals are recorded.

    Args:
        session: The run.
        graph: The plan.
        node: The node to write.
        ask: Gives an answer, told why the last one was refused (empty at first).
    """
    refused = ""
    for _ in range(TRIES):
        try:
            answer = ask(refused)
        except UnusableAnswerError as error:
            refused = error.message
            _reject(session, node, refused, str(error.fields.get("text", "")))
            continue
        outcome = accept_answer(session.task, graph, node, answer)
        if isinstance(outcome, Written):
            return outcome
        refused = f"{outcome.reason} (line {outcome.line})" if outcome.line else outcome.reason
        _reject(session, node, refused, answer)
    return None


def _reject(session: Session, node: Node, reason: str, answer: str) -> None:
    session.journal.emit(CodeRejected(node=node.id, reason=reason[:500], digest=sha256_text(answer)))
