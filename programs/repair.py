"""One bounded repair: locate, scope, declare, regenerate, border check, revalidate, decide (paper 3.4, core.md 6)."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.assembly import assemble
from auditcoder.core.ending import ended_by, round_passed
from auditcoder.core.expansion import needed_expansions
from auditcoder.core.no_candidate import NO_SETTLEMENT, no_plan, not_linked
from auditcoder.core.scope import select_scope
from auditcoder.core.transaction import (
    Closed,
    OpenTransaction,
    close_abstained,
    close_at_border,
    close_transaction,
    close_without_candidate,
    crossings,
    declare,
    open_transaction,
)
from auditcoder.errors import AssemblyError, BudgetSpentError
from auditcoder.programs.branch_planning import BranchPlanning
from auditcoder.programs.evaluation import run_candidate
from auditcoder.programs.feedback import Feedback
from auditcoder.programs.investigation import Evidence, Investigation
from auditcoder.programs.module import TypedModule
from auditcoder.programs.regeneration import Regeneration, Rewritten
from auditcoder.programs.renegotiation import Renegotiation
from auditcoder.programs.reverification import reverify
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.events import RepairEnded, RepairStarted, ScopeDeclared
from auditcoder.records.graph import TaskGraph


class RepairOutcome(NamedTuple):
    """What is active after a repair round."""

    active: Candidate
    passed: int
    """Passed checks of the round's candidate, rolled back or not; the budget reads it."""
    ended: str = ""
    """Why no further round is of use; empty when one may follow."""


class Repair(TypedModule["RepairOutcome"]):
    """Composes investigation, revision of the plan and regeneration around the transaction of the core."""

    def __init__(
        self,
        investigation: Investigation,
        feedback: Feedback,
        renegotiation: Renegotiation,
        branch_planning: BranchPlanning,
        regeneration: Regeneration,
    ) -> None:
        super().__init__()
        self.investigation, self.feedback, self.regeneration = investigation, feedback, regeneration
        self.renegotiation, self.branch_planning = renegotiation, branch_planning

    def forward(self, session: Session, active: Candidate, index: int) -> RepairOutcome:
        """Return the active candidate after one round, accepted or rolled back.

        Raises:
            BackboneError: a backbone cannot be used at all.
            SandboxError: the isolation failed.
        """
        evidence = self.investigation(session, active)
        state = active.state.model_copy(update={"findings": tuple(session.findings)})
        scope = select_scope(evidence.localization, state.graph, state.assembly, state.findings)
        opened = open_transaction(index, state, session.checks, evidence.localization, scope)
        session.journal.emit(
            RepairStarted(index=index, localization=evidence.localization, scope=scope, snapshot=opened.snapshot)
        )
        if opened.abstains:
            return _ended(session, active, close_abstained(opened))
        shown = self.feedback(session, active, index, evidence, scope)
        try:
            plan = self._revised(session, active, opened, shown)
            if isinstance(plan, str):
                return _ended(session, active, close_without_candidate(opened, plan))
            opened = _declared(session, active, opened, plan)
            rewritten = self.regeneration(session, active, opened, shown)
        except BudgetSpentError as error:
            return _ended(session, active, close_without_candidate(opened, error.message))
        if rewritten.refused:
            return _ended(session, active, close_without_candidate(opened, rewritten.refused))
        return _validated(session, active, opened, rewritten)

    def _revised(
        self, session: Session, active: Candidate, opened: OpenTransaction, evidence: Evidence
    ) -> TaskGraph | str:
        """Return the plan that the repair goes by, or why there is none."""
        if opened.scope.action == "replan":
            plan = self.branch_planning(session, active, opened, evidence)
            return plan or no_plan(opened.scope)
        if opened.scope.open_slots:
            settled = evidence._replace(blind=False)  # which side gives way is seen on the values
            return self.renegotiation(session, active, opened, settled) or NO_SETTLEMENT
        return opened.state.graph


def _declared(session: Session, active: Candidate, opened: OpenTransaction, plan: TaskGraph) -> OpenTransaction:
    """Return the transaction with its final scope, recorded before anything is regenerated."""
    state = opened.state
    regenerates = opened.scope.action == "regenerate"
    expansions = needed_expansions(state.graph, plan, opened.scope, state.assembly) if regenerates else ()
    final = opened.scope.model_copy(update={"expansions": expansions})
    revised = None if plan == state.graph else plan
    declared = declare(opened, final, revised, session.used_ids(active.attempt))
    event = ScopeDeclared(index=opened.index, scope=final, frozen=declared.frozen, graph=revised)
    session.declare_scope(active.attempt, event)
    return declared


def _validated(session: Session, active: Candidate, opened: OpenTransaction, rewritten: Rewritten) -> RepairOutcome:
    graph, codes = opened.graph, rewritten.codes
    try:
        assembly = assemble(graph, codes, session.task, before=opened.state.assembly)
    except AssemblyError as error:
        return _ended(session, active, close_without_candidate(opened, not_linked(error.message)))
    if crossings(opened, assembly):
        session.assembled(active.attempt, assembly)
        return _ended(session, active, close_at_border(opened, assembly))
    candidate = run_candidate(session, active.attempt, graph, codes, assembly)
    closed = close_transaction(opened, candidate.state)
    session.journal.emit(RepairEnded(transaction=closed.transaction))
    if closed.transaction.decision != "accepted":
        return _outcome(active, closed, active)
    reverify(session, active, candidate, closed.transaction)
    return _outcome(active, closed, candidate)


def _ended(session: Session, active: Candidate, closed: Closed) -> RepairOutcome:
    session.journal.emit(RepairEnded(transaction=closed.transaction))
    return _outcome(active, closed, active)


def _outcome(before: Candidate, closed: Closed, active: Candidate) -> RepairOutcome:
    return RepairOutcome(active, round_passed(closed.transaction, before.rank), ended_by(closed.transaction))
