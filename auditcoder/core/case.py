"""What localization reads, and one finding seen against one anchor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from auditcoder.core.anchor import Anchor
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.versions import Active
from auditcoder.core.witness import Applied, applicability
from auditcoder.records.execution import ExecutionReport, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Policy
from auditcoder.records.task import Check

Reaches = Callable[[TaskGraph, str, str], bool]
"""Whether a slot (node id, slot name) of the graph reaches the failing observable."""


@dataclass(frozen=True, kw_only=True)
class LocateInputs:
    """The recorded evidence that a localization is computed from, and nothing else."""

    active: Active
    report: ExecutionReport
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...] = ()
    recording: Recording | None = None
    """Calls of owned units on the anchor; None when none were recorded."""
    measurement: Measurement | None = None
    """Owner-scoped cost of the anchor; None when none was taken."""
    policy: Policy = "executed-first"


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One finding, to be judged against the anchor."""

    finding: Finding
    inputs: LocateInputs
    anchor: Anchor
    evaluator: PredicateEvaluator = field(repr=False)
    reaches: Reaches = field(repr=False)

    @cached_property
    def applied(self) -> Applied:
        """Return whether the anchor satisfies the witness condition."""
        check = self.anchor.check.id
        return applicability(self.finding, self.inputs.active, check, self.inputs.recording, self.evaluator)
