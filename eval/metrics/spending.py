"""What a run spent, from its ledger alone (methods/README, rules 6 to 9)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from auditcoder.eval.metrics.row import Cost, RoleCalls
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.fold import usage_of
from auditcoder.ledger.method_result import method_result
from auditcoder.records.config import ROLES
from auditcoder.records.events import (
    CallsRecorded,
    ChecksRun,
    CodeRejected,
    CostsMeasured,
    Event,
    LocalChecksRun,
    MethodNoted,
    ModelCalled,
    PlanReviewed,
    ProgramProbed,
    RepairEnded,
    RunResumed,
    RunStarted,
    TraceRecorded,
)

NO_USAGE = "an answer came without its usage"
REFUSED_NOTES = ("parse-retry", "unusable")
"""Notes of rival methods on answers that could not be used."""


class Spent(NamedTuple):
    """The cost of a run, and why it is not known where it is not."""

    cost: Cost
    invalid: tuple[str, ...]


def spent_by(events: Sequence[Event], wall_seconds: float | None = None) -> Spent:
    """Return what a run cost; an answer without a usage record makes it invalid.

    Raises:
        RecordError: the first event is not `run.started`.
    """
    result = method_result(events)
    calls = kept_calls(events)
    started = events[0]
    models = dict(started.models) if isinstance(started, RunStarted) else {}
    total = usage_of(calls, models)[-1]
    usages = [_usage(call) for call in calls if not call.error]
    runs = [_checks_run(event) for event in events]
    roles = Counter(call.role for call in calls)
    resumed = sum(isinstance(event, RunResumed) for event in events)
    cost = Cost(
        calls=len(calls),
        by_role=tuple(RoleCalls(role=role, calls=roles[role]) for role in ROLES if roles[role]),
        completions=len(usages),
        transport_retries=resumed,
        failed=total.failed,
        refused=sum(_is_refusal(event) for event in events),
        cache_hits=total.cached,
        prompt_tokens=total.prompt_tokens,
        completion_tokens=total.completion_tokens,
        cached_tokens=sum(usage.cached for usage in usages if usage is not None),
        model_seconds=sum(call.seconds for call in calls if not call.cached),
        wall_seconds=None if resumed else wall_seconds,
        sandbox_runs=sum(count is not None for count in runs),
        sandbox_checks=sum(count or 0 for count in runs),
        feedback_rounds=result.feedback_rounds,
        triggered_retries=result.triggered_retries,
        abstentions=sum(
            isinstance(event, RepairEnded) and event.transaction.decision == "abstained" for event in events
        ),
        usd=total.usd,
    )
    return Spent(cost, (NO_USAGE,) if any(usage is None for usage in usages) else ())


def kept_calls(events: Sequence[Event]) -> list[ModelCalled]:
    """Return the requests of a run without those that were made again when it was resumed."""
    again = {event.failed for event in events if isinstance(event, RunResumed)}
    return [event for place, event in enumerate(events) if isinstance(event, ModelCalled) and place not in again]


def wall_seconds(ledger: Ledger) -> float | None:
    """Return the seconds between the first and the last line of a ledger; None without two lines.

    The time of a line is information only. A run that was killed and resumed has its pause in it.
    """
    if len(ledger.entries) < 2:
        return None
    first, last = (_seconds(ledger.entries[place].line.at) for place in (0, -1))
    return max(0.0, round(last - first, 3))


class _Reported(NamedTuple):
    cached: int


def _usage(call: ModelCalled) -> _Reported | None:
    """Return what the provider reported; None when it reported no tokens, which is not the same as none."""
    try:
        usage = json.loads(call.response)["usage"]
        if not all(isinstance(usage[name], int) for name in ("input_tokens", "output_tokens")):
            return None
        cached = usage.get("cache_read_tokens")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return _Reported(cached if isinstance(cached, int) else 0)


def _is_refusal(event: Event) -> bool:
    match event:
        case CodeRejected():
            return True
        case PlanReviewed():
            return event.reviewer == "parser" and bool(event.complaints)
        case MethodNoted():
            return event.what in REFUSED_NOTES
    return False


def _checks_run(event: Event) -> int | None:
    """Return the checks of an event that ran a program; None of any other event."""
    match event:
        case ChecksRun() | LocalChecksRun() | ProgramProbed():
            return len(event.report.results)
        case CallsRecorded() | CostsMeasured() | TraceRecorded():
            return 1
    return None


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
