"""RRS, the size of repair regions, and containment of injected faults (paper appendices D and E, core.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.audit.metrics.loading import LoadedRepair, LoadedRun
from auditcoder.audit.metrics.metric import Part, truth
from auditcoder.core.graph import subtree
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Scope

INJECTED = "injected owner given"


def region_size(run: LoadedRun) -> Sequence[Part]:
    """Return, of each repair with a scope, the nodes of its final scope over the nodes of the graph before it (RRS).

    Accepted and rolled-back repairs both count; each is measured in the graph that it began with (paper, appendix E).
    """
    return [_size(repair) for repair in run.repairs if repair.localized]


def _size(repair: LoadedRepair) -> Part:
    graph = repair.before.graph
    if graph is None:
        return Part(0, 0)
    return Part(len(region(repair.transaction.scope, graph)), len(graph.nodes))


def region(scope: Scope, graph: TaskGraph) -> frozenset[str]:
    """Return the nodes of a scope in the graph before the repair.

    A branch is its whole subtree there, owners of declared expansions are included, and ids that only the candidate
    has are in neither the scope nor the graph.
    """
    roots = scope.nodes if scope.action == "replan" else ()
    below = {node for root in (*roots, scope.branch) if root for node in subtree(graph, root)}
    named = {*scope.nodes, *(expansion.owner for expansion in scope.expansions)}
    return frozenset((named | below) & {node.id for node in graph.nodes})


def contained_in_scopes(run: LoadedRun) -> Sequence[Part] | None:
    """Return whether the first scope of a run with an injected fault holds the fault's owner; no scope, no part."""
    if run.outcome is None or not run.outcome.injected_owner:
        return None
    return contained(run) if any(repair.localized for repair in run.repairs[:1]) else ()


def contained(run: LoadedRun) -> Sequence[Part] | None:
    """Return whether an injected fault's owner is in the first scope of its run; an abstention does not contain it.

    Judged on the scope as selected, without expansions, in the graph that the repair began with [R]: an expansion is a
    call site that must follow, not a place where the fault was sought. The first round counts: later ones see a
    program that a repair has changed.
    """
    if run.outcome is None or not run.outcome.injected_owner:
        return None
    owner = run.outcome.injected_owner
    first = next(iter(run.repairs), None)
    if first is None or not first.localized or first.before.graph is None:
        return (truth(f"no scope for the fault of {owner}"),)
    nodes = region(first.selected, first.before.graph)
    return (truth() if owner in nodes else truth(f"the fault of {owner} is not in {', '.join(sorted(nodes))}"),)
