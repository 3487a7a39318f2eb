"""Which owner used the time or the memory of a run (core.md section 4, rule Resource)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from auditcoder.core.naming import id_key
from auditcoder.records.code import Assembly
from auditcoder.records.execution import Measurement

THRESHOLD = 0.5
"""Smallest share of the whole at which an owner is implicated [R]."""
LEAD = 2.0
"""How many times the next owner's cost it must be [R]."""
Metric = Literal["cpu", "memory"]


class OwnerShare(NamedTuple):
    """One owner's part of a measured cost."""

    owner: str
    share: float


def owner_shares(measurement: Measurement, assembly: Assembly, metric: Metric) -> tuple[OwnerShare, ...]:
    """Return the share of every owner, largest first; empty when nothing was measured.

    Self times of an owner's units add up; of its memory peaks the largest counts. Units that nobody owns are kept
    under the empty owner, so that they do not enlarge the share of others.
    """
    totals: dict[str, float] = {}
    for cost in measurement.costs:
        owner = assembly.owner_of_unit(cost.unit) or ""
        if metric == "cpu":
            totals[owner] = totals.get(owner, 0.0) + cost.cpu_seconds
        else:
            totals[owner] = max(totals.get(owner, 0.0), cost.peak_mb)
    whole = sum(totals.values())
    if whole <= 0:
        return ()
    shares = [OwnerShare(owner, total / whole) for owner, total in totals.items()]
    return tuple(sorted(shares, key=lambda item: (-item.share, id_key(item.owner))))


def dominant_owner(measurement: Measurement, assembly: Assembly, metric: Metric) -> OwnerShare | None:
    """Return the one owner with at least the threshold and twice the next one's share, or None."""
    shares = owner_shares(measurement, assembly, metric)
    if not shares:
        return None
    first, *others = shares
    leads = all(first.share >= LEAD * other.share for other in others)
    return first if first.owner and first.share >= THRESHOLD and leads else None
