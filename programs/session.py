"""What one run carries along: the parts that were passed in, and what has been counted so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditcoder.core.protocols import Executor, Journal, PredicateEvaluator
from auditcoder.core.state import RunState
from auditcoder.records.base import sha256_json
from auditcoder.records.code import Assembly
from auditcoder.records.config import RunConfig
from auditcoder.records.events import CallsRecorded, ChecksRun, CostsMeasured, FindingsAdded, ProgramAssembled
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.task import Check, Task, checks_hash
from auditcoder.records.transaction import Rank
from auditcoder.sandbox.gate import GateFinding, gate


@dataclass(frozen=True)
class Candidate:
    """An assembled program that was run on Q, and the state that a rollback to it restores."""

    number: int
    attempt: int
    state: RunState
    rank: Rank


@dataclass
class Session:
    """One run. Only counters and the list of findings change; everything else is a value."""

    task: Task
    config: RunConfig
    journal: Journal
    executor: Executor
    evaluator: PredicateEvaluator
    weak: bool
    checks: tuple[Check, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    candidates: int = 0

    def next_candidate(self) -> int:
        """Return the number of the next candidate."""
        self.candidates += 1
        return self.candidates - 1

    def add_findings(self, findings: Sequence[Finding]) -> None:
        """Append findings to the record; nothing is overwritten."""
        if findings:
            self.findings.extend(findings)
            self.journal.emit(FindingsAdded(findings=tuple(findings)))

    def assembled(self, attempt: int, assembly: Assembly) -> int:
        """Return the number of a new candidate, recorded with what the static gate found in it."""
        number = self.next_candidate()
        found = tuple(f"line {one.line}: {one.rule}: {one.message}" for one in self._gate_findings(assembly))
        event = ProgramAssembled(candidate=number, attempt=attempt, assembly=assembly, gate=found)
        self.journal.emit(event)
        return number

    def run_checks(self, number: int, assembly: Assembly) -> ExecutionReport:
        """Return the verdicts of a candidate on Q; paid once, also over a resume.

        Under the strict gate a program with findings is turned away before it runs.

        Raises:
            SandboxError: the isolation failed.
        """
        findings = self._gate_findings(assembly) if self.config.gate == "strict" else ()
        key = self._key("run", assembly, checks_hash(self.checks))
        event = self.journal.effect(
            ChecksRun,
            key,
            lambda: ChecksRun(
                key=key,
                candidate=number,
                report=self._rejected(assembly, findings)
                if findings
                else self.executor.run(assembly.program, self.task.entry, self.checks, self.task.limits),
            ),
        )
        return event.report

    def confirm(self, number: int, assembly: Assembly, batch: ExecutionReport) -> ExecutionReport:
        """Return the verdicts with a process for each check, in another order; what depends on either shows.

        Raises:
            SandboxError: the isolation failed.
        """
        key = self._key("confirm", assembly, checks_hash(self.checks))
        task = self.task
        event = self.journal.effect(
            ChecksRun,
            key,
            lambda: ChecksRun(
                key=key,
                candidate=number,
                report=self.executor.confirm(assembly.program, task.entry, self.checks, task.limits, batch),
            ),
        )
        return event.report

    def record_calls(self, candidate: Candidate, check: Check) -> Recording:
        """Return the calls of owned units in one run on a check.

        Raises:
            SandboxError: the isolation failed.
        """
        assembly = candidate.state.assembly
        key, units = self._key("record", assembly, check.id), _callable_units(assembly)
        event = self.journal.effect(
            CallsRecorded,
            key,
            lambda: CallsRecorded(
                key=key,
                candidate=candidate.number,
                recording=self.executor.record(assembly.program, self.task.entry, check, self.task.limits, units),
            ),
        )
        return event.recording

    def measure(self, candidate: Candidate, check: Check) -> Measurement:
        """Return the advisory cost of owned units in one run on a check.

        Raises:
            SandboxError: the isolation failed.
        """
        assembly = candidate.state.assembly
        key, units = self._key("measure", assembly, check.id), _callable_units(assembly)
        event = self.journal.effect(
            CostsMeasured,
            key,
            lambda: CostsMeasured(
                key=key,
                candidate=candidate.number,
                measurement=self.executor.measure(assembly.program, self.task.entry, check, self.task.limits, units),
            ),
        )
        return event.measurement

    def _gate_findings(self, assembly: Assembly) -> tuple[GateFinding, ...]:
        if self.config.gate == "off":
            return ()
        return gate(assembly.program).findings

    def _rejected(self, assembly: Assembly, findings: tuple[GateFinding, ...]) -> ExecutionReport:
        first = findings[0]
        frames = (Frame(line=first.line, function="<module>"),)
        results = tuple(
            CheckResult(
                check=check.id, outcome="policy-reject", detail=first.rule, message=first.message, frames=frames
            )
            for check in self.checks
        )
        return ExecutionReport(program=assembly.digest, results=results)

    def _key(self, what: str, assembly: Assembly, extra: str) -> str:
        return sha256_json([what, assembly.digest, extra, self.task.limits.model_dump(mode="json")])


def _callable_units(assembly: Assembly) -> tuple[str, ...]:
    return tuple(unit.name for unit in assembly.units if unit.kind in ("function", "method"))
