"""Which evidence is collected on a failing check before it is localized (core.md section 3)."""

from __future__ import annotations

from typing import Literal

from auditcoder.core.costs import Metric
from auditcoder.records.execution import Outcome

COSTLY: tuple[Outcome, ...] = ("timeout", "memory")
"""Outcomes that break a node's budget, not its postconditions (core.md section 4, admissible kinds)."""
NEVER_RAN: tuple[Outcome, ...] = ("policy-reject", "harness-error")
"""Outcomes without a run of the program: what was turned away is not executed for evidence either."""


def wanted_evidence(outcome: Outcome) -> Literal["calls", "costs", "nothing"]:
    """Return what is recorded in a second run on the anchor: its calls, or where its time and memory went."""
    if outcome in NEVER_RAN:
        return "nothing"
    return "costs" if outcome in COSTLY else "calls"


def measured_metric(outcome: Outcome) -> Metric:
    """Return what a measurement of a costly outcome shares out."""
    return "cpu" if outcome == "timeout" else "memory"
