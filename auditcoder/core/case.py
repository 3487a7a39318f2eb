"""What localization reads, and one finding seen against one anchor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from auditcoder.core.index import Index
from auditcoder.core.versions import Active
from auditcoder.core.witness import Applied, applicability
from auditcoder.records.config import EvidenceScope
from auditcoder.records.execution import ExecutionReport, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.localization import Policy
from auditcoder.records.task import Check


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
    evidence: EvidenceScope = "anchor"
    """What was recorded. Under `all-checks` rule Trace may give way (core.cause): what runs did before it stays so."""


@dataclass(frozen=True, eq=False)
class Case:
    """One finding, to be judged against the anchor."""

    finding: Finding
    index: Index

    @cached_property
    def applied(self) -> Applied:
        """Return whether the anchor satisfies the witness condition."""
        index = self.index
        return applicability(self.finding, index.anchor.check.id, index.recording, index.verdict)
