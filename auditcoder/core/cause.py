"""Rule Trace gives way: an exception may be the consequence of what a provider gave (docs/containment.md) [R].

The innermost frame is where an exception showed, not always where it came from: a provider that gave None, a text for
a number, or an object half made makes its consumer raise. Only under the policy `executed-first` and with the evidence
of `all-checks`: there it was measured, and a run with the default settings decides as it always did.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.case import Case, LocateInputs
from auditcoder.core.coherence import coherent_class, implicated_by
from auditcoder.core.grade import grade_of
from auditcoder.core.naming import id_key
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.localization import Localization, Support, TurnedAway


def gives_way(found: Localization, compatible: Sequence[Case], inputs: LocateInputs) -> Localization:
    """Return a localization by rule Trace moved to the providers that explain the exception, or the same.

    It moves where executed rejections were observed in the failing run itself, none of them of the traced owner, all of
    owners that it takes something from, directly or not, and coherent. The class is theirs, and the grade that of
    executed findings: no frame speaks of them. What Trace turned away or was backed by stays turned away.
    """
    graph, asked = inputs.active.graph, (inputs.policy, inputs.evidence) == ("executed-first", "all-checks")
    if not asked or found.rule != "Trace" or found.defect != "Impl":
        return found
    explaining = [case.finding for case in compatible if _seen(case, found.anchor)]
    owners, [traced] = implicated_by(explaining), found.implicated
    if not owners or traced in owners or not owners <= providers_of(traced, graph):
        return found
    defect = coherent_class(explaining, graph)
    if defect is None:
        return found
    names = sorted((finding.id for finding in explaining), key=id_key)
    supporting = tuple(Support(finding=name, applicability="observed") for name in names)
    reason = f"executed rejections of providers of {traced} in the failing run explain its exception"
    implicated = tuple(sorted(owners, key=id_key))
    note = f"Trace: gives way to {', '.join(implicated)}, rejected in the failing run"
    return found.model_copy(
        update={
            "implicated": implicated,
            "defect": defect,
            "grade": grade_of("Local", supporting, inputs.findings),
            "supporting": supporting,
            "turned_away": _turned_away(found, names, reason),
            "notes": (*found.notes, note),
        }
    )


def providers_of(node: str, graph: TaskGraph) -> frozenset[str]:
    """Return every node that a node takes something from; always the root, which makes the object or hands values down.

    Raises:
        KeyError: the graph has no such node.
    """
    known = {other.id for other in graph.nodes}
    found, waiting = {ROOT}, [node]
    while waiting:
        for provider in graph.node(waiting.pop()).provenance:
            if provider.node in known and provider.node not in found:
                found.add(provider.node)
                waiting.append(provider.node)
    return frozenset(found)


def _seen(case: Case, anchor: str) -> bool:
    observed = case.applied.applicability == "observed"
    return observed and case.finding.evidence == "exec" and case.finding.check == anchor


def _turned_away(found: Localization, moved: Sequence[str], reason: str) -> tuple[TurnedAway, ...]:
    """Return what is turned away now: what lost to the traced owner, and what backed it, lose to its providers."""
    kept = [away for away in found.turned_away if away.finding not in moved]
    away = [each.model_copy(update={"reason": reason}) if each.clause == "preference" else each for each in kept]
    away += [TurnedAway(finding=each.finding, clause="preference", reason=reason) for each in found.supporting]
    return tuple(sorted(away, key=lambda each: id_key(each.finding)))
