"""Who can be at fault: the owners that took part in every failing run and that no passing run clears.

With one fault and deterministic runs the faulty owner takes part in every failing run, so the intersection holds it.
It is often larger by what everything needs, such as the constructor. An owner is cleared

- when it took part in `CLEAR` passing runs without any other suspect, so that it does its work without them;
- the root of a class: when every attribute that another suspect reads was read by a third owner in a passing run.

Where that would clear everybody, nobody is cleared. This is executed evidence and no proof: a clear run may have been
blind to what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.core.evidence import finding_id
from auditcoder.core.naming import id_key
from auditcoder.core.obligations import WHOLE_CONTRACT
from auditcoder.core.versions import Active, versions_of
from auditcoder.eval.containment.runs import Run
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.values import encode

CLEAR = 2
"""Passing runs without the other suspects that clear an owner."""
MOST = 3
"""Suspects that an interface can join (core.md section 5: at most three nodes are named)."""


class Suspects(NamedTuple):
    """The suspects before and after clearing, in id order."""

    common: tuple[str, ...]
    left: tuple[str, ...]


def suspects_of(runs: Sequence[Run], graph: TaskGraph) -> Suspects:
    """Return who took part in every failing run, and who of them is not cleared; nobody without a failing run."""
    failing = [run.owners for run in runs if run.failure]
    common = frozenset.intersection(*failing) if failing else frozenset[str]()
    passing = [run.owners for run in runs if run.failure is None]
    left = {owner for owner in common if not _cleared(owner, common, passing, graph)} or set(common)
    return Suspects(tuple(sorted(common, key=id_key)), tuple(sorted(left, key=id_key)))


def suspect_findings(runs: Sequence[Run], active: Active, anchor: str, *, start: int) -> tuple[Finding, ...]:
    """Return one rejection of a sole suspect, or one of every interface that joins two or three; else nothing."""
    left = suspects_of(runs, active.graph).left
    if not left or len(left) > MOST:
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
            reason=f"{', '.join(owners)} took part in every failing run and no passing run clears them",
        )
        for number, obligation in enumerate(obligations)
        for owners in [(obligation.provider, obligation.consumer) if obligation.kind == "interface" else left]
    )


def _cleared(owner: str, common: frozenset[str], passing: Sequence[frozenset[str]], graph: TaskGraph) -> bool:
    others = common - {owner}
    if sum(owner in run and not run & others for run in passing) < CLEAR:
        return False
    if owner != ROOT:
        return True
    read = {slot for other in others for slot in _state(graph, other)}
    seen = {slot for run in passing for third in run - common for slot in _state(graph, third)}
    return read <= seen


def _state(graph: TaskGraph, owner: str) -> frozenset[str]:
    """Return the attributes that an owner takes from the root."""
    return frozenset(item.output for item in graph.node(owner).provenance if item.node == ROOT)


def _interfaces(owners: Sequence[str], active: Active) -> list[Obligation]:
    """Return one obligation for every provider and consumer among the owners: their first common slot."""
    made: list[Obligation] = []
    for consumer in owners:
        for provider in owners:
            slots = [item.slot for item in active.graph.node(consumer).provenance if item.node == provider]
            if slots:
                made.append(Obligation(kind="interface", slot=slots[0], provider=provider, consumer=consumer))
    return made
