"""V5: every recorded source is one that the rules of acceptance accept, under the plan at that moment."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules.order import plan_of
from auditcoder.audit.walk import Walk
from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.answers import Written, accept_answer, foreign_names
from auditcoder.core.linking import last_resort, linked_branch, linked_root
from auditcoder.errors import RecordError
from auditcoder.records.events import CodeWritten
from auditcoder.records.graph import ROOT, Node, TaskGraph

_V = AuditCheck.CODE


def written(walk: Walk, event: CodeWritten) -> None:
    """V5. Accepting an accepted source changes nothing; code that no model wrote is computed again.

    Acceptance includes contract-signature consistency: the declared functions are defined once, with the contract's
    positional parameters.
    """
    graph = plan_of(walk)
    if graph is None:
        raise RecordError("there is no plan that the code belongs to")
    node, task = graph.node(event.code.node), walk.started.task
    if event.how == "fallback":
        walk.same(_V, "program of last resort", event.code.source, last_resort(task))
        return
    if event.how == "computed":
        _linked(walk, event, graph, node)
        return
    outcome = accept_source(event.code.source, node, task, foreign_names(graph, node))
    if isinstance(outcome, AcceptedSource):
        walk.same(_V, f"accepted source of {node.id}", event.code.source, outcome.source)
    else:
        walk.differ(_V, f"source of {node.id} is accepted", event.code.source, outcome.reason)


def _linked(walk: Walk, event: CodeWritten, graph: TaskGraph, node: Node) -> None:
    task = walk.started.task
    source = linked_root(task, graph) if node.id == ROOT else linked_branch(graph, node)
    outcome = accept_answer(task, graph, node, source)
    if isinstance(outcome, Written):
        walk.same(_V, f"linked source of {node.id}", event.code, outcome.code)
        walk.same(_V, f"notes on {node.id}", event.notes, outcome.notes)
    else:
        walk.differ(_V, f"linked source of {node.id} is accepted", event.code.source, outcome.reason)


RULES: tuple[Rule, ...] = (rule(_V, CodeWritten, written),)
