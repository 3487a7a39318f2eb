"""From one event to the next view. Pure: the same events give the same view."""

from __future__ import annotations

from dataclasses import replace

from auditcoder.cli.live.view import CallView, NodeView, RunView, Spent, Standing, with_state
from auditcoder.cli.text import one_line
from auditcoder.records import events as ev
from auditcoder.records.execution import CheckResult
from auditcoder.records.graph import Node


def advance(view: RunView, event: ev.Event, *, replayed: bool = False) -> RunView:
    """Return the view after an event."""
    if replayed:
        view = replace(view, replayed=view.replayed + 1)
    match event:
        case ev.RunStarted():
            return started(view, event)
        case ev.ModelCalled():
            return called(view, event)
        case ev.ChecksFrozen():
            return replace(view, checks=len(event.checks))
        case ev.AttemptStarted():
            stage = f"planning ({event.granularity})"
            return replace(view, nodes=(), passed=None, assembly=None, candidate=None, stage=stage)
        case ev.PlanReviewed():
            return replace(view, stage="planning again" if event.complaints else view.stage)
        case ev.PlanAccepted():
            return planned(view, event)
        case ev.CodeWritten():
            return written(view, event)
        case ev.ProgramAssembled():
            return assembled(view, event)
        case ev.ChecksRun():
            return checked(view, event)
        case ev.CandidateRanked():
            return ranked(view, event)
        case ev.RoundStarted():
            return replace(view, stage=f"round {event.index + 1} ({event.how})")
        case ev.RepairStarted():
            return repairing(view, event)
        case ev.ScopeDeclared():
            return declared(view, event)
        case ev.NodesReverified() if event.nodes:
            return replace(view, stage="frozen nodes verified again")
        case ev.RepairEnded():
            return repaired(view, event)
        case ev.RunFinished():
            return finished(view, event)
        case _:
            return view


def call_started(view: RunView, role: str, node: str, agent: str = "") -> RunView:
    """Return the view while a model call is being made."""
    shown = view.node(node)
    writing = shown is not None and shown.state == "planned"
    nodes = with_state(view.nodes, "writing", (node,)) if writing else view.nodes
    return replace(view, nodes=nodes, call=CallView(role, node, agent))


def call_progressed(view: RunView, tokens: int, seconds: float) -> RunView:
    """Return the view with the tokens that the current call has brought so far."""
    call = view.call or CallView("model")
    return replace(view, call=replace(call, tokens=tokens, seconds=seconds))


def call_lasted(view: RunView, seconds: float) -> RunView:
    """Return the view with the time that the current call takes so far; a server tells nothing before its answer."""
    return replace(view, call=replace(view.call, seconds=seconds)) if view.call else view


def started(view: RunView, event: ev.RunStarted) -> RunView:
    """Return the view with task, isolation level and prices."""
    prices = tuple((role, facts.price_in, facts.price_out) for role, facts in event.models)
    isolation = f"{one_line(event.isolation.rung)} (level {event.isolation.level})"
    return replace(
        view, task=event.task.id, isolation=isolation, level=event.isolation.level, prices=prices,
        local=tuple(role for role, facts in event.models if facts.sha256), checks=len(event.task.examples),
        examples=len(event.task.examples),
    )  # fmt: skip


def called(view: RunView, event: ev.ModelCalled) -> RunView:
    """Return the view with a call's tokens, cost and time added."""
    old = view.spent
    paid = not event.cached
    price_in, price_out = next(((i, o) for role, i, o in view.prices if role == event.role), (0.0, 0.0))
    usd = (event.prompt_tokens * price_in + event.completion_tokens * price_out) / 1e6 if paid else 0.0
    spent = Spent(
        calls=old.calls + 1,
        cached=old.cached + event.cached,
        failed=old.failed + bool(event.error),
        prompt_tokens=old.prompt_tokens + event.prompt_tokens,
        completion_tokens=old.completion_tokens + event.completion_tokens,
        usd=old.usd + usd,
        timed=old.timed + paid,
        seconds=old.seconds + (event.seconds if paid else 0.0),
        shortest=(min(old.shortest, event.seconds) if old.timed else event.seconds) if paid else old.shortest,
        longest=max(old.longest, event.seconds) if paid else old.longest,
    )
    return replace(view, spent=spent, call=None)


def planned(view: RunView, event: ev.PlanAccepted) -> RunView:
    """Return the view with a plan's nodes; inside a repair, nodes outside it keep what they are."""
    kept = {node.id: node for node in view.nodes if view.repair and node.id not in view.repair}
    nodes = tuple(kept.get(node.id) or node_view(node) for node in event.graph.nodes)
    return replace(view, nodes=nodes, stage="writing")


def node_view(node: Node) -> NodeView:
    """Return the view of a planned node."""
    return NodeView(node.id, node.parent, node.goal, node.owns_code)


def written(view: RunView, event: ev.CodeWritten) -> RunView:
    """Return the view with one node's source."""
    lines = len(event.code.source.splitlines())
    note = event.how if event.how in ("computed", "fallback") else ""
    nodes = tuple(
        replace(node, state="written", lines=lines, note=note) if node.id == event.code.node else node
        for node in view.nodes
    )
    return replace(view, nodes=nodes)


def assembled(view: RunView, event: ev.ProgramAssembled) -> RunView:
    """Return the view while a candidate is about to run."""
    nodes = with_state(view.nodes, "checking", view.repair or None)
    return replace(
        view, nodes=nodes, assembly=event.assembly, candidate=event.candidate, passed=None, stage="checking"
    )  # fmt: skip


def checked(view: RunView, event: ev.ChecksRun) -> RunView:
    """Return the view with the verdicts; a failure marks the node it points at, else the root."""
    results = event.report.results
    passed = sum(result.outcome == "pass" for result in results)
    again = view.passed is not None and view.candidate == event.candidate
    view = replace(view, passed=passed, checks=len(results), stage="checked", again=again)
    if passed == len(results):
        return replace(view, nodes=with_state(view.nodes, "passed"))
    if view.repair:
        return view
    failing = next(result for result in results if result.outcome != "pass")
    nodes = with_state(view.nodes, "written")
    return replace(view, nodes=with_state(nodes, "failing", (suspect(view, failing),)))


def suspect(view: RunView, result: CheckResult) -> str:
    """Return the owner of the innermost frame of a failure, else the root: what to show, not what to repair."""
    for frame in reversed(result.frames):
        owner = view.assembly.owner_of_line(frame.line) if view.assembly else None
        if owner is not None:
            return owner.owner
    return next((node.id for node in view.nodes if not node.parent), "")


def standing(view: RunView) -> Standing:
    """Return where the view stands, to come back to."""
    return Standing(view.nodes, view.passed, view.assembly, view.candidate)


def at(view: RunView, where: Standing) -> RunView:
    """Return the view at an earlier standing."""
    return replace(
        view, nodes=where.nodes, passed=where.passed, assembly=where.assembly, candidate=where.candidate
    )  # fmt: skip


def ranked(view: RunView, event: ev.CandidateRanked) -> RunView:
    """Return the view that remembers how this candidate stands."""
    return remembered(replace(view, candidate=event.candidate), active=event.active)


def remembered(view: RunView, *, active: bool) -> RunView:
    """Return the view with the standing of its candidate kept, as the program so far if it is that."""
    others = tuple(kept for kept in view.standings if kept.candidate != view.candidate)
    return replace(view, standings=(*others, standing(view)), active=view.candidate if active else view.active)


def at_candidate(view: RunView, candidate: int | None) -> RunView:
    """Return the view at the standing of a candidate, unless it stands there or never stood there."""
    kept = next((one for one in view.standings if one.candidate == candidate), None)
    return at(view, kept) if kept and view.candidate != candidate else view


def repairing(view: RunView, event: ev.RepairStarted) -> RunView:
    """Return the view with a repair's nodes marked: those of the program so far, not of a later attempt."""
    view = at_candidate(view, view.active)
    scope = event.scope.nodes
    marked = with_state(view.nodes, "repairing", scope)
    return replace(view, before=standing(view), repair=scope, nodes=marked, stage=f"repair {event.index + 1}")


def declared(view: RunView, event: ev.ScopeDeclared) -> RunView:
    """Return the view with the final scope marked, and with the plan as the repair changes it."""
    scope = event.scope
    kept = {node.id: node for node in view.nodes}
    nodes = view.nodes
    if event.graph is not None:
        nodes = tuple(kept.get(node.id) or node_view(node) for node in event.graph.nodes)
    new = [node.id for node in nodes if node.id not in kept]
    inside = tuple(dict.fromkeys((*scope.nodes, *new, *(expansion.owner for expansion in scope.expansions))))
    nodes = with_state(with_state(nodes, "repairing", inside), "planned", tuple(new))
    return replace(view, nodes=nodes, repair=inside, stage=f"repair {event.index + 1}{stage_of(event)}")


def stage_of(event: ev.ScopeDeclared) -> str:
    """Return what kind of repair it is, where it is more than new code for one node."""
    if event.scope.action == "replan":
        return f": {event.scope.branch} planned again"
    return ": interface settled" if event.scope.open_slots else ""


def repaired(view: RunView, event: ev.RepairEnded) -> RunView:
    """Return the view with a repair closed: its nodes are repaired, or back where they were and marked so."""
    transaction = event.transaction
    scope = view.repair or transaction.scope.nodes
    if transaction.decision == "accepted":
        view = remembered(replace(view, nodes=with_state(view.nodes, "repaired", scope)), active=True)
    elif view.before is not None:
        view = at(view, view.before)
        if transaction.decision != "abstained":
            view = replace(view, nodes=with_state(view.nodes, "rolled back", scope))
    closed = (*view.repairs, transaction.decision)
    return replace(view, repair=(), before=None, repairs=closed, stage=f"repair {transaction.decision}")


def finished(view: RunView, event: ev.RunFinished) -> RunView:
    """Return the last view: the candidate that is the program."""
    view = at_candidate(view, event.candidate)
    return replace(view, finished=True, reason=event.reason, stage="done", call=None)
