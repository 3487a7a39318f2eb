"""Executed evidence on nodes: contract monitors, suspects and local checks, made and added to the record."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auditcoder.core.local_checks import findings_from_local_checks
from auditcoder.core.monitors import monitor
from auditcoder.core.wanted import wanted_recordings, wanted_suspects
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.execution import Recording
from auditcoder.records.finding import Finding


def add_monitored(
    session: Session, candidate: Candidate, recording: Recording, nodes: Collection[str] | None = None
) -> tuple[Finding, ...]:
    """Return the findings of the contract monitors on a recording, added to the record.

    Args:
        session: The run.
        candidate: The program whose calls were recorded.
        recording: Its calls on one check.
        nodes: Only these owners are looked at; None for all.
    """
    start = len(session.findings)
    found = monitor(recording, candidate.state.active, session.evaluator, start=start, nodes=nodes)
    session.add_findings(found.findings, source="monitors", unevaluated=found.unevaluated)
    return found.findings


def add_suspected(session: Session, candidate: Candidate, anchor: Recording) -> tuple[Finding, ...]:
    """Return the findings on suspects, added to the record; the other checks that they need are recorded for it.

    Raises:
        SandboxError: the isolation failed.
    """
    state, scope, recordings = candidate.state, session.config.evidence, {anchor.check: anchor}
    named = {check.id: check for check in session.checks}
    for check in wanted_recordings(state, session.checks, scope):
        if check not in recordings:
            recordings[check] = session.record_calls(candidate, named[check])
    found = wanted_suspects(session.task, state, session.checks, scope, recordings, session.findings)
    session.add_findings(found, source="suspects")
    return found


def add_locally_checked(session: Session, candidate: Candidate, nodes: Sequence[str]) -> tuple[Finding, ...]:
    """Return the findings of the local checks of these nodes, run now and added to the record node by node.

    Raises:
        SandboxError: the isolation failed.
    """
    added: list[Finding] = []
    for node in nodes:
        report = session.run_local_checks(candidate, node)
        if report is not None:
            start = len(session.findings)
            found = findings_from_local_checks(candidate.state.active, node, report, start=start)
            session.add_findings(found, source="local-checks")
            added.extend(found)
    return tuple(added)
