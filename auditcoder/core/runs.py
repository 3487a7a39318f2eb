"""One recorded check: how it ended, and which owners took part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from auditcoder.core.anchor import FAILURES
from auditcoder.core.units import ENTRY
from auditcoder.records.code import Assembly
from auditcoder.records.execution import Outcome, Recording
from auditcoder.records.localization import FailureType


class Run(NamedTuple):
    """One check: how it ended and who took part."""

    check: str
    failure: FailureType | None
    """None when it passed."""
    recording: Recording
    owners: frozenset[str]
    """Owners of the called units; the calls of one unit beyond the cap change nothing here."""


def run_of(recording: Recording, outcome: Outcome, assembly: Assembly) -> Run:
    """Return a run of a program, from its recording and the verdict on the check."""
    return Run(recording.check, FAILURES.get(outcome), recording, called_owners(recording, assembly))


def runs_of(recordings: Iterable[Recording], outcomes: Mapping[str, Outcome], assembly: Assembly) -> tuple[Run, ...]:
    """Return the runs of a program in the order of their recordings; a check without a verdict is left out."""
    known = (recording for recording in recordings if recording.check in outcomes)
    return tuple(run_of(recording, outcomes[recording.check], assembly) for recording in known)


def called_owners(recording: Recording, assembly: Assembly) -> frozenset[str]:
    """Return the owners of the units that a recording has calls of, and of the entry block, which every run executes.

    No call of the entry block is ever recorded: it is no function.
    """
    owners = {unit.name: unit.owner for unit in assembly.units}
    always = {owners[ENTRY]} if ENTRY in owners else set[str]()
    return frozenset({owners[call.unit] for call in recording.calls if call.unit in owners} | always)
