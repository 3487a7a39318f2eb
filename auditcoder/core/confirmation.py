"""When a program is run a second time, a process for each check, and what that run shows (core.md section 3)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.rank import rank_of
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.task import Check, EntryPoint

BATCHED = ("function", "class")
"""Entry kinds whose checks share a process in a batch: state kept between calls could make a pass there."""


def needs_confirmation(entry: EntryPoint, checks: Sequence[Check], batch: ExecutionReport) -> bool:
    """Return whether a batch run must be confirmed: several checks shared a process and every one of them passes."""
    return len(checks) > 1 and entry.kind in BATCHED and rank_of(batch, checks).full_pass


def depends_on_state(alone: Sequence[CheckResult], batch: Sequence[CheckResult]) -> bool:
    """Return whether an outcome or an observed value differs between the two runs of the same checks."""
    return any(_seen(one) != _seen(other) for one, other in zip(alone, batch, strict=True))


def _seen(result: CheckResult) -> tuple[object, ...]:
    return (result.outcome, result.has_observed, result.observed)
