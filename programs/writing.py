"""From a model answer to a node's accepted source: strip, complete imports, refuse with a reason, ask once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.completion import missing_imports
from auditcoder.core.linking import public_names
from auditcoder.core.parsing import Refusal
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.session import Session
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.events import CodeRejected
from auditcoder.records.graph import ROOT, Node, TaskGraph
from auditcoder.records.task import Task

TRIES = 2


class Written(NamedTuple):
    """A node's accepted source, and what was changed in the answer."""

    code: NodeCode
    notes: tuple[str, ...] = ()


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
        outcome = accept(session.task, graph, node, answer)
        if isinstance(outcome, Written):
            return outcome
        refused = f"{outcome.reason} (line {outcome.line})" if outcome.line else outcome.reason
        _reject(session, node, refused, answer)
    return None


def accept(task: Task, graph: TaskGraph, node: Node, answer: str) -> Written | Refusal:
    """Return the source of a node out of an answer, with missing standard imports added, or why it is refused."""
    foreign = {name for name, owner in public_names(graph).items() if owner != node.id}
    accepted = accept_source(answer, node, task, foreign)
    if not isinstance(accepted, AcceptedSource):
        return accepted
    prelude = task.prelude if node.id == ROOT else ""
    added = missing_imports(f"{prelude}\n{accepted.source}", foreign)
    if added:
        accepted = accepted._replace(source="\n".join((*added, "", "", accepted.source)))
        again = accept_source(accepted.source, node, task, foreign)
        if not isinstance(again, AcceptedSource):
            return again
        accepted = again._replace(stripped=accepted.stripped)
    code = NodeCode(node=node.id, source=accepted.source, digest=sha256_text(accepted.source))
    return Written(code, (*accepted.stripped, *(f"added: {statement}" for statement in added)))


def _reject(session: Session, node: Node, reason: str, answer: str) -> None:
    session.journal.emit(CodeRejected(node=node.id, reason=reason[:500], digest=sha256_text(answer)))
