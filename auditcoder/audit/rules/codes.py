"""V5: every recorded source is what the rules of acceptance make of the model's answer, under the plan then."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules.order import plan_of
from auditcoder.audit.walk import Walk
from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.answers import Written, accept_answer, foreign_names
from auditcoder.core.fenced import answered_code, without_lead
from auditcoder.core.linking import last_resort, linked_branch, linked_root
from auditcoder.errors import RecordError
from auditcoder.records.events import CodeWritten
from auditcoder.records.graph import ROOT, Node, TaskGraph

_V = AuditCheck.CODE
_WRITERS = {"generated": ("generator", "orchestrator"), "regenerated": ("regenerator",)}
"""By how code was made: the roles whose answer it is."""


def written(walk: Walk, event: CodeWritten) -> None:
    """V5. A source is what acceptance makes of the answer before it; accepting it again changes nothing.

    Code that no model wrote is computed again.

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
    if event.how != "merged":  # parts of several answers: see `merged`
        _answered(walk, event, graph, node)


def _answered(walk: Walk, event: CodeWritten, graph: TaskGraph, node: Node) -> None:
    """The source is what the rules of acceptance make of the recorded answer right before it."""
    call = walk.last_call
    role = _WRITERS.get(event.how, ())
    follows = call is not None and walk.previous is call and call.role in role and call.node == node.id
    if not walk.holds(_V, follows, f"code of {node.id} follows the call that wrote it") or call is None:
        return
    task = walk.started.task
    whole = node.id == ROOT or call.role == "orchestrator"
    wanted = task.entry.name if whole else node.contract.signatures[0].name
    code = answered_code(call.request, call.response, wanted)
    if call.role == "regenerator":
        code = without_lead(code)
    outcome = accept_answer(task, graph, node, code)
    if isinstance(outcome, Written):
        walk.same(_V, f"source of {node.id} in the model's answer", event.code.source, outcome.code.source)
        walk.same(_V, f"notes on {node.id}", event.notes, outcome.notes)
    else:
        walk.differ(_V, f"the model's answer for {node.id} is accepted", event.code.source, outcome.reason)


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
