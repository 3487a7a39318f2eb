"""Size of repair regions against the success of the repair (core.md section 8: RRS)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditcoder.eval.metrics.row import RepairFact, RunRow
from auditcoder.eval.plots.plot import Dot, Plot, Series
from auditcoder.eval.statistics.wilson import Share

EDGES = (0.25, 0.5, 0.75, 1.0)
"""Upper ends of the groups of region sizes, as shares of the graph's nodes."""


def region_against_success(rows: Iterable[RunRow]) -> Plot:
    """Return, by the share of nodes that a repair might change, how often it was accepted and how often it helped.

    Of each run the first repair with a scope counts: later ones begin with another program. Graphs of one node are left
    out, as every region is the whole of them.
    """
    first = [next((repair for repair in row.repairs if repair.localized), None) for row in rows]
    found = [repair for repair in first if repair is not None and repair.graph_nodes > 1]
    single = sum(repair is not None and repair.graph_nodes <= 1 for repair in first)
    accepted = [_share(found, place, success=False) for place in range(len(EDGES))]
    passing = [_share(found, place, success=True) for place in range(len(EDGES))]
    notes = (f"{single} repairs in graphs of one node are left out",) if single else ()
    return Plot(
        kind="bars",
        title="Repair region and success",
        x="nodes of the scope / nodes of the graph",
        y="share of first repairs",
        series=(Series("accepted", _dots(accepted)), Series("passes the hidden tests behind it", _dots(passing))),
        categories=tuple(f"{low:g}-{high:g}" for low, high in zip((0, *EDGES), EDGES, strict=False)),
        notes=notes,
    )


def _share(repairs: Sequence[RepairFact], place: int, *, success: bool) -> Share:
    low = 0.0 if place == 0 else EDGES[place - 1]
    group = [one for one in repairs if low < one.scope_nodes / one.graph_nodes <= EDGES[place]]
    return Share(sum(one.passed_after if success else one.decision == "accepted" for one in group), len(group))


def _dots(shares: Sequence[Share]) -> tuple[Dot, ...]:
    return tuple(
        Dot(place, share.value, *share.interval, label=f"{share.part}/{share.whole}")
        for place, share in enumerate(shares)
        if share.whole
    )
