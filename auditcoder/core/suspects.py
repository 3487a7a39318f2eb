"""Who can be at fault: the owners that took part in every failing run and that no passing run clears.

With one fault and deterministic runs the faulty owner takes part in every failing run, so the intersection holds it.
It is often larger by what everything needs, such as the constructor. Three steps make it smaller; each is taken only
where it leaves somebody. An owner is cleared

1. when it is the root, took part in `CLEAR` passing runs that lacked another suspect, and every value
   that the root hands to another suspect was taken by a third owner in a passing run;
2. when it is another owner and took part in `CLEAR` passing runs that lacked another suspect: it works without it;
3. when it touches no state and, in some failing run, made only calls that ended the same in passing runs. A call that
   every run makes says nothing.

A finding of the suspects is executed evidence and no proof: it says who took part, not what is wrong. A passing run may
have been blind to what is wrong, and with two faults the intersection can miss both. Measured in docs/containment.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import networkx as nx

from auditcoder.core.evidence import finding_id
from auditcoder.core.naming import id_key
from auditcoder.core.obligations import WHOLE_CONTRACT
from auditcoder.core.runs import Run
from auditcoder.core.versions import Active, VersionTable, versions_of
from auditcoder.records.base import canonical_json
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.values import encode

CLEAR = 2
"""Passing runs without another suspect that clear an owner."""
MOST = 3
"""Suspects that an interface can join (core.md section 5: at most three nodes are named)."""


class Suspects(NamedTuple):
    """The suspects before and after clearing, in id order."""

    common: tuple[str, ...]
    left: tuple[str, ...]


def stateful_owners(active: Active) -> frozenset[str]:
    """Return the owners of classes and methods: arguments and result do not say all that a call of theirs does."""
    return frozenset(unit.owner for unit in active.assembly.units if unit.kind in ("class", "method"))


def suspects_of(runs: Sequence[Run], active: Active, stateful: Collection[str] | None = None) -> Suspects:
    """Return who took part in every failing run, and who of them is not cleared; nobody without a failing run.

    Args:
        runs: The recorded runs of the active program, in any order.
        active: The active program.
        stateful: Owners that touch state; by default `stateful_owners`.
    """
    failing = [run for run in runs if run.failure]
    common = frozenset.intersection(*(run.owners for run in failing)) if failing else frozenset[str]()
    known = _Known(common, runs, active, frozenset(stateful_owners(active) if stateful is None else stateful))
    left = common
    for clears in (_root_works, _works_without, _only_known_calls):
        left = frozenset(owner for owner in left if not clears(owner, known)) or left
    return Suspects(tuple(sorted(common, key=id_key)), tuple(sorted(left, key=id_key)))


def suspect_findings(
    runs: Sequence[Run],
    active: Active,
    anchor: str,
    known: Sequence[Finding] = (),
    *,
    start: int,
    stateful: Collection[str] | None = None,
) -> tuple[Finding, ...]:
    """Return one rejection of a sole suspect, or one of every interface that joins two or three; else nothing.

    Executed evidence, and no proof: nobody saw these owners break a promise. So they are not named where somebody did,
    that is where a suspect's own contract was broken on the anchor.

    Args:
        runs: The recorded runs of the active program.
        active: The active program.
        anchor: The id of the check whose failure is to be explained.
        known: The findings so far.
        start: How many findings there are already.
        stateful: Owners that touch state; by default `stateful_owners`.
    """
    common, left = suspects_of(runs, active, stateful)
    if not left or len(left) > MOST or not breached_owners(known, active, anchor).isdisjoint(common):
        return ()
    whole = Obligation(kind="semantic", predicate=WHOLE_CONTRACT)
    obligations = [whole] if len(left) == 1 else _interfaces(left, active)
    failing = sum(run.failure is not None for run in runs)
    return tuple(
        Finding(
            id=finding_id(start + number),
            owners=owners,
            verdict="reject",
            obligation=obligation,
            evidence="exec",
            versions=tuple(versions_of(active.graph, active.codes, owner) for owner in owners),
            check=anchor,
            witness=encode({"failing": failing, "passing": len(runs) - failing}),
            reason=f"{', '.join(left)} took part in every failing run and no passing run clears them",
        )
        for number, obligation in enumerate(obligations)
        for owners in [(obligation.provider, obligation.consumer) if obligation.kind == "interface" else left]
    )


def breached_owners(findings: Sequence[Finding], active: Active, anchor: str) -> frozenset[str]:
    """Return the owners whose own contract was seen broken in the failing run: the suspects add nothing to that.

    Only executed findings on the active versions count. Suspects that were found on them before count as well, so that
    nothing is said twice.
    """
    versions = VersionTable(active.graph, active.codes)
    broken = [each for each in findings if each.verdict == "reject" and each.evidence == "exec"]
    broken = [each for each in broken if each.check == anchor and each.obligation.kind != "resource"]
    return frozenset(owner for each in broken if versions.is_current(each) for owner in each.owners)


class _Known(NamedTuple):
    common: frozenset[str]
    runs: Sequence[Run]
    active: Active
    stateful: frozenset[str]


def _root_works(owner: str, known: _Known) -> bool:
    if owner != ROOT or not _often_without(owner, known):
        return False
    read = {slot for other in known.common - {ROOT} for slot in _from_root(known.active.graph, other)}
    thirds = {third for run in known.runs if run.failure is None for third in run.owners - known.common}
    return read <= {slot for third in thirds for slot in _from_root(known.active.graph, third)}


def _works_without(owner: str, known: _Known) -> bool:
    return owner != ROOT and _often_without(owner, known)


def _often_without(owner: str, known: _Known) -> bool:
    passing = [run.owners for run in known.runs if run.failure is None]
    return sum(owner in owners and not known.common <= owners for owners in passing) >= CLEAR


def _only_known_calls(owner: str, known: _Known) -> bool:
    if owner == ROOT or owner in known.stateful:
        return False
    calls = {run.check: _calls(run, owner, known.active) for run in known.runs}
    passed = frozenset[bytes]().union(*(calls[run.check] for run in known.runs if run.failure is None))
    told = passed - frozenset.intersection(*calls.values())
    return any(calls[run.check] <= told for run in known.runs if run.failure and run.recording.complete)


def _calls(run: Run, owner: str, active: Active) -> frozenset[bytes]:
    """Return the recorded calls of an owner in a run, as bytes that are equal when unit, arguments and end are."""
    calls = [call for call in run.recording.calls if active.assembly.owner_of_unit(call.unit) == owner]
    return frozenset(canonical_json(call.model_dump(mode="json")) for call in calls)


def _from_root(graph: TaskGraph, owner: str) -> frozenset[str]:
    """Return what an owner takes from the root."""
    return frozenset(item.output for item in graph.node(owner).provenance if item.node == ROOT)


def _interfaces(owners: Sequence[str], active: Active) -> list[Obligation]:
    """Return one obligation for every provider and consumer among the owners: their first common slot.

    None where these do not join all owners: the evidence is about all of them, so part of them is no reading of it.
    """
    made: list[Obligation] = []
    for consumer in owners:
        for provider in owners:
            slots = [item.slot for item in active.graph.node(consumer).provenance if item.node == provider]
            if slots:
                made.append(Obligation(kind="interface", slot=slots[0], provider=provider, consumer=consumer))
    joined = nx.Graph([(each.provider, each.consumer) for each in made])
    whole = set(owners) == set(joined.nodes) and nx.is_connected(joined)
    return made if whole else []
