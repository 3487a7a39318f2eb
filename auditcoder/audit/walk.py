"""The walk along a ledger: the state before each event, and the evidence that decisions are recomputed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.showing import alike, first_difference, shown
from auditcoder.audit.verification import Difference
from auditcoder.core.bottom_up import BottomUp
from auditcoder.core.ending import budget_of
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.reverification import Reverification
from auditcoder.core.rounds import Rounds
from auditcoder.core.spending import Spending, spending_of
from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.transaction import OpenTransaction
from auditcoder.errors import AuditCoderError, RecordError
from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records.events import (
    CallsRecorded,
    ChecksFrozen,
    CodeWritten,
    CostsMeasured,
    Event,
    FeedbackChosen,
    FindingSource,
    ModelCalled,
    PlanReviewed,
    RepairStarted,
    RunResumed,
    RunStarted,
    ScopeDeclared,
    TraceRecorded,
)
from auditcoder.records.execution import ExecutionReport, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.task import Check

UNCOMPUTABLE = (AuditCoderError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What recomputing from forged evidence may raise; it becomes a difference, never a crash."""


@dataclass
class Due:
    """Findings that evidence gives and that must be recorded before the next decision."""

    event: int
    findings: tuple[Finding, ...]
    unevaluated: tuple[str, ...] = ()


@dataclass
class Repair:
    """The open repair, as far as the events went."""

    started: RepairStarted
    findings: int
    """How many findings there were when it began."""
    opened: OpenTransaction | None = None
    """None when the recorded evidence does not give a state to open it on."""
    declared: ScopeDeclared | None = None
    written: bool = False
    candidate: int | None = None


@dataclass
class Walk:
    """An audit under way. Rules read it, compare through `same`, and leave what later rules need in it.

    Invariants: `state` is the fold of exactly the events before `event`; nothing here was read from a later event.
    """

    evaluator: PredicateEvaluator
    state: FoldState = field(default_factory=FoldState)
    event: int = 0
    previous: Event | None = None
    differences: list[Difference] = field(default_factory=list)
    comparisons: Counter[AuditCheck] = field(default_factory=Counter)
    runs: dict[int, ExecutionReport] = field(default_factory=dict)
    """By candidate: its first run on Q."""
    recordings: dict[str, Recording] = field(default_factory=dict)
    """By check: calls of the active program since the last decision."""
    measurements: dict[str, Measurement] = field(default_factory=dict)
    """By check: costs of the active program since the last decision."""
    due: dict[FindingSource, Due] = field(default_factory=dict)
    suspected: bool = False
    """Whether findings on suspects were added since the last decision."""
    repair: Repair | None = None
    passed: list[int] = field(default_factory=list)
    """Passed checks of the program before the first repair, then of each round."""
    ended: str = ""
    """Why no further repair may follow; empty when one may."""
    reverify: Reverification | None = None
    """What the accepted repair before this event obliges to make again; None when there is none open."""
    reverify_from: int = 0
    """How many findings there were when that repair was accepted."""
    checked_again: list[str] = field(default_factory=list)
    """Behind an accepted repair: nodes whose local checks ran, and an empty id for recorded calls."""
    used_ids: dict[int, set[str]] = field(default_factory=dict)
    """By attempt: ids of nodes and decisions that were ever given out."""
    reviews: dict[int, int] = field(default_factory=dict)
    """By attempt: the round of the last review."""
    last_review: PlanReviewed | None = None
    last_call: ModelCalled | None = None
    bottom_up: BottomUp | None = None
    """The open pass of a bottom-up repair, as far as the events went."""
    refreeze: bool = False
    """Whether the round that has begun may still freeze checks of its own: not behind its first code."""
    traces: list[TraceRecorded] = field(default_factory=list)
    """Traces that were made for the feedback of the last repair or round that began."""
    chosen: FeedbackChosen | None = None
    """The feedback of that repair or round; None while it is not chosen."""

    @property
    def started(self) -> RunStarted:
        """Return the first event.

        Raises:
            RecordError: the run has no start.
        """
        if self.state.started is None:
            raise RecordError("the run has no start")
        return self.state.started

    @cached_property
    def isolation(self) -> str:
        """Return the id of the isolation that every run of programs got."""
        return self.started.isolation.content_hash()

    @property
    def grown(self) -> bool:
        """Return whether the ledger is of format 1.1 or later: what 1.0 did not record is not demanded of it."""
        return self.state.started is not None and self.state.started.format != "1.0"

    @property
    def since_methods(self) -> bool:
        """Return whether the ledger is of format 1.2 or later."""
        return self.grown and self.started.format != "1.1"

    @property
    def rival(self) -> bool:
        """Return whether a rival method makes the program: it has rounds and a rule of its own, no transactions."""
        return self.state.started is not None and self.state.started.config.method != "auditcoder"

    @property
    def whole(self) -> bool:
        """Return whether AuditCoder repairs the whole program: in rounds, without transactions."""
        return self.state.started is not None and not self.rival and self.started.config.repair == "whole"

    @cached_property
    def rounds(self) -> Rounds:
        """Return the rounds outside of transactions so far."""
        return Rounds(budget_of(self.started.config))

    @cached_property
    def spending(self) -> Spending:
        """Return what the run has spent on requests so far."""
        return spending_of(self.started.config)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Return the frozen Q; empty before it was frozen."""
        return self.state.frozen.checks if self.state.frozen else ()

    def candidate(self, number: int) -> Candidate:
        """Return a candidate.

        Raises:
            RecordError: there is none with this number.
        """
        if number not in self.state.candidates:
            raise RecordError(f"there is no candidate {number}")
        return self.state.candidates[number]

    def state_of(self, candidate: Candidate | None) -> RunState:
        """Return the state of a candidate that was run, as the core sees it, with all findings so far.

        Raises:
            RecordError: it was not run, or has no plan.
        """
        if candidate is None or candidate.graph is None or candidate.report is None or self.state.frozen is None:
            raise RecordError("there is no program that was run on the frozen checks")
        return RunState(
            graph=candidate.graph,
            codes=in_node_order(candidate.codes),
            assembly=candidate.assembly,
            report=candidate.report,
            findings=tuple(self.state.findings),
            checks_hash=self.state.frozen.hash,
        )

    def same(self, check: AuditCheck, what: str, recorded: Any, recomputed: Any) -> bool:
        """Compare a recorded fact with the recomputed one; return whether they are the same."""
        self.comparisons[check] += 1
        if alike(recorded, recomputed):
            return True
        found = first_difference(recorded, recomputed)
        if found is None:
            return True
        where = f"{what}, {found.path}" if found.path else what
        more = f" (and {found.more} more)" if found.more else ""
        self._add(check, f"{where}{more}", found.recorded, found.recomputed)
        return False

    def holds(self, check: AuditCheck, truth: bool, what: str, *, recorded: object = "", wanted: object = "") -> bool:
        """Count a rule; add a difference when it does not hold."""
        self.comparisons[check] += 1
        if not truth:
            self._add(check, what, shown(recorded), shown(wanted))
        return truth

    def differ(self, check: AuditCheck, what: str, recorded: object, recomputed: object) -> None:
        """Add a difference that was found in another way."""
        self.comparisons[check] += 1
        self._add(check, what, shown(recorded), shown(recomputed))

    def _add(self, check: AuditCheck, what: str, recorded: str, recomputed: str) -> None:
        self.differences.append(Difference(self.event, check, what, recorded, recomputed))

    def attempt(self, check: AuditCheck, what: str, act: Callable[[], None]) -> None:
        """Act; evidence that nothing can be recomputed from is a difference of this check."""
        try:
            act()
        except UNCOMPUTABLE as error:
            message = error.message if isinstance(error, AuditCoderError) else f"{type(error).__name__}: {error}"
            self.differ(check, f"{what} cannot be recomputed", "", message)

    def advance(self, event: Event) -> None:
        """Take the state one event further."""
        if isinstance(event, RunResumed) and isinstance(self.previous, ModelCalled):
            self.spending.take_back(self.previous)
        self.state.apply(event)
        self.previous = event
        self.event += 1
        match event:
            case ModelCalled():
                self.last_call = event
                if self.state.started is not None:
                    self.spending.add(event)
            case ChecksFrozen() | CodeWritten():
                self.refreeze = False
            case CallsRecorded() if event.candidate == self.state.active:
                self.recordings[event.recording.check] = event.recording
            case CostsMeasured() if event.candidate == self.state.active:
                self.measurements[event.measurement.check] = event.measurement

    def forget_evidence(self) -> None:
        """Begin a new investigation: calls and costs that were recorded before a decision speak of it no more."""
        self.recordings, self.measurements, self.suspected = {}, {}, False
