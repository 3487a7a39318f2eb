"""From the code of a model's answer to a node's source: the rules of acceptance, and missing imports added."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.completion import missing_imports
from auditcoder.core.linking import public_names
from auditcoder.core.parsing import Refusal
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.graph import ROOT, Node, TaskGraph
from auditcoder.records.task import Task


class Written(NamedTuple):
    """A node's accepted source, and what was changed in the answer."""

    code: NodeCode
    notes: tuple[str, ...] = ()


def foreign_names(graph: TaskGraph, node: Node) -> set[str]:
    """Return the public names that other nodes of the plan define."""
    return {name for name, owner in public_names(graph).items() if owner != node.id}


def accept_answer(task: Task, graph: TaskGraph, node: Node, answer: str) -> Written | Refusal:
    """Return the source of a node out of an answer, with missing standard imports added, or why it is refused."""
    foreign = foreign_names(graph, node)
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
