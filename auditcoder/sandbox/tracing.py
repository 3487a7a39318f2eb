"""Reading traced runs: what an untrusted process says it saw. It is shown to a model and never decides a verdict."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, Limits
from auditcoder.records.trace import LineKind, Trace, TracedBlock, TracedLine, TracePlan
from auditcoder.sandbox.advisory import Watched
from auditcoder.sandbox.worker.trace_log import BLOCK_LIMIT, MOST_VARIABLES
from auditcoder.sandbox.worker.trace_sink import MOST_EVENTS
from auditcoder.sandbox.worker.trace_targets import NAME_LIMIT
from auditcoder.sandbox.worker.trace_values import LIMIT, MOST

_SLOW_DOWN, _START = 5.0, 1.0
"""The CPU limit of a traced run is raised by this factor and by so many seconds, what the line events cost at most."""
_KINDS = frozenset(get_args(LineKind))
_COUNT = 2**53
_ENDED = frozenset({"pass", "wrong-answer", "runtime-error"})
"""Outcomes of runs that kept within their limits."""


class _MalformedError(Exception):
    """A record that the tracer would not have written."""


def request(plan: TracePlan) -> dict[str, Any]:
    """Return what a child is asked for."""
    lines, blocks = [list(part) for part in plan.lines], [list(part) for part in plan.blocks]
    return {"tool": "trace", "lines": lines, "blocks": blocks, "kept": plan.kept}


def raised(limits: Limits) -> Limits:
    """Return the limits of a traced run."""
    return limits.model_copy(update={"cpu_seconds": min(3600.0, limits.cpu_seconds * _SLOW_DOWN + _START)})


def unfit(check: Check, plain: CheckResult) -> Trace | None:
    """Return why a run is not worth tracing: without a tracer it did not keep within its limits; None if it did."""
    if plain.outcome in _ENDED:
        return None
    return Trace(check=check.id, reason=f"without a tracer the run ends with {plain.outcome}")


def trace_of(
    check: Check, plan: TracePlan, lines: int, watched: Watched, plain: CheckResult, seen: CheckResult
) -> Trace:
    """Return the trace of a traced run, or why there is none.

    A program whose traced run ends otherwise than the run before depends on chance, time or the tracer: its values may
    not be those of the failure (Breakpoint Debugging, section 7, reading 6).

    Args:
        check: The check.
        plan: What was watched.
        lines: Lines of the program.
        watched: The traced run.
        plain: The verdict on an untraced run before.
        seen: The verdict on the traced run.
    """
    try:
        end = _end(watched)
        events, blocks = _number(end.get("events")), _number(end.get("blocks"))
        if events > MOST_EVENTS:
            return Trace(check=check.id, events=events, reason=f"more than {MOST_EVENTS} line events")
        if _told(plain) != _told(seen):
            raise _MalformedError("the traced run ended otherwise than the run before")
        if end.get("undisturbed") is not True:
            raise _MalformedError("the program ended the tracing: it traces itself, or calls itself to the limit")
        if watched.records.advisory_cut:
            raise _MalformedError("the values are too many to keep")
        records = watched.records.advisory[:-1]
        if plan.blocks:
            kept = _blocks(records, plan)
            return Trace(check=check.id, blocks=kept, block_count=max(blocks, len(kept)), events=events)
        return Trace(check=check.id, lines=_lines(records, lines), events=events)
    except _MalformedError as error:
        return Trace(check=check.id, reason=str(error))


def _told(result: CheckResult) -> tuple[Any, ...]:
    """Return what two runs must have in common; texts of exceptions may hold addresses, tracebacks hold lines."""
    return result.outcome, result.detail, result.has_observed, result.observed


def _end(watched: Watched) -> dict[str, Any]:
    """Return the last record; a run that was stopped has none."""
    records = watched.records.advisory
    if not records or records[-1].get("r") != "traced":
        ended = "nothing of it ran" if watched.records.state in ("load-error", "end") else "it ended by force"
        why = watched.run.stop or ended
        raise _MalformedError(f"the traced run did not come to its end: {why}")
    return records[-1]


def _lines(records: list[dict[str, Any]], lines: int) -> tuple[TracedLine, ...]:
    told = tuple(_line(record, lines) for record in records)
    keys = {(each.line, each.kind, each.name) for each in told}
    if len(told) != len(keys) or any(one.line > two.line for one, two in pairwise(told)):
        raise _MalformedError("a malformed trace")
    return told


def _blocks(records: list[dict[str, Any]], plan: TracePlan) -> tuple[TracedBlock, ...]:
    told = tuple(_block(record, plan) for record in records)
    if len(told) > plan.kept or any(one.index >= two.index for one, two in pairwise(told)):
        raise _MalformedError("a malformed trace")
    return told


def _line(record: dict[str, Any], lines: int) -> TracedLine:
    line, kind, values = _number(record.get("l")), record.get("k"), record.get("v")
    if record.get("r") != "line" or not 1 <= line <= lines or not isinstance(kind, str) or kind not in _KINDS:
        raise _MalformedError("a malformed trace")
    if not isinstance(values, list) or not 1 <= len(values) <= MOST:
        raise _MalformedError("a malformed trace")
    texts = tuple(_text(value, LIMIT) for value in values)
    count = max(_number(record.get("c")), len(texts))
    return TracedLine.model_validate(
        {"line": line, "kind": kind, "name": _text(record.get("n"), NAME_LIMIT), "values": texts, "count": count}
    )


def _block(record: dict[str, Any], plan: TracePlan) -> TracedBlock:
    block = _number(record.get("b"))
    if record.get("r") != "block" or block not in {number for _, number in plan.blocks}:
        raise _MalformedError("a malformed trace")
    return TracedBlock(
        index=_number(record.get("i")),
        block=block,
        function=_text(record.get("f"), 200),
        before=_pairs(record.get("x")),
        after=_pairs(record.get("y")),
    )


def _pairs(data: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, list) or len(data) > MOST_VARIABLES:
        raise _MalformedError("a malformed trace")
    pairs = [pair for pair in data if isinstance(pair, list) and len(pair) == 2]
    return tuple((_text(name, NAME_LIMIT), _text(value, BLOCK_LIMIT + 1)) for name, value in pairs)


def _text(value: Any, limit: int) -> str:
    """Return a text as one line that is safe to show: the program could have forged it."""
    if not isinstance(value, str):
        raise _MalformedError("a malformed trace")
    return "".join(sign if sign.isprintable() else "?" for sign in value[:limit])


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _COUNT:
        raise _MalformedError("a malformed trace")
    return value
