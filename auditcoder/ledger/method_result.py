"""The result of a method as a view over the events of its run, and nothing else; works at any prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditcoder.errors import RecordError
from auditcoder.ledger.fold import usage_of
from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records.config import ModelFacts, Role
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    CodeWritten,
    Event,
    FeedbackChosen,
    ModelCalled,
    RepairEnded,
    RepairStarted,
    RoundStarted,
)
from auditcoder.records.method import AgentUsage, MadeProgram, MethodResult


def method_result(events: Iterable[Event]) -> MethodResult:
    """Return what a method made, after these events.

    A round of a rival counts as it was recorded. Of AuditCoder, a transaction that wrote code is a feedback round (a
    triggered retry when its policy showed no evidence), and so is an attempt at another granularity, begun because
    there was a program that failed, a triggered retry.

    Raises:
        RecordError: the first event is not `run.started`.
    """
    state, rounds = FoldState(), _Rounds()
    for event in events:
        state.apply(event)
        rounds.apply(event)
    if state.started is None:
        raise RecordError("the ledger does not begin with run.started")
    models = dict(state.started.models)
    made = [_made(state.candidates[number]) for number in sorted(state.candidates)]
    reports = [state.candidates[number].report for number in sorted(state.candidates)]
    return MethodResult(
        method=state.started.config.method,
        final=_made(state.program) if state.program else None,
        first_candidate=made[0] if made else None,
        candidates=tuple(made),
        reports=tuple(report for report in reports if report is not None),
        feedback_rounds=rounds.feedback,
        triggered_retries=rounds.retries,
        usage=usage_of(state.calls, models),
        agents=_agents(state.calls, models),
        reason=state.finished.reason if state.finished else "",
    )


class _Rounds:
    """How often a run reacted to a failure so far."""

    def __init__(self) -> None:
        self.feedback = self.retries = 0
        self._ranked = self._open = self._shown = False

    def apply(self, event: Event) -> None:
        """Take the counts one event further."""
        match event:
            case RoundStarted():
                self._count(shown=event.how == "feedback")
            case CandidateRanked():
                self._ranked = True
            case AttemptStarted() if self._ranked:
                self._count(shown=False)
            case RepairStarted():
                self._open = self._shown = True
            case FeedbackChosen():
                self._shown = event.shown != "resample"
            case CodeWritten() if self._open:  # a transaction counts once, however many nodes it writes
                self._open = False
                self._count(shown=self._shown)
            case RepairEnded():
                self._open = False

    def _count(self, *, shown: bool) -> None:
        self.feedback += shown
        self.retries += not shown


def _made(candidate: Candidate) -> MadeProgram:
    assembly = candidate.assembly
    return MadeProgram(candidate=candidate.index, digest=assembly.digest, program=assembly.program, rank=candidate.rank)


def _agents(calls: Sequence[ModelCalled], models: dict[Role, ModelFacts]) -> tuple[AgentUsage, ...]:
    names = dict.fromkeys((call.agent or call.role, call.role) for call in calls)
    rows = []
    for agent, role in names:
        own = [call for call in calls if (call.agent or call.role, call.role) == (agent, role)]
        total = usage_of(own, models)[-1]
        rows.append(AgentUsage(agent=agent, **{**total.model_dump(), "role": role}))
    return tuple(rows)
