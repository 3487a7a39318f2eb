"""What ran in every check: the owners whose units were called, as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditcoder.core.effect_keys import callable_units
from auditcoder.core.protocols import Executor
from auditcoder.core.runs import Run, run_of
from auditcoder.core.versions import Active
from auditcoder.core.wanted import wanted_evidence
from auditcoder.eval.containment.screening import LIMITS
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.task import Check, EntryPoint


def recorded_runs(
    active: Active, entry: EntryPoint, checks: Sequence[Check], report: ExecutionReport, executor: Executor
) -> Iterator[Run]:
    """Yield the runs of all checks that passed or failed within their limits: the others are measured, not recorded.

    Raises:
        SandboxError: the isolation failed.
    """
    units = callable_units(active.assembly)
    results = {result.check: result for result in report.results}
    for check in checks:
        outcome = results[check.id].outcome
        if wanted_evidence(outcome) == "calls":
            recording = executor.record(active.assembly.program, entry, check, LIMITS, units)
            yield run_of(recording, outcome, active.assembly)
