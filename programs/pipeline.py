"""The main loop, on one screen: plan, write, assemble, check; locate, scope, regenerate, decide."""

from __future__ import annotations

from auditcoder.core.ending import budget_of, finish_reason
from auditcoder.core.ladder import ladder
from auditcoder.core.rank import improves, passed_checks
from auditcoder.errors import BudgetSpentError
from auditcoder.programs.boundary import CheckDesigner
from auditcoder.programs.construction import Construction
from auditcoder.programs.module import TypedModule
from auditcoder.programs.planning import Planning
from auditcoder.programs.repair import Repair
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.whole_repair import WholeRepair
from auditcoder.records.events import AttemptStarted, CandidateRanked, RunFinished
from auditcoder.records.graph import Granularity, TaskGraph


class AuditCoder(TypedModule["Candidate"]):
    """A task becomes a program and its construction record. All parts are passed in."""

    def __init__(
        self, designer: CheckDesigner, planning: Planning, construction: Construction, repair: Repair | WholeRepair
    ) -> None:
        super().__init__()
        self.designer, self.planning, self.construction, self.repair = designer, planning, construction, repair

    def forward(self, session: Session) -> Candidate:
        """Return the candidate that is the program; every decision is in the session's journal.

        Raises:
            BackboneError: a backbone cannot be used at all (an answer that cannot be used never raises).
            SandboxError: the isolation failed.
        """
        self.designer(session)
        active, reason = self._construct(session)
        passed, budget = [passed_checks(active.rank)], budget_of(session.config)
        while not reason and not active.rank.full_pass and budget.allows(passed):
            try:
                outcome = self.repair(session, active, len(passed) - 1)
            except BudgetSpentError as error:  # before the round changed anything
                reason = error.message
                break
            active, reason = outcome.active, outcome.ended
            passed.append(outcome.passed)
        _finish(session, active, reason)
        return active

    def _construct(self, session: Session) -> tuple[Candidate, str]:
        """Return the best candidate of the plan attempts, and why they were left early; empty when they were not."""
        active: Candidate | None = None
        ended = ""
        for index, rung in enumerate(ladder(session.config.granularity, session.weak)):
            if ended or (active is not None and active.rank.full_pass):
                break
            session.journal.emit(AttemptStarted(index=index, granularity=rung.granularity, reason=rung.reason))
            try:
                candidate = self._attempt(session, index, rung.granularity, active)
            except BudgetSpentError as error:
                ended = error.message
                candidate = None if active else self.construction.last(session, index, ended)
            if candidate is not None:
                better = active is None or improves(active.rank, candidate.rank)
                session.journal.emit(CandidateRanked(candidate=candidate.number, rank=candidate.rank, active=better))
                active = candidate if better else active
        assert active is not None  # the first rung always gives a candidate
        return active, ended

    def _attempt(
        self, session: Session, index: int, granularity: Granularity, active: Candidate | None
    ) -> Candidate | None:
        graph = self.planning(session, index, granularity)
        if active is not None and _undivided(graph) and _undivided(active.state.graph):
            return None  # the plan fell back to the single owner, which was tried already
        candidate = self.construction(session, index, graph)
        if candidate is None and active is None:
            candidate = self.construction.single(session, index, "a node of the plan could not be written")
        return candidate


def _undivided(graph: TaskGraph) -> bool:
    return len(graph.nodes) == 1


def _finish(session: Session, active: Candidate, ended: str) -> None:
    reason = finish_reason(active.rank, session.checks, active.state.report, ended)
    session.journal.emit(
        RunFinished(candidate=active.number, program=active.state.assembly.digest, rank=active.rank, reason=reason)
    )
