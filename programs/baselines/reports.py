"""The one rendering of failing checks that every method shows to its model (methods, shared vocabulary)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.programs.render import failure_text
from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, Task

MOST_FAILURES = 3
"""Failing checks that a report shows; the rest are counted."""


def failing_report(task: Task, failing: Sequence[tuple[Check, CheckResult]], most: int = MOST_FAILURES) -> str:
    """Return failing checks with input, expected, observed, error kind and trimmed frames; data, no instruction."""
    blocks = [f"Failing check {check.id}\n{failure_text(task, check, result)}" for check, result in failing[:most]]
    more = len(failing) - most
    return "\n\n".join([*blocks, *([f"and {more} more failing checks"] if more > 0 else [])])
