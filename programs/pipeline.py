"""The main loop, on one screen: plan, write, assemble, check; locate, scope, regenerate, decide."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.budget import AdaptiveBudget, FixedBudget, RepairBudget
from auditcoder.core.rank import improves, passed_checks
from auditcoder.programs.boundary import CheckDesigner
from auditcoder.programs.construction import Construction
from auditcoder.programs.module import TypedModule
from auditcoder.programs.planning import Planning
from auditcoder.programs.repair import Repair
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.config import RunConfig
from auditcoder.records.events import AttemptStarted, CandidateRanked, RunFinished
from auditcoder.records.graph import Granularity, TaskGraph


class Rung(NamedTuple):
    """One plan attempt of the granularity ladder."""

    granularity: Granularity
    reason: str


class AuditCoder(TypedModule["Candidate"]):
    """A task becomes a program and its construction record. All parts are passed in."""

    def __init__(self, designer: CheckDesigner, planning: Planning, construction: Construction, repair: Repair) -> None:
        super().__init__()
        self.designer, self.planning, self.construction, self.repair = designer, planning, construction, repair

    def forward(self, session: Session) -> Candidate:
        """Return the candidate that is the program; every decision is in the session's journal.

        Raises:
            BackboneError: a backbone cannot be used at all (an answer that cannot be used never raises).
            SandboxError: the isolation failed.
        """
        self.designer(session)
        active = self._construct(session)
        passed, reason = [passed_checks(active.rank)], ""
        budget = budget_of(session.config)
        while not active.rank.full_pass and budget.allows(passed):
            outcome = self.repair(session, active, len(passed) - 1)
            active, reason = outcome.active, outcome.ended
            passed.append(outcome.passed)
            if reason:
                break
        _finish(session, active, reason)
        return active

    def _construct(self, session: Session) -> Candidate:
        active: Candidate | None = None
        for index, rung in enumerate(ladder(session.config.granularity, session.weak)):
            if active is not None and active.rank.full_pass:
                break
            session.journal.emit(AttemptStarted(index=index, granularity=rung.granularity, reason=rung.reason))
            graph = self.planning(session, index, rung.granularity)
            if active is not None and _undivided(graph) and _undivided(active.state.graph):
                continue  # the plan fell back to the single owner, which was tried already
            candidate = self.construction(session, index, graph)
            if candidate is None and active is None:
                candidate = self.construction.single(session, index, "a node of the plan could not be written")
            if candidate is not None:
                better = active is None or improves(active.rank, candidate.rank)
                session.journal.emit(CandidateRanked(candidate=candidate.number, rank=candidate.rank, active=better))
                active = candidate if better else active
        assert active is not None  # the first rung always gives a candidate
        return active


def _undivided(graph: TaskGraph) -> bool:
    return len(graph.nodes) == 1


def ladder(granularity: Granularity, weak: bool) -> tuple[Rung, ...]:
    """Return the plan attempts in order; a later one is made only when no earlier program passed every check.

    `auto` starts where the backbone is measured to be strong: a weak one writes a whole small program better than it
    splits one, so it starts undivided, and a plan is the second, differently posed attempt (docs/adr/0006).
    """
    if granularity != "auto":
        return (Rung(granularity, "asked for"),)
    if weak:
        return (
            Rung("single", "auto: a weak backbone starts undivided"),
            Rung("coarse", "auto: the undivided program fails a check"),
        )
    return (
        Rung("fine", "auto: a strong backbone starts with a plan"),
        Rung("single", "auto: the planned program fails a check"),
    )


def budget_of(config: RunConfig) -> RepairBudget:
    """Return the repair budget that the configuration asks for."""
    return AdaptiveBudget() if config.adaptive else FixedBudget(config.k)


def _finish(session: Session, active: Candidate, reason: str) -> None:
    passed = "every check passes" if session.checks else "there is no check to fail"
    done = passed if active.rank.full_pass else reason or "the repair budget is used up"
    if active.state.report.state_dependent:
        done += "; results depend on which checks ran before"
    session.journal.emit(
        RunFinished(candidate=active.number, program=active.state.assembly.digest, rank=active.rank, reason=done)
    )
