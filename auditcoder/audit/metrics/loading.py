"""A run as the metrics read it: the folded states at the moments that count, and the repairs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditcoder.audit.outcomes import RunOutcome
from auditcoder.audit.verification import Verification
from auditcoder.core.state import RunState
from auditcoder.errors import RecordError
from auditcoder.ledger.fold import core_state
from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records.config import RunConfig
from auditcoder.records.events import (
    CandidateRanked,
    CodeWritten,
    Event,
    NodesReverified,
    RepairEnded,
    RepairStarted,
)
from auditcoder.records.finding import Finding
from auditcoder.records.localization import Scope
from auditcoder.records.task import Check, Task
from auditcoder.records.transaction import Transaction


@dataclass(frozen=True)
class Moment:
    """The active program of a run at one moment, and the findings so far."""

    program: Candidate
    findings: tuple[Finding, ...]


@dataclass
class LoadedRepair:
    """One transaction with the states on both sides of it."""

    transaction: Transaction
    selected: Scope
    """As selected, before any expansion was declared."""
    before: Candidate
    """The active program when it began."""
    after: Candidate
    """The active program when it had ended."""
    held: RunState | None
    """The state when it began."""
    restored: RunState | None
    """The state when it had ended, with the findings of its beginning: what a rollback must give back."""
    reverified: NodesReverified | None = None

    @property
    def localized(self) -> bool:
        """Return whether it received a scope; an abstention is in no metric of repairs (paper, appendix C)."""
        return self.transaction.decision != "abstained"


@dataclass(frozen=True)
class LoadedRun:
    """One finished run; nothing in it is shared with other runs."""

    run: str
    """How the run is named in the results."""
    task: Task
    config: RunConfig
    checks: tuple[Check, ...]
    """The frozen Q."""
    built: Moment
    """After assembly: the program that was chosen and run before the first repair."""
    final: Moment
    repairs: tuple[LoadedRepair, ...] = ()
    fallbacks: frozenset[tuple[str, str]] = frozenset()
    """(node, digest) of every source that only fails when it is called, because no answer could be used."""
    outcome: RunOutcome | None = None
    """What `eval` measured on hidden tests or injected, where it is given."""
    verification: Verification | None = None
    """What `verify` found; None when it was not asked."""


@dataclass
class _Reading:
    """The walk along the events of one run."""

    state: FoldState = field(default_factory=FoldState)
    built: Moment | None = None
    repairs: list[LoadedRepair] = field(default_factory=list)
    fallbacks: set[tuple[str, str]] = field(default_factory=set)
    opened: tuple[RepairStarted, Candidate, RunState | None] | None = None

    def step(self, event: Event) -> None:
        if isinstance(event, RepairStarted) and self.state.program is not None:
            self.opened = (event, self.state.program, core_state(self.state))
        self.state.apply(event)
        match event:
            case CandidateRanked() if not self.repairs:
                self.built = _moment(self.state)
            case CodeWritten() if event.how == "fallback":
                self.fallbacks.add((event.code.node, event.code.digest))
            case RepairEnded():
                self._close(event.transaction)
            case NodesReverified() if self.repairs:
                self.repairs[-1].reverified = event

    def _close(self, transaction: Transaction) -> None:
        after = self.state.program
        if self.opened is None or after is None:
            return
        started, before, held = self.opened
        now = core_state(self.state)
        if now is not None and held is not None:
            now = now.model_copy(update={"findings": now.findings[: len(held.findings)]})
        self.repairs.append(LoadedRepair(transaction, started.scope, before, after, held, now))
        self.opened = None


def load(
    run: str,
    events: Sequence[Event],
    *,
    outcome: RunOutcome | None = None,
    verification: Verification | None = None,
) -> LoadedRun:
    """Return a finished run as the metrics read it.

    Raises:
        RecordError: the events are not those of a finished run with a program.
    """
    reading = _Reading()
    for event in events:
        reading.step(event)
    state, final = reading.state, _moment(reading.state)
    if state.started is None or state.finished is None or final is None:
        raise RecordError("these are not the events of a finished run", hint="Finish it: auditcoder solve --resume RUN")
    frozen = (state.program.frozen if state.program else None) or state.frozen
    return LoadedRun(
        run=run,
        task=state.started.task,
        config=state.started.config,
        checks=frozen.checks if frozen else (),
        built=reading.built or final,
        final=final,
        repairs=tuple(reading.repairs),
        fallbacks=frozenset(reading.fallbacks),
        outcome=outcome,
        verification=verification,
    )


def _moment(state: FoldState) -> Moment | None:
    return Moment(state.program, tuple(state.findings)) if state.program else None
