"""The first event at which two ledgers of the same task and configuration part.

Facts that differ from one execution to the next without any decision behind them are left out: times, seconds and
memory of runs, what came from a cache, ids and dates in a server's answer, shares of a measurement (and the texts that
tell them), the state hashes, which cover the times, and the isolation, which is a fact of the machine. A call that
failed and was made again on resume is no step of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from auditcoder.audit.comparison import Parting
from auditcoder.audit.showing import first_difference
from auditcoder.ledger.canonical import Entry, event_payload
from auditcoder.records import events as ev

_TIMES = frozenset({"seconds", "cpu_seconds", "wall_seconds", "peak_mb", "isolation"})
_STATE = frozenset({"snapshot", "restored"})
_ANSWER = frozenset({"id", "created", "usage", "system_fingerprint"})
_COSTLY = ("timeout", "memory")
_ENDED = "(ended)"


def parting(one: Sequence[Entry], other: Sequence[Entry]) -> Parting | None:
    """Return the first difference of two event lists behind their starts, or None when they tell the same."""
    for left, right in zip_longest(_steps(one), _steps(other)):
        if left is None or right is None or left.event.kind != right.event.kind:
            return _apart(left, right)
        if left.event == right.event:
            continue
        place = first_difference(steady(left.event), steady(right.event))
        if place is not None:
            return _apart(left, right, place.path, place.recorded, place.recomputed, place.more)
    return None


def _apart(
    left: Entry | None, right: Entry | None, path: str = "", one: str = "", other: str = "", more: int = 0
) -> Parting:
    return Parting(
        event_one=left.line.seq if left else None,
        event_other=right.line.seq if right else None,
        kind_one=left.event.kind if left else _ENDED,
        kind_other=right.event.kind if right else _ENDED,
        path=path,
        one=one,
        other=other,
        more=more,
    )


def _steps(entries: Sequence[Entry]) -> list[Entry]:
    """Return the events behind the start, without calls that failed and were made again."""
    retried = {entry.event.failed for entry in entries if isinstance(entry.event, ev.RunResumed)}
    return [
        entry for entry in entries[1:] if not isinstance(entry.event, ev.RunResumed) and entry.line.seq not in retried
    ]


def steady(event: ev.Event) -> Any:
    """Return an event as plain JSON without what differs between two executions of the same decisions."""
    plain = event_payload(event)
    match event:
        case ev.ModelCalled():
            answer = _answer(event.response)
            return {**_without(plain, _TIMES | {"cached"}), "response": answer}
        case ev.ChecksRun() | ev.LocalChecksRun():
            results = [_result(result) for result in plain["report"]["results"]]
            return {**plain, "report": {**_without(plain["report"], _TIMES), "results": results}}
        case ev.CostsMeasured():
            return {**plain, "measurement": _without(plain["measurement"], frozenset({"costs"}))}
        case ev.FindingsAdded():
            return {**plain, "findings": [_finding(finding) for finding in plain["findings"]]}
        case ev.RepairStarted():
            return {**_without(plain, _STATE), "localization": _localization(plain["localization"])}
        case ev.RepairEnded():
            done = plain["transaction"]
            told = {**_without(done, _STATE), "localization": _localization(done["localization"])}
            return {**plain, "transaction": told}
        case _:
            return plain


def _without(fields: dict[str, Any], names: frozenset[str] | set[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _answer(response: str) -> Any:
    """Return a recorded answer without what a server makes up anew each time."""
    try:
        body = json.loads(response) if response else ""
    except ValueError:
        return response
    return _without(body, _ANSWER) if isinstance(body, dict) else body


def _result(result: dict[str, Any]) -> dict[str, Any]:
    left_out = _TIMES | {"message", "stdout", "stderr", "frames"} if result["outcome"] in _COSTLY else _TIMES
    return _without(result, left_out)


def _finding(finding: dict[str, Any]) -> dict[str, Any]:
    measured = finding["evidence"] == "exec" and finding["obligation"]["kind"] == "resource"
    return _without(finding, {"witness", "reason"}) if measured else finding


def _localization(localization: dict[str, Any]) -> dict[str, Any]:
    measured = localization["failure"] in ("TLE", "MLE")
    return _without(localization, {"notes"}) if measured else localization
