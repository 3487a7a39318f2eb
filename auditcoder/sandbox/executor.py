"""The executor: runs programs on checks in isolation and judges from outside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from auditcoder.core.confirmation import depends_on_state
from auditcoder.errors import HarnessError, IsolationTooWeakError
from auditcoder.records.base import sha256_text
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Measurement, Recording
from auditcoder.records.task import (
    Check,
    EntryPoint,
    FilesInput,
    Limits,
    ProgramInput,
    UnittestInput,
)
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.sandbox import advisory, settings, tracing, verdict
from auditcoder.sandbox.child_run import ChildRun, WorkerLostError, run_child
from auditcoder.sandbox.probe import Probed, probe_rung
from auditcoder.sandbox.records import RecordStream
from auditcoder.sandbox.requests import BATCHED, Job
from auditcoder.sandbox.worker_process import WorkerProcess

T = TypeVar("T")
DEFAULT_LEVEL = 2
_TRIVIAL = Check.model_validate({"id": "health", "input": {"kind": "program", "stdin": ""}, "expected": {}})


class SandboxExecutor:
    """Implements `core.protocols.Executor` on one warm worker.

    The supervisor (this object) owns expected values, deadlines, caps, comparison and verdicts; the worker and its
    children get code and inputs only. Checks run one at a time; calls from several threads wait for each other.

    Args:
        minimum_level: the level of isolation that must be given (docs/guide/sandbox.md).
        allow_weak: needed for a minimum below 2.
        preload: modules that the worker imports once for all programs, besides the usual ones.
        probed: a rung that was chosen before; by default the best one that this machine gives.

    Raises:
        IsolationTooWeakError: the machine gives less than `minimum_level`.
    """

    def __init__(
        self,
        *,
        minimum_level: int = DEFAULT_LEVEL,
        allow_weak: bool = False,
        preload: Sequence[str] = (),
        probed: Probed | None = None,
    ) -> None:
        chosen = probed if probed is not None else probe_rung()
        wanted = minimum_level if allow_weak else max(minimum_level, DEFAULT_LEVEL)
        if chosen.report.level < wanted:
            raise IsolationTooWeakError(
                f"this machine gives isolation level {chosen.report.level} ({chosen.report.rung}), {wanted} is needed",
                hint="; ".join(chosen.report.missing) + ". Lower levels must be allowed explicitly (allow_weak).",
                level=chosen.report.level,
                wanted=wanted,
                missing=chosen.report.missing,
            )
        self._probed = chosen
        self._preload = (*settings.PRELOAD, *preload)
        self._worker: WorkerProcess | None = None
        self._lock = threading.RLock()

    def isolation(self) -> IsolationReport:
        """Return what isolation the runs get, as observed."""
        return self._probed.report

    def run(self, program: str, entry: EntryPoint, checks: Sequence[Check], limits: Limits) -> ExecutionReport:
        """Return the verdicts in the order of `checks`.

        Raises:
            HarnessError: the isolation failed twice, also on a trivial program.
        """
        job = Job(program, entry, limits)
        with self._lock:
            results: dict[int, CheckResult] = {}
            batch = [index for index, check in enumerate(checks) if isinstance(check.input, BATCHED)]
            for index, check in enumerate(checks):
                if not isinstance(check.input, BATCHED):
                    results[index] = self._one(job, [check])[0]
            while batch:
                settled = self._one(job, [checks[index] for index in batch])
                results |= dict(zip(batch, settled, strict=False))
                batch = batch[len(settled) :]
        return self._report(program, [results[index] for index in range(len(checks))])

    def confirm(
        self,
        program: str,
        entry: EntryPoint,
        checks: Sequence[Check],
        limits: Limits,
        batch: ExecutionReport | None = None,
    ) -> ExecutionReport:
        """Return the verdicts of one child per check, run in reversed order.

        `state_dependent` is set when an outcome or an observed value differs from those of the batch run, which is
        made here unless it is given.
        """
        first = batch if batch is not None else self.run(program, entry, checks, limits)
        job = Job(program, entry, limits)
        with self._lock:
            alone = [self._one(job, [check])[0] for check in reversed(checks)][::-1]
        differs = depends_on_state(alone, first.results)
        return self._report(program, alone).model_copy(update={"state_dependent": differs})

    def record(self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str]) -> Recording:
        """Return the calls of the named functions and methods in an advisory run on one check."""
        return advisory.recording(check, self._watch(program, entry, check, limits, units, "calls"))

    def measure(
        self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str]
    ) -> Measurement:
        """Return CPU self time and memory peak of the named functions in two advisory runs on one check."""
        cpu = self._watch(program, entry, check, limits, units, "cpu")
        memory = self._watch(program, entry, check, limits, units, "memory")
        return advisory.measurement(check, units, cpu, memory)

    def trace(
        self,
        program: str,
        entry: EntryPoint,
        check: Check,
        limits: Limits,
        plan: TracePlan,
        before: CheckResult | None = None,
    ) -> Trace:
        """Return the values of an advisory traced run on one check; without a usable trace, why.

        The run must end as one without a tracer did: `before`, or else one that is made first.

        Raises:
            HarnessError: the isolation failed twice.
        """
        plain = before if before is not None else self.run(program, entry, [check], limits).results[0]
        unfit = tracing.unfit(check, plain)
        if unfit is not None:
            return unfit
        job = Job(program, entry, tracing.raised(limits))
        watched = self._watched(job, check, tracing.request(plan))
        seen = self._verdicts(job, [check], *watched)[0]
        return tracing.trace_of(check, plan, job.lines, watched, plain, seen)

    def worker_pid(self) -> int:
        """Return the process id of the worker, started if need be: who measures costs needs it."""
        with self._lock:
            return self._ready().pid

    def close(self) -> None:
        """End the worker; a later run starts a new one."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None

    def __enter__(self) -> SandboxExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _report(self, program: str, results: list[CheckResult]) -> ExecutionReport:
        return ExecutionReport(
            program=sha256_text(program), results=tuple(results), isolation=self._probed.report.content_hash()
        )

    def _one(self, job: Job, checks: list[Check]) -> list[CheckResult]:
        """Return the verdicts that one child settles; twice lost on the same request is a verdict of its own."""
        try:
            return self._twice(lambda: self._judge(job, checks))
        except WorkerLostError as error:
            self._assert_health(str(error))
            return [CheckResult(check=checks[0].id, outcome="harness-error", message=str(error)[:500])]

    def _judge(self, job: Job, checks: list[Check]) -> list[CheckResult]:
        return self._verdicts(job, checks, *self._child(job, checks, None))

    def _verdicts(self, job: Job, checks: list[Check], run: ChildRun, records: RecordStream) -> list[CheckResult]:
        if isinstance(checks[0].input, ProgramInput | FilesInput):
            return [verdict.of_program(checks[0], run, records, job.limits)]
        if isinstance(checks[0].input, UnittestInput):
            return [verdict.of_tests(checks[0], run, records, job.limits)]
        return verdict.of_batch(checks, run, records, job.limits)

    def _watch(
        self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str], tool: advisory.Tool
    ) -> advisory.Watched:
        job = Job(program, entry, advisory.raised(limits, tool))
        return self._watched(job, check, {"tool": tool, "units": list(units)})

    def _watched(self, job: Job, check: Check, watch: dict[str, Any]) -> advisory.Watched:
        with self._lock:
            try:
                return advisory.Watched(*self._twice(lambda: self._child(job, [check], watch)))
            except WorkerLostError as error:
                raise HarnessError(f"the advisory run failed twice: {error}") from error

    def _child(self, job: Job, checks: list[Check], watch: dict[str, Any] | None) -> tuple[ChildRun, RecordStream]:
        order, records = job.order(checks, watch)
        try:
            run = run_child(self._ready(), order, records)
        except BaseException:
            self.close()  # also when interrupted: its answer to this request would be taken for that to the next
            raise
        if run.overdue:
            self.close()
        return run, records

    def _ready(self) -> WorkerProcess:
        if self._worker is None:
            self._worker = WorkerProcess(self._probed.rung, self._preload)
        return self._worker

    def _twice(self, attempt: Callable[[], T]) -> T:
        """Return what the attempt returns; a lost worker is replaced once."""
        try:
            return attempt()
        except WorkerLostError:
            self.close()
        try:
            return attempt()
        except WorkerLostError:
            self.close()
            raise

    def _assert_health(self, reason: str) -> None:
        job = Job("", EntryPoint(kind="program"), Limits())
        try:
            self._child(job, [_TRIVIAL], None)
        except WorkerLostError as error:
            self.close()
            raise HarnessError(f"the sandbox does not work any more: {reason}", hint=str(error)) from error
