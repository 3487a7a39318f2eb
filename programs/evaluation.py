"""A candidate from codes: assembled, run on Q, its executed findings recorded, ranked."""

from __future__ import annotations

from collections.abc import Mapping

from auditcoder.core.assembly import assemble
from auditcoder.core.confirmation import needs_confirmation
from auditcoder.core.evidence import findings_from_checks
from auditcoder.core.rank import rank_of
from auditcoder.core.state import RunState, in_node_order
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.graph import TaskGraph
from auditcoder.records.task import checks_hash


def evaluate(session: Session, attempt: int, graph: TaskGraph, codes: Mapping[str, NodeCode]) -> Candidate:
    """Return the candidate that the codes make.

    Raises:
        AssemblyError: the units do not link.
        SandboxError: the isolation failed.
    """
    return run_candidate(session, attempt, graph, codes, assemble(graph, codes, session.task))


def run_candidate(
    session: Session, attempt: int, graph: TaskGraph, codes: Mapping[str, NodeCode], assembly: Assembly
) -> Candidate:
    """Return the candidate of an assembly: recorded, run on Q, ranked.

    Raises:
        SandboxError: the isolation failed.
    """
    number = session.assembled(attempt, assembly)
    report = session.run_checks(number, assembly)
    if needs_confirmation(session.task.entry, session.checks, report):
        report = session.confirm(number, assembly, report)
    state = RunState(
        graph=graph,
        codes=in_node_order(dict(codes)),
        assembly=assembly,
        report=report,
        findings=tuple(session.findings),
        checks_hash=checks_hash(session.checks),
    )
    session.add_findings(findings_from_checks(state, session.checks, start=len(session.findings)), source="checks")
    state = state.model_copy(update={"findings": tuple(session.findings)})
    return Candidate(number, attempt, state, rank_of(report, session.checks))
