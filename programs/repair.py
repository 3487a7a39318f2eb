"""One bounded repair: locate, scope, regenerate, border check, revalidate, decide (paper 3.4, core.md section 6)."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.answers import Written
from auditcoder.core.assembly import assemble
from auditcoder.core.ending import ended_by, round_passed
from auditcoder.core.scope import select_scope
from auditcoder.core.transaction import (
    Closed,
    OpenTransaction,
    close_abstained,
    close_at_border,
    close_transaction,
    close_without_candidate,
    crossings,
    open_transaction,
)
from auditcoder.errors import AssemblyError
from auditcoder.programs.evaluation import run_candidate
from auditcoder.programs.investigation import Evidence, Investigation
from auditcoder.programs.module import TypedModule
from auditcoder.programs.regenerator import Regenerator
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.writing import write_node
from auditcoder.records.code import NodeCode
from auditcoder.records.events import CodeWritten, RepairEnded, RepairStarted
from auditcoder.records.graph import Node

RESAMPLES = 1000
"""Apart from all round numbers, so that no round repeats the sample of another one."""


class RepairOutcome(NamedTuple):
    """What is active after a repair round."""

    active: Candidate
    passed: int
    """Passed checks of the round's candidate, rolled back or not; the budget reads it."""
    ended: str = ""
    """Why no further round is of use; empty when one may follow."""


class Repair(TypedModule["RepairOutcome"]):
    """Composes investigation and regeneration around the transaction of the core."""

    def __init__(self, investigation: Investigation, regenerator: Regenerator) -> None:
        super().__init__()
        self.investigation, self.regenerator = investigation, regenerator

    def forward(self, session: Session, active: Candidate, index: int) -> RepairOutcome:
        """Return the active candidate after one round, accepted or rolled back.

        Raises:
            BackboneError: a backbone cannot be used at all.
            SandboxError: the isolation failed.
        """
        evidence = self.investigation(session, active)
        state = active.state.model_copy(update={"findings": tuple(session.findings)})
        scope = select_scope(evidence.localization, state.graph, state.assembly)
        opened = open_transaction(index, state, session.checks, evidence.localization, scope)
        session.journal.emit(
            RepairStarted(index=index, localization=evidence.localization, scope=scope, snapshot=opened.snapshot)
        )
        if opened.abstains:
            closed = close_abstained(opened)
            session.journal.emit(RepairEnded(transaction=closed.transaction))
            return _outcome(active, closed, active)
        return self._regenerate(session, active, opened, evidence)

    def _regenerate(
        self, session: Session, active: Candidate, opened: OpenTransaction, evidence: Evidence
    ) -> RepairOutcome:
        node = opened.state.graph.node(opened.scope.nodes[0])
        old = opened.state.code_map[node.id]
        written = self._rewrite(session, active, opened, node, evidence)
        if written is None:
            return _ended(session, active, close_without_candidate(opened, "no usable code came back"))
        if written.code.digest == old.digest:
            return _ended(session, active, close_without_candidate(opened, "the same code came back"))
        session.journal.emit(
            CodeWritten(attempt=active.attempt, code=written.code, how="regenerated", notes=written.notes)
        )
        return self._validate(session, active, opened, written.code)

    def _rewrite(
        self, session: Session, active: Candidate, opened: OpenTransaction, node: Node, evidence: Evidence
    ) -> Written | None:
        """Return new code; an answer that repeats the old one is asked for once more, sampled differently.

        After a rollback the evidence is the same again, so later rounds are sampled from the start.
        """
        old = opened.state.code_map[node.id]
        text = evidence.text(session, active, node)
        sampled = session.config.seed + opened.index + 1
        seeds = [None, sampled] if opened.index == 0 else [sampled, sampled + RESAMPLES]

        def ask(refused: str) -> str:
            note = f"\nAn earlier answer was refused: {refused}" if refused else ""
            return self.regenerator(session.task, node, old.source, text + note, seeds[0])

        written = write_node(session, opened.state.graph, node, ask)
        if written is not None and written.code.digest == old.digest:
            seeds.pop(0)
            written = write_node(session, opened.state.graph, node, ask)
        return written

    def _validate(self, session: Session, active: Candidate, opened: OpenTransaction, code: NodeCode) -> RepairOutcome:
        graph = opened.state.graph
        codes = {**opened.state.code_map, code.node: code}
        try:
            assembly = assemble(graph, codes, session.task, before=opened.state.assembly)
        except AssemblyError as error:
            return _ended(session, active, close_without_candidate(opened, f"does not link: {error.message}"[:300]))
        if crossings(opened, assembly):
            session.assembled(active.attempt, assembly)
            return _ended(session, active, close_at_border(opened, assembly))
        candidate = run_candidate(session, active.attempt, graph, codes, assembly)
        closed = close_transaction(opened, candidate.state)
        session.journal.emit(RepairEnded(transaction=closed.transaction))
        return _outcome(active, closed, candidate if closed.transaction.decision == "accepted" else active)


def _ended(session: Session, active: Candidate, closed: Closed) -> RepairOutcome:
    session.journal.emit(RepairEnded(transaction=closed.transaction))
    return _outcome(active, closed, active)


def _outcome(before: Candidate, closed: Closed, active: Candidate) -> RepairOutcome:
    return RepairOutcome(active, round_passed(closed.transaction, before.rank), ended_by(closed.transaction))
