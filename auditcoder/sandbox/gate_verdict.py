"""What the static gate says about an assembled program: labels for the record, or a verdict instead of a run."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.records.code import Assembly
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame
from auditcoder.records.task import Check
from auditcoder.sandbox.gate import GateFinding, GateMode, gate


def gate_findings(assembly: Assembly, mode: GateMode) -> tuple[GateFinding, ...]:
    """Return what the gate finds in a program; nothing when it is off."""
    return () if mode == "off" else gate(assembly.program).findings


def gate_labels(findings: Sequence[GateFinding]) -> tuple[str, ...]:
    """Return the findings as the record holds them: `line N: rule: message`."""
    return tuple(f"line {one.line}: {one.rule}: {one.message}" for one in findings)


def rejection(assembly: Assembly, checks: Sequence[Check], findings: Sequence[GateFinding]) -> ExecutionReport:
    """Return the verdicts on a program that the strict gate turns away unrun: its first finding, on each check.

    Raises:
        IndexError: there is no finding.
    """
    first = findings[0]
    frames = (Frame(line=first.line, function="<module>"),)
    results = tuple(
        CheckResult(check=check.id, outcome="policy-reject", detail=first.rule, message=first.message, frames=frames)
        for check in checks
    )
    return ExecutionReport(program=assembly.digest, results=results)
