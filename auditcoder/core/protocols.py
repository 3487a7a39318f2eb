"""Ports of the core: what the layers above pass in. Contracts first; the classes live elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from auditcoder.records.events import Effect, Event
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Measurement, Recording
from auditcoder.records.task import Check, EntryPoint, Limits
from auditcoder.records.trace import Trace, TracePlan

E = TypeVar("E", bound=Effect)


class Executor(Protocol):
    """Runs programs on checks in isolation. A program that fails is a result; only a broken sandbox raises."""

    def run(self, program: str, entry: EntryPoint, checks: Sequence[Check], limits: Limits) -> ExecutionReport:
        """Return the verdicts in the order of `checks`.

        Raises:
            SandboxError: the isolation failed, twice.
        """
        ...

    def confirm(
        self,
        program: str,
        entry: EntryPoint,
        checks: Sequence[Check],
        limits: Limits,
        batch: ExecutionReport | None = None,
    ) -> ExecutionReport:
        """Return the verdicts of a run with a process for each check, in reversed order.

        Its `state_dependent` says whether a result differs from the batch run's.

        Raises:
            SandboxError: the isolation failed, twice.
        """
        ...

    def record(self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str]) -> Recording:
        """Return the calls of the named functions and methods in an advisory run on one check."""
        ...

    def measure(
        self, program: str, entry: EntryPoint, check: Check, limits: Limits, units: Sequence[str]
    ) -> Measurement:
        """Return CPU self time and memory peak of the named functions in an advisory run on one check."""
        ...

    def trace(
        self,
        program: str,
        entry: EntryPoint,
        check: Check,
        limits: Limits,
        plan: TracePlan,
        before: CheckResult | None = None,
    ) -> Trace:
        """Return the values of an advisory traced run that ends as the run `before`; without a usable trace, why."""
        ...

    def isolation(self) -> IsolationReport:
        """Return what isolation the runs get."""
        ...


class Journal(Protocol):
    """The ledger as the pipeline sees it. On resume it replays what is recorded and then goes on."""

    def emit(self, event: Event) -> None:
        """Append a decision; while replaying, compare it with the recorded one.

        Raises:
            LedgerDivergedError: the recorded run did something else here.
        """
        ...

    def effect(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        """Return the recorded effect with this key when it is next in the ledger, else perform and append it.

        Raises:
            LedgerDivergedError: the recorded run did something else here.
        """
        ...


class PredicateEvaluator(Protocol):
    """Evaluates side-effect-free expressions under a metered budget, without clock: same inputs, same answer."""

    def holds(self, expression: str, values: Mapping[str, Any]) -> bool:
        """Return the truth of an expression over plain Python values.

        Raises:
            PredicateError: refused, out of budget, or failed to evaluate.
        """
        ...
