"""The whole program run over a record: its model calls and executions are answered from the ledger, nothing is asked.

The strongest audit (V23): not only is every recorded event right, but every event that had to happen is there, because
the pipeline itself makes them all again. It needs the prompts that the run was made with: a ledger of another version
of auditcoder may part at its first request, which says nothing about the record.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple, TypeVar

import dspy

import auditcoder
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.verification import Difference
from auditcoder.backbones.context import current_call
from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.core.formats import needed_format
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.errors import AuditCoderError, LedgerDivergedError
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, ModelFacts, Role
from auditcoder.records.events import Effect, Event, ModelCalled, RunStarted
from auditcoder.records.execution import IsolationReport
from auditcoder.sandbox.predicates import MeteredEvaluator

E = TypeVar("E", bound=Effect)


class PartedError(BaseException):
    """Program and record part here, or the record ends: nothing of the pipeline or the framework may catch it."""


class Replayed(NamedTuple):
    """How far the program and the record go together."""

    compared: int
    """Events that came out again."""
    differences: tuple[Difference, ...] = ()
    note: str = ""
    """Why nothing was replayed; empty when it was."""


class _Journal(MemoryJournal):
    """Answers from the record; where the program does something else, the replay ends at once."""

    def emit(self, event: Event) -> None:
        """Compare a decision with the recorded one."""
        try:
            super().emit(event)
        except LedgerDivergedError as error:
            raise PartedError(error.message) from error

    def effect(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        """Return the recorded effect, if it is the one that is asked for, by whom it is asked for."""
        recorded = self._entries[self.cursor].event if self.replaying else None
        if isinstance(recorded, ModelCalled):  # who asks is no part of a request, so its key does not tell
            call = current_call()
            if (recorded.node, recorded.agent) != (call.node, call.agent):
                raise PartedError(f"a model call of agent {call.agent!r} for node {call.node!r}")
        try:
            return super().effect(kind, key, perform)
        except LedgerDivergedError as error:
            raise PartedError(error.message) from error


class _NothingRuns:
    """An executor that knows the recorded isolation and runs nothing."""

    def __init__(self, isolation: IsolationReport) -> None:
        self._isolation = isolation

    def isolation(self) -> IsolationReport:
        return self._isolation

    def run(self, *arguments: Any, **named: Any) -> Any:
        raise PartedError("an execution")

    confirm = record = measure = trace = run


class _NobodyAnswers:
    """An engine that must not be asked."""

    def complete(self, request: Any) -> Any:
        raise PartedError("a model call")


def replay_run(ledger: Ledger, evaluator: PredicateEvaluator | None = None) -> Replayed:
    """Return how far the pipeline makes the events of a ledger again; the first difference ends it.

    What a backbone could do (schemas, a begun answer) is no recorded fact, so the combinations are tried, and the one
    that goes furthest counts.

    Args:
        ledger: A chain that holds; of an unfinished run what there is must come out.
        evaluator: Evaluates predicates; by default the metered evaluator of the pipeline.
    """
    started = ledger.entries[0].event if ledger.entries else None
    if not isinstance(started, RunStarted):
        return Replayed(0, (_difference(0, "the first event", "", "run.started"),))
    format_now = needed_format(started.config)
    if (started.format, started.version) != (format_now, auditcoder.__version__):
        made = f"format {started.format} of version {started.version}"
        return Replayed(0, note=f"not replayed: {made}; this is {format_now} of {auditcoder.__version__}")
    missing = [role for role in ROLES if role not in dict(started.models)]
    if missing:
        return Replayed(0, (_difference(0, "models", "", f"one for {', '.join(missing)}"),))
    furthest = Replayed(-1)
    for schema, prefill in product((True, False), repeat=2):
        replayed = _replay(ledger, started, (schema, prefill), evaluator or MeteredEvaluator())
        if not replayed.differences:
            return replayed
        furthest = max(furthest, replayed, key=lambda each: each.compared)
    return furthest


def _replay(
    ledger: Ledger, started: RunStarted, supports: tuple[bool, bool], evaluator: PredicateEvaluator
) -> Replayed:
    """Return how far a program whose backbones support this goes; (schemas, a begun answer)."""
    journal = _Journal(ledger.events)
    facts: dict[Role, ModelFacts] = dict(started.models)
    lms: dict[Role, dspy.LM] = {
        role: _silent_lm(journal, role, known, started, supports) for role, known in facts.items()
    }
    parted = ""
    try:
        solve_task(
            started.task,
            started.config,
            journal=journal,
            executor=_NothingRuns(started.isolation),
            evaluator=evaluator,
            lms=lms,
            facts=facts,
        )
    except PartedError as error:
        parted = str(error)
    except AuditCoderError as error:
        parted = f"the program stops: {error.message}"
    reached, recorded = journal.cursor, ledger.events
    if reached == len(recorded) or (reached > len(recorded) and recorded[-1].kind != "run.finished"):
        return Replayed(len(recorded))
    there = recorded[reached].kind if reached < len(recorded) else ""
    return Replayed(reached, (_difference(reached, "what the program does", there, parted or "the run ends"),))


def _difference(event: int, what: str, recorded: str, recomputed: str) -> Difference:
    return Difference(event, AuditCheck.REPLAYED, what, recorded, recomputed)


def _silent_lm(
    journal: MemoryJournal, role: Role, facts: ModelFacts, started: RunStarted, supports: tuple[bool, bool]
) -> dspy.LM:
    schema, prefill = supports
    engine = RecordingEngine(
        _NobodyAnswers(), journal=journal, role=role, facts=facts, supports_schema=schema, supports_prefill=prefill
    )
    sampling = {"temperature": 0.0, "max_tokens": 1024, "seed": started.config.seed}
    return lm_over(
        engine,
        Profile.model_validate({"name": facts.profile, "engine": "lm", "model": "replay", "sampling": sampling}),
    )
