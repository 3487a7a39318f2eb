"""What one run carries along: the parts that were passed in, and what has been counted so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditcoder.core.effect_keys import (
    callable_units,
    confirm_key,
    local_checks_key,
    measure_key,
    probe_key,
    record_key,
    run_key,
    trace_key,
)
from auditcoder.core.local_checks import excerpt, executable_checks, local_entry
from auditcoder.core.protocols import Executor, Journal, PredicateEvaluator
from auditcoder.core.replan import ids_of
from auditcoder.core.state import RunState
from auditcoder.records.code import Assembly
from auditcoder.records.config import RunConfig
from auditcoder.records.events import (
    CallsRecorded,
    ChecksRun,
    CostsMeasured,
    FindingsAdded,
    FindingSource,
    LocalChecksRun,
    PlanAccepted,
    ProgramAssembled,
    ProgramProbed,
    ScopeDeclared,
    TraceRecorded,
)
from auditcoder.records.execution import ExecutionReport, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.task import Check, EntryPoint, Task, checks_hash
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.records.transaction import Rank
from auditcoder.sandbox.gate_verdict import gate_findings, gate_labels, rejection


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
    given_ids: dict[int, frozenset[str]] = field(default_factory=dict)
    """By plan attempt: ids of nodes and decisions that were ever given out, those of rolled-back plans included."""

    def accept_plan(self, event: PlanAccepted) -> None:
        """Record the plan that code is written for; its ids are given out from now on."""
        self.journal.emit(event)
        self._give_out(event.attempt, event.graph)

    def declare_scope(self, attempt: int, event: ScopeDeclared) -> None:
        """Record the final scope of a repair; the ids of a revised plan are given out, whatever becomes of it."""
        self.journal.emit(event)
        if event.graph is not None:
            self._give_out(attempt, event.graph)

    def used_ids(self, attempt: int) -> frozenset[str]:
        """Return the ids that a repair in this plan attempt may not give out again."""
        return self.given_ids.get(attempt, frozenset())

    def _give_out(self, attempt: int, graph: TaskGraph) -> None:
        self.given_ids[attempt] = self.used_ids(attempt) | ids_of(graph)

    def next_candidate(self) -> int:
        """Return the number of the next candidate."""
        self.candidates += 1
        return self.candidates - 1

    def add_findings(
        self, findings: Sequence[Finding], *, source: FindingSource, unevaluated: Sequence[str] = ()
    ) -> None:
        """Append findings, and what could not be evaluated, to the record; nothing is overwritten."""
        if findings or unevaluated:
            self.findings.extend(findings)
            event = FindingsAdded(findings=tuple(findings), source=source, unevaluated=tuple(unevaluated))
            self.journal.emit(event)

    def assembled(self, attempt: int, assembly: Assembly) -> int:
        """Return the number of a new candidate, recorded with what the static gate found in it."""
        number = self.next_candidate()
        found = gate_findings(assembly, self.config.gate)
        event = ProgramAssembled(candidate=number, attempt=attempt, assembly=assembly, gate=gate_labels(found))
        self.journal.emit(event)
        return number

    def run_checks(self, number: int, assembly: Assembly) -> ExecutionReport:
        """Return the verdicts of a candidate on Q; paid once, also over a resume.

        Under the strict gate a program with findings is turned away before it runs.

        Raises:
            SandboxError: the isolation failed.
        """
        findings = gate_findings(assembly, "strict") if self.config.gate == "strict" else ()
        key = run_key(assembly, checks_hash(self.checks), self.task.limits)
        event = self.journal.effect(
            ChecksRun,
            key,
            lambda: ChecksRun(
                key=key,
                candidate=number,
                report=rejection(assembly, self.checks, findings)
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
        key = confirm_key(assembly, checks_hash(self.checks), self.task.limits)
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
        key, units = record_key(assembly, check.id, self.task.limits), callable_units(assembly)
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
        key, units = measure_key(assembly, check.id, self.task.limits), callable_units(assembly)
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

    def trace(self, candidate: Candidate, check: Check, plan: TracePlan) -> Trace:
        """Return the values of an advisory traced run that ends as the recorded run on a check; without any, why.

        Raises:
            SandboxError: the isolation failed.
        """
        assembly, report = candidate.state.assembly, candidate.state.report
        before = next((result for result in report.results if result.check == check.id), None)
        key = trace_key(assembly, check.id, self.task.limits, plan)
        event = self.journal.effect(
            TraceRecorded,
            key,
            lambda: TraceRecorded(
                key=key,
                candidate=candidate.number,
                plan=plan,
                trace=self.executor.trace(assembly.program, self.task.entry, check, self.task.limits, plan, before),
            ),
        )
        return event.trace

    def probe(self, what: str, program: str, entry: EntryPoint, checks: Sequence[Check]) -> ExecutionReport:
        """Return the verdicts of a program that is no candidate, on checks that are not Q.

        Raises:
            SandboxError: the isolation failed.
        """
        key = probe_key(program, entry, checks_hash(tuple(checks)), self.task.limits)
        event = self.journal.effect(
            ProgramProbed,
            key,
            lambda: ProgramProbed(
                key=key,
                what=what,
                program=program,
                entry=entry,
                checks=tuple(checks),
                report=self.executor.run(program, entry, checks, self.task.limits),
            ),
        )
        return event.report

    def run_local_checks(self, candidate: Candidate, node_id: str) -> ExecutionReport | None:
        """Return the verdicts of a node's local checks on an excerpt of a candidate; None when none can be run.

        Raises:
            SandboxError: the isolation failed.
        """
        state, limits = candidate.state, self.task.limits
        node = state.graph.node(node_id)
        entry, checks = local_entry(node, state.assembly), executable_checks(node, state.assembly)
        if entry is None or not checks:
            return None
        part = excerpt(state.assembly, state.graph, node_id)
        key = local_checks_key(part.digest, node_id, checks_hash(checks), limits)
        event = self.journal.effect(
            LocalChecksRun,
            key,
            lambda: LocalChecksRun(
                key=key,
                candidate=candidate.number,
                node=node_id,
                report=self.executor.run(part.program, entry, checks, limits),
            ),
        )
        return event.report
