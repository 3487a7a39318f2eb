"""The failing check that a localization explains (core.md section 4, step 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome
from auditcoder.records.localization import FailureType
from auditcoder.records.task import Check

FAILURES: dict[Outcome, FailureType] = {
    "wrong-answer": "WA",
    "output-limit": "WA",  # what was written cannot be what was asked for
    "runtime-error": "RE",
    "policy-reject": "RE",  # refused before its first statement; the gate names the line as a frame where it can
    "timeout": "TLE",
    "memory": "MLE",
}
"""Failure type of every outcome that says something about the program. `harness-error` says nothing."""


class Anchor(NamedTuple):
    """The first check in the order of Q that did not pass."""

    check: Check
    result: CheckResult | None
    """None when the report has no verdict on it."""

    @property
    def failure(self) -> FailureType | None:
        """Return the failure type, or None when nothing is known of the program."""
        return FAILURES.get(self.result.outcome) if self.result else None


def find_anchor(report: ExecutionReport, checks: Sequence[Check]) -> Anchor | None:
    """Return the first check that did not pass, or None when all passed."""
    results = {result.check: result for result in report.results}
    for check in checks:
        result = results.get(check.id)
        if result is None or result.outcome != "pass":
            return Anchor(check, result)
    return None
