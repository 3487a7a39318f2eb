"""Whose call never ended: for a run that was stopped at its time limit."""

from __future__ import annotations

from auditcoder.core.evidence import finding_id
from auditcoder.core.versions import Active, versions_of
from auditcoder.records.execution import Recording
from auditcoder.records.finding import Finding, Obligation
from auditcoder.sandbox.advisory import UNFINISHED


def endless_finding(recording: Recording, active: Active, *, start: int) -> Finding | None:
    """Return an executed resource rejection of the owner of the innermost recorded call that never ended, or None.

    A recording keeps the first calls of a unit. What a stalled loop calls again and again has ended in all of those;
    the call that holds the loop has not, however little of the time is spent in its own code.
    """
    unfinished = [call for call in recording.calls if call.exception == UNFINISHED]
    owner = active.assembly.owner_of_unit(unfinished[-1].unit) if unfinished else None
    if owner is None:
        return None
    return Finding(
        id=finding_id(start),
        owners=(owner,),
        verdict="reject",
        obligation=Obligation(kind="resource"),
        evidence="exec",
        versions=(versions_of(active.graph, active.codes, owner),),
        check=recording.check,
        witness=unfinished[-1].unit,
        reason=f"a call of {unfinished[-1].unit} did not end within the time limit",
    )
