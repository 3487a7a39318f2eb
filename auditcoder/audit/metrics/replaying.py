"""[+] Replay and frozen re-verification: what the paper lists as not established (core.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.audit.metrics.loading import LoadedRun
from auditcoder.audit.metrics.metric import Part, truth

REPLAYED = "verification asked"


def replay(run: LoadedRun) -> Sequence[Part] | None:
    """Return whether `verify` reproduces the run without a difference."""
    found = run.verification
    if found is None:
        return None
    if found.verified:
        return (truth(),)
    first = next(iter(found.differences), None)
    told = f"event {first.event}, {first.check}: {first.what}" if first else found.status
    more = f" (and {len(found.differences) - 1} more)" if len(found.differences) > 1 else ""
    return (truth(f"{told}{more}"),)


def frozen_reverification(run: LoadedRun) -> Sequence[Part]:
    """Return whether all executed findings on frozen nodes behind an accepted repair still accept.

    Counted are accepted repairs after which something was executed again: where no frozen node took anything from a
    changed one, or nothing on it can be executed, nothing was shown either way [R]. Ledgers of format 1.0 have none.
    """
    events = [repair.reverified for repair in run.repairs if repair.transaction.decision == "accepted"]
    return [
        truth(*(f"repair {event.index + 1}: {finding} rejects" for finding in event.rejected))
        for event in events
        if event is not None and event.findings
    ]
