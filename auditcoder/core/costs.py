"""Which owner used the time or the memory of a run (core.md section 4, rule Resource)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from auditcoder.core.naming import id_key
from auditcoder.records.code import Assembly
from auditcoder.records.execution import CheckResult, Measurement

THRESHOLD = 0.5
"""Smallest share of the whole at which an owner is implicated [R]."""
LEAD = 2.0
"""How many times the next owner's cost it must be [R]."""
Metric = Literal["cpu", "memory"]


class OwnerShare(NamedTuple):
    """One owner's part of a measured cost."""

    owner: str
    share: float


def spent(result: CheckResult | None, metric: Metric) -> float:
    """Return what a check used as a whole by its verdict, in the unit of the metric; 0 without a verdict."""
    if result is None:
        return 0.0
    return result.cpu_seconds if metric == "cpu" else result.peak_mb


def owner_shares(
    measurement: Measurement, assembly: Assembly, metric: Metric, whole: float = 0.0
) -> tuple[OwnerShare, ...]:
    """Return the share of every owner, largest first; empty when nothing was measured.

    Self times of an owner's units add up; of its memory peaks the largest counts. What nobody owns is kept under the
    empty owner, so that it does not enlarge the share of others: units without an owner, and the part of the whole
    that no measured unit used, such as code at module level.

    Args:
        measurement: An advisory run of the check.
        assembly: Says who owns a unit.
        metric: What is shared out.
        whole: What the failing execution used (`spent`); the measured sum counts where it is larger, as an advisory
            run has higher limits.
    """
    totals: dict[str, float] = {}
    owners = {unit.name: unit.owner for unit in reversed(assembly.units)}
    for cost in measurement.costs:
        owner = owners.get(cost.unit, "")
        if metric == "cpu":
            totals[owner] = totals.get(owner, 0.0) + cost.cpu_seconds
        else:
            totals[owner] = max(totals.get(owner, 0.0), cost.peak_mb)
    measured = sum(totals.values())
    if measured <= 0:
        return ()
    if whole > measured:
        totals[""] = totals.get("", 0.0) + whole - measured
    shares = [OwnerShare(owner, total / max(whole, measured)) for owner, total in totals.items()]
    return tuple(sorted(shares, key=lambda item: (-item.share, id_key(item.owner))))


def dominant_owner(
    measurement: Measurement, assembly: Assembly, metric: Metric, whole: float = 0.0
) -> OwnerShare | None:
    """Return the one owner with at least the threshold and twice the next one's share, or None.

    What nobody owns competes for the threshold and the lead like an owner.
    """
    shares = owner_shares(measurement, assembly, metric, whole)
    if not shares:
        return None
    first, *others = shares
    leads = all(first.share >= LEAD * other.share for other in others)
    return first if first.owner and first.share >= THRESHOLD and leads else None
