"""Repair without binding: the whole program is written again from the same evidence, and nothing is frozen.

The ablation that the paper lacks. A round is what a bounded repair would be: the same investigation before it, one
regeneration, one run on the same Q, taken over on strict improvement only. What it has not: a scope, a border, an
abstention.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from auditcoder.core.answers import Written
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.rank import improves, passed_checks
from auditcoder.core.whole import WHOLE, program_text
from auditcoder.errors import AssemblyError, BudgetSpentError
from auditcoder.programs.ask import admit
from auditcoder.programs.evaluation import evaluate
from auditcoder.programs.feedback import Feedback
from auditcoder.programs.investigation import Evidence, Investigation
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import NodeGenerator
from auditcoder.programs.regeneration import fresh_draws, seeds_of
from auditcoder.programs.regenerator import Regenerator
from auditcoder.programs.repair import RepairOutcome
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.writing import write_node
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    CodeRejected,
    CodeWritten,
    PlanAccepted,
    RoundStarted,
)
from auditcoder.records.graph import ROOT, TaskGraph


class _Round(NamedTuple):
    session: Session
    active: Candidate
    number: int
    attempt: int
    graph: TaskGraph
    evidence: Evidence


class WholeRepair(TypedModule["RepairOutcome"]):
    """Composes investigation and regeneration without a transaction around them."""

    def __init__(
        self, investigation: Investigation, feedback: Feedback, regenerator: Regenerator, generator: NodeGenerator
    ) -> None:
        super().__init__()
        self.investigation, self.feedback = investigation, feedback
        self.regenerator, self.generator = regenerator, generator

    def forward(self, session: Session, active: Candidate, index: int) -> RepairOutcome:
        """Return the active candidate after one round: the new one where it is strictly better.

        Raises:
            BackboneError: a backbone cannot be used at all.
            SandboxError: the isolation failed.
            BudgetSpentError: the run may make no further request, and the round has not begun.
        """
        evidence = self.investigation(session, active)
        admit()
        session.journal.emit(RoundStarted(index=index, how="feedback", candidate=active.number))
        evidence = self.feedback(session, active, index, evidence, None)
        graph = single_owner_graph(session.task)
        work = _Round(session, active, index, _attempt(session, graph, index), graph, evidence)
        before = passed_checks(active.rank)
        try:
            candidate = self._candidate(work)
        except BudgetSpentError as error:
            return RepairOutcome(active, before, error.message)
        if candidate is None:
            return RepairOutcome(active, before)
        better = improves(active.rank, candidate.rank)
        session.journal.emit(CandidateRanked(candidate=candidate.number, rank=candidate.rank, active=better))
        return RepairOutcome(candidate if better else active, passed_checks(candidate.rank))

    def _candidate(self, work: _Round) -> Candidate | None:
        """Return the candidate of the round; None when every answer was refused (recorded)."""
        session = work.session
        written = self._write(work)
        if written is None:
            return None
        how: Literal["generated", "regenerated"] = "generated" if work.evidence.blind else "regenerated"
        session.journal.emit(CodeWritten(attempt=work.attempt, code=written.code, how=how, notes=written.notes))
        try:
            return evaluate(session, work.attempt, work.graph, {ROOT: written.code})
        except AssemblyError as error:
            session.journal.emit(CodeRejected(node=ROOT, reason=error.message[:500], digest=""))
            return None

    def _write(self, work: _Round) -> Written | None:
        """Return new code; an answer that repeats the old one is asked for once more, as in a bounded repair."""
        session, state = work.session, work.active.state
        node, source = work.graph.node(ROOT), program_text(state.assembly)
        old = state.code_map[ROOT].digest if len(state.graph.nodes) == 1 else ""
        seeds, draws = seeds_of(session, work.number), list(fresh_draws(session, work.number))
        evidence = work.evidence.whole(session, work.active)

        def ask(refused: str) -> str:
            if work.evidence.blind:
                return self.generator(session.task, node, refused, draws[0])
            note = f"\nAn earlier answer was refused: {refused}" if refused else ""
            return self.regenerator(session.task, node, source, evidence + note, seeds[0])

        written = write_node(session, work.graph, node, ask)
        if written is not None and written.code.digest == old:
            del seeds[0], draws[0]
            written = write_node(session, work.graph, node, ask)
        return written


def _attempt(session: Session, graph: TaskGraph, index: int) -> int:
    """Return the attempt that the rounds belong to, begun with the first of them."""
    newest = max(session.given_ids)
    if index > 0:
        return newest
    session.journal.emit(AttemptStarted(index=newest + 1, granularity="single", reason=WHOLE))
    session.accept_plan(PlanAccepted(attempt=newest + 1, granularity="single", graph=graph, fallback=WHOLE))
    return newest + 1
