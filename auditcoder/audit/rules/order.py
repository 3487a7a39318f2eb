"""V2: the grammar of a run. Every event may stand where it stands, numbers go on, references resolve."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rules import whole
from auditcoder.audit.walk import Walk
from auditcoder.core.formats import needed_format
from auditcoder.records.base import FORMAT_VERSION
from auditcoder.records.events import (
    AttemptStarted,
    CallsRecorded,
    CandidateRanked,
    ChecksFrozen,
    ChecksRun,
    CodeRejected,
    CodeWritten,
    CostsMeasured,
    Event,
    FeedbackChosen,
    FindingsAdded,
    LocalChecksRun,
    MethodNoted,
    ModelCalled,
    NodesReverified,
    PlanAccepted,
    PlanReviewed,
    ProgramAssembled,
    ProgramProbed,
    RepairEnded,
    RepairStarted,
    RoundStarted,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeDeclared,
    TraceRecorded,
)
from auditcoder.records.graph import TaskGraph

_V = AuditCheck.ORDER
WRITERS = ("generator", "orchestrator", "regenerator")
"""Roles that write code."""
ROUNDS = 3
"""Most reviews of one kind of plan: the proposal, and two replans (programs.planning)."""


def order(walk: Walk, event: Event) -> None:
    """V2. `run.started` is first and once, nothing follows `run.finished`, and each kind keeps its own rules."""
    walk.holds(_V, (walk.event == 0) == isinstance(event, RunStarted), "run.started is the first event, and only it")
    walk.holds(_V, walk.state.finished is None, "an event after run.finished", recorded=event.kind)
    if not isinstance(event, RunStarted):
        walk.holds(_V, _held(walk, event), "an event of a later format than the run's", recorded=event.kind)
    match event:
        case RunStarted() | ModelCalled() | RunResumed() | ChecksFrozen() | RunFinished():
            _frame(walk, event)
        case AttemptStarted() | PlanReviewed() | PlanAccepted() | CandidateRanked():
            _construction(walk, event)
        case CodeWritten() | CodeRejected() | ProgramAssembled():
            _code(walk, event)
        case ChecksRun() | CallsRecorded() | CostsMeasured() | LocalChecksRun() | TraceRecorded() | FindingsAdded():
            _evidence(walk, event)
        case RoundStarted() | ProgramProbed() | MethodNoted():
            _method(walk, event)
        case RepairStarted() | ScopeDeclared() | RepairEnded() | NodesReverified():
            _repair(walk, event)


def _held(walk: Walk, event: Event) -> bool:
    """Return whether the run's format has such an event."""
    return walk.since_methods or not (_since_1_2(event) or (_since_1_1(event) and not walk.grown))


def _since_1_2(event: Event) -> bool:
    """Return whether format 1.1 had no such event."""
    if isinstance(event, ModelCalled):
        return bool(event.agent)
    if isinstance(event, CodeWritten):
        return event.how == "merged"
    return isinstance(event, RoundStarted | TraceRecorded | ProgramProbed | MethodNoted | FeedbackChosen)


def _since_1_1(event: Event) -> bool:
    """Return whether format 1.0 had no such event."""
    if isinstance(event, FindingsAdded):
        return bool(event.source or event.unevaluated)
    return isinstance(event, ScopeDeclared | LocalChecksRun | NodesReverified)


def _frame(walk: Walk, event: Event) -> None:
    state = walk.state
    match event:
        case RunStarted():
            versions = [f"1.{minor}" for minor in range(int(FORMAT_VERSION.partition(".")[2]) + 1)]
            walk.holds(_V, event.format in versions, "the format version is one of ours", recorded=event.format)
            lowest = needed_format(event.config)
            if lowest == "1.2":
                walk.same(_V, "format that holds the configuration", event.format, lowest)
        case ModelCalled():
            opened = walk.repair.opened if walk.repair else None
            walk.holds(_V, not (opened and opened.abstains), "an abstention calls no model", recorded=event.role)
            early = walk.grown and walk.repair is not None and walk.repair.declared is None
            walk.holds(
                _V, not (early and event.role in WRITERS), "the final scope is declared before code is asked for"
            )
            plan = plan_of(walk)
            known = {node.id for node in plan.nodes} if plan else set()
            active = walk.state.program  # of an earlier attempt than the newest, it may have another plan
            known |= {node.id for node in active.graph.nodes} if active and active.graph else set()
            walk.holds(_V, event.node in {"", *known}, "the node of a model call is in the plan", recorded=event.node)
        case RunResumed():
            failed = isinstance(walk.previous, ModelCalled) and bool(walk.previous.error)
            walk.holds(_V, failed, "run.resumed follows a model call that failed")
            walk.same(_V, "number of the call that failed", event.failed, walk.event - 1)
        case ChecksFrozen():
            again = walk.refreeze  # a round of AgentCoder's resampling has suites of its own
            walk.holds(_V, again or state.frozen is None, "the checks are frozen once")
            walk.holds(_V, again or not state.attempts, "the checks are frozen before any plan or code")
        case RunFinished():
            walk.holds(_V, walk.repair is None, "a run ends with no repair open")
            walk.holds(_V, state.program is not None, "a run ends with a program")


def _construction(walk: Walk, event: Event) -> None:
    state, current = walk.state, len(walk.state.attempts) - 1
    walk.holds(_V, walk.repair is None or isinstance(event, PlanReviewed), f"no {event.kind} inside a repair")
    match event:
        case AttemptStarted():
            walk.holds(_V, state.frozen is not None, "the checks are frozen before the first attempt")
            walk.same(_V, "number of the attempt", event.index, current + 1)
            walk.holds(_V, not state.transactions, "no attempt begins after the first repair")
        case PlanReviewed():
            walk.same(_V, "attempt of the review", event.attempt, _attempt(walk))
            last = walk.reviews.get(event.attempt, -1)
            walk.holds(_V, event.round in (0, last, last + 1) and event.round < ROUNDS, "number of the review round",
                       recorded=event.round, wanted=last + 1)  # fmt: skip
            walk.reviews[event.attempt] = event.round
        case PlanAccepted():
            walk.same(_V, "attempt of the plan", event.attempt, current)
            workspace = state.workspaces.get(event.attempt)
            again = workspace is not None and workspace.plan is not None
            walk.holds(_V, not again or event.granularity == "single", "a second plan of an attempt is a single owner")
        case CandidateRanked():
            newest = walk.holds(_V, event.candidate == len(state.candidates) - 1, "the newest candidate is ranked",
                                recorded=event.candidate, wanted=len(state.candidates) - 1)  # fmt: skip
            if newest:
                candidate = walk.candidate(event.candidate)
                walk.same(_V, "attempt of the ranked candidate", candidate.attempt, current)
                walk.holds(_V, candidate.report is not None, "a candidate is run before it is ranked")
                walk.holds(_V, candidate.rank is None, "a candidate is ranked once")


def _code(walk: Walk, event: Event) -> None:
    plan = plan_of(walk)
    owners = {node.id for node in plan.owners} if plan else set()
    if isinstance(event, CodeRejected):
        walk.holds(_V, event.node in owners, "refused code is of a code owner", recorded=event.node)
        return
    if not isinstance(event, CodeWritten | ProgramAssembled):
        return
    walk.same(_V, f"attempt of {event.kind}", event.attempt, _attempt(walk))
    _inside_scope_rules(walk, event)
    if isinstance(event, CodeWritten):
        walk.holds(_V, event.code.node in owners, "code is of a code owner of the plan", recorded=event.code.node)
        walk.holds(_V, event.how in _ways(walk), "how the code was made fits the phase", recorded=event.how)
        if walk.repair:
            walk.repair.written = True
        return
    walk.same(_V, "number of the candidate", event.candidate, len(walk.state.candidates))
    if walk.repair:
        walk.holds(_V, walk.repair.candidate is None, "a repair makes one candidate")
        walk.repair.candidate = event.candidate


def _inside_scope_rules(walk: Walk, event: Event) -> None:
    repair = walk.repair
    if repair is None:
        walk.holds(_V, not walk.state.transactions, f"no {event.kind} between repairs")
        return
    walk.holds(_V, not (repair.opened and repair.opened.abstains), f"an abstention has no {event.kind}")
    walk.holds(_V, repair.declared is not None or not walk.grown, "the final scope is declared before any code")


def _evidence(walk: Walk, event: Event) -> None:
    state = walk.state
    if isinstance(event, FindingsAdded):
        walk.holds(_V, bool(event.findings or event.unevaluated), "findings.added adds something")
        return
    if not isinstance(event, ChecksRun | CallsRecorded | CostsMeasured | LocalChecksRun | TraceRecorded):
        return
    if not walk.holds(_V, event.candidate in state.candidates, "the candidate exists", recorded=event.candidate):
        return
    candidate = walk.candidate(event.candidate)
    if isinstance(event, ChecksRun):
        newest = len(state.candidates) - 1
        walk.same(_V, "candidate that is run on Q (the newest)", event.candidate, newest)
        walk.holds(_V, candidate.rank is None, "a ranked candidate is not run again")
        return
    walk.holds(_V, candidate.report is not None, "a candidate is run on Q before other evidence of it is made")
    if isinstance(event, LocalChecksRun):
        known = {node.id for node in candidate.graph.nodes} if candidate.graph else set()
        walk.holds(_V, event.node in known, "local checks are of a node of the plan", recorded=event.node)


def _method(walk: Walk, event: Event) -> None:
    """Steps that only rival methods have, and rounds, which are numbered and react to a candidate that was run."""
    rounds = walk.whole and isinstance(event, RoundStarted)
    walk.holds(_V, walk.rival or rounds, "a step of a rival method", recorded=event.kind)
    if isinstance(event, RoundStarted):
        walk.same(_V, "number of the round", event.index, walk.rounds.made)
        known = walk.state.candidates.get(event.candidate)
        walk.holds(_V, known is not None and known.rank is not None, "a round reacts to a candidate that was ranked",
                   recorded=event.candidate)  # fmt: skip


def _repair(walk: Walk, event: Event) -> None:
    state, repair = walk.state, walk.repair
    match event:
        case RepairStarted():
            walk.holds(_V, not (walk.rival or walk.whole), "a run without bounded repairs has no transactions")
            walk.holds(_V, repair is None, "no repair begins inside another")
            walk.holds(_V, state.program is not None, "a repair begins with an active program")
            walk.same(_V, "number of the repair", event.index, len(state.transactions))
        case ScopeDeclared():
            if walk.holds(_V, repair is not None, "a scope is declared inside a repair") and repair:
                walk.same(_V, "repair of the declared scope", event.index, repair.started.index)
                walk.holds(_V, repair.declared is None, "a repair declares its final scope once")
                fresh = not repair.written and repair.candidate is None
                walk.holds(_V, fresh, "the final scope is declared before any code")
        case RepairEnded():
            if walk.holds(_V, repair is not None, "a repair that ends had begun") and repair:
                walk.same(_V, "number of the repair that ends", event.transaction.index, repair.started.index)
        case NodesReverified():
            last = state.transactions[-1] if state.transactions else None
            accepted = last is not None and last.decision == "accepted" and repair is None
            walk.holds(_V, accepted, "nodes are re-verified behind an accepted repair")
            walk.same(_V, "repair of the re-verification", event.index, last.index if last else None)


def _ways(walk: Walk) -> tuple[str, ...]:
    """Return how code can come to be at this moment."""
    if walk.rival:
        return ("generated", "fallback") if walk.rounds.made == 0 else ("generated", "regenerated", "merged")
    if walk.whole and walk.rounds.made:
        return whole.ways(walk)
    if walk.repair is None:
        return ("generated", "computed", "fallback")
    replans = walk.repair.started.scope.action == "replan"
    ways = ("generated", "computed") if replans else ("regenerated", "computed")
    fresh = walk.chosen is not None and walk.chosen.shown == "resample"
    return ("generated", *ways) if fresh else ways


def _attempt(walk: Walk) -> int:
    """Return the attempt that is worked on: the newest, in a repair that of the active program."""
    if walk.repair and walk.state.program:
        return walk.state.program.attempt
    return len(walk.state.attempts) - 1


def plan_of(walk: Walk) -> TaskGraph | None:
    """Return the plan that is worked on now, as a repair revised it."""
    workspace = walk.state.workspaces.get(_attempt(walk))
    return workspace.plan.graph if workspace and workspace.plan else None
