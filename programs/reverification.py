"""Re-verification after an accepted repair (core.md section 6): a new rejection is a finding, never silent."""

from __future__ import annotations

from auditcoder.core.reverification import reverification
from auditcoder.programs.executed import add_locally_checked, add_monitored
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.events import NodesReverified
from auditcoder.records.finding import Finding
from auditcoder.records.transaction import Transaction


def reverify(session: Session, before: Candidate, after: Candidate, transaction: Transaction) -> None:
    """Make the executed evidence on frozen nodes with a changed provider again, and record what it says.

    Calls are recorded on the transaction's anchor, and only when one of the nodes has an executable predicate.

    Args:
        session: The run.
        before: The program before the repair.
        after: The accepted one.
        transaction: The accepted repair, with its final scope.

    Raises:
        SandboxError: the isolation failed.
    """
    due = reverification(before.state.active, after.state.active, transaction.scope)
    findings: list[Finding] = []
    if due.monitored:
        anchor = next(check for check in session.checks if check.id == transaction.localization.anchor)
        findings.extend(add_monitored(session, after, session.record_calls(after, anchor), due.monitored))
    findings.extend(add_locally_checked(session, after, due.checked))
    session.journal.emit(
        NodesReverified(
            index=transaction.index,
            nodes=due.nodes,
            findings=tuple(finding.id for finding in findings),
            rejected=tuple(finding.id for finding in findings if finding.verdict == "reject"),
        )
    )
