"""V2, V16 of feedback: what a repair shows was decided by the policy, before code was asked for."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules import whole
from auditcoder.audit.walk import Walk
from auditcoder.core.feedback import annotation, choose, scope_plan, situation, wanted_traces
from auditcoder.records.events import (
    FeedbackChosen,
    ModelCalled,
    RepairEnded,
    RepairStarted,
    RoundStarted,
    TraceRecorded,
)

_V = AuditCheck.DECISION


def began(walk: Walk, event: RepairStarted | RoundStarted) -> None:
    """V16. When a repair or round begins, nothing was traced or chosen for it."""
    walk.traces, walk.chosen = [], None


def traced(walk: Walk, event: TraceRecorded) -> None:
    """V16. A run of AuditCoder is traced inside a repair, for its choice."""
    if walk.rival:
        return
    early = _inside(walk) and walk.chosen is None
    walk.holds(AuditCheck.ORDER, early, "a trace is made inside a repair, before its feedback is chosen")
    walk.same(AuditCheck.ORDER, "traced candidate", event.candidate, walk.state.active)
    walk.traces.append(event)


def chosen(walk: Walk, event: FeedbackChosen) -> None:
    """V16. The policy decides the same again, from the state of the program and the recorded traces."""
    config, repair = walk.started.config, walk.repair
    walk.holds(AuditCheck.ORDER, _inside(walk) and not walk.rival, "feedback is chosen inside a repair")
    walk.holds(AuditCheck.ORDER, walk.chosen is None, "feedback is chosen once for a repair")
    index = repair.started.index if repair else walk.rounds.made - 1
    walk.same(AuditCheck.ORDER, "repair of the feedback", event.index, index)
    walk.chosen = event
    walk.same(_V, "policy of the feedback", event.policy, config.feedback)
    walk.holds(_V, config.feedback != "error", "the policy error chooses nothing")
    scope = repair.started.scope if repair else None
    state = walk.state_of(walk.state.program)
    case = situation(state, walk.checks, walk.started.task.statement, scope)
    wanted, plan = wanted_traces(config.feedback, case), scope_plan(state.assembly, scope)
    walk.same(_V, "traced checks", [each.trace.check for each in walk.traces], list(wanted))
    walk.same(_V, "traces of other parts", [each.trace.check for each in walk.traces if each.plan != plan], [])
    shown = {each.trace.check: annotation(state.assembly, plan, each.trace, len(wanted)) for each in walk.traces}
    made = choose(config.feedback, case, shown)
    walk.same(_V, "what is shown, and why", (event.shown, event.reason), (made.shown, made.reason))


def called(walk: Walk, event: ModelCalled) -> None:
    """V16. Under a policy no model is asked inside a repair before the feedback is chosen."""
    if walk.started.config.feedback != "error" and _inside(walk):
        walk.holds(_V, walk.chosen is not None, "feedback is chosen before a model is asked")


def ended(walk: Walk, event: RepairEnded) -> None:
    """V16. Under a policy every repair that has a scope chose its feedback."""
    if walk.started.config.feedback != "error" and event.transaction.decision != "abstained":
        walk.holds(_V, walk.chosen is not None, "feedback is chosen for every repair")


def _inside(walk: Walk) -> bool:
    return walk.repair is not None or whole.open_round(walk)


RULES: tuple[Rule, ...] = (
    rule(_V, RepairStarted, began),
    rule(_V, RoundStarted, began),
    rule(_V, TraceRecorded, traced),
    rule(_V, FeedbackChosen, chosen),
    rule(_V, ModelCalled, called),
    rule(_V, RepairEnded, ended),
)
