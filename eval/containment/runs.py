"""What ran in every check: the owners whose units were called, as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditcoder.core.anchor import FAILURES
from auditcoder.core.protocols import Executor
from auditcoder.core.versions import Active
from auditcoder.eval.containment.screening import LIMITS
from auditcoder.records.code import Assembly
from auditcoder.records.execution import ExecutionReport, Recording
from auditcoder.records.localization import FailureType
from auditcoder.records.task import Check, EntryPoint


class Run(NamedTuple):
    """One check or example: how it ended and who took part."""

    check: str
    failure: FailureType | None
    """None when it passed."""
    recording: Recording
    owners: frozenset[str]
    """Owners of the called units; the calls of one unit beyond the cap change nothing here."""


def recorded_runs(
    active: Active, entry: EntryPoint, checks: Sequence[Check], report: ExecutionReport, executor: Executor
) -> Iterator[Run]:
    """Yield the runs of all checks that passed or failed within their limits: the others are measured, not recorded.

    Raises:
        SandboxError: the isolation failed.
    """
    units = [unit.name for unit in active.assembly.units if unit.kind in ("function", "method")]
    results = {result.check: result for result in report.results}
    for check in checks:
        result = results[check.id]
        failure = FAILURES.get(result.outcome)
        if result.outcome == "harness-error" or failure in ("TLE", "MLE"):
            continue
        recording = executor.record(active.assembly.program, entry, check, LIMITS, units)
        yield Run(check.id, failure, recording, called_owners(recording, active.assembly))


def called_owners(recording: Recording, assembly: Assembly) -> frozenset[str]:
    """Return the owners of the units that a recording has calls of."""
    owners = {unit.name: unit.owner for unit in assembly.units}
    return frozenset(owners[call.unit] for call in recording.calls if call.unit in owners)
