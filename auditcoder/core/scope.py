"""What a repair may change (paper 3.4, core.md section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from auditcoder.core.abstention import Abstention
from auditcoder.core.branch import Borders
from auditcoder.core.graph import ancestors, subtree
from auditcoder.core.naming import id_key
from auditcoder.records.code import Assembly
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.localization import Localization, OpenSlot, Scope

MOST_NODES = 3
"""Nodes that an interface repair may name when no branch holds them (core.md section 5)."""


class _World(NamedTuple):
    """What a scope is selected from."""

    localization: Localization
    borders: Borders
    obligations: tuple[Obligation, ...]
    """Of the supporting findings, in their order."""

    @property
    def graph(self) -> TaskGraph:
        return self.borders.graph


def select_scope(
    localization: Localization, graph: TaskGraph, assembly: Assembly, findings: Iterable[Finding]
) -> Scope:
    """Return the nodes and units that a repair may change, or an abstention with its reason.

    Impl: the one owner is regenerated under its unchanged contract; a node without code is replanned as a branch. Ifc:
    the smallest supported branch below the root that holds the pairs is replanned, else the pairs are regenerated with
    their shared slots open. Cmt: the branch of the decision is replanned.

    Args:
        localization: Says class, implicated nodes and supporting findings.
        graph: The plan that was localized in.
        assembly: The program that was localized in.
        findings: Where the supporting findings are looked up: they name the pairs and the decision.

    Raises:
        KeyError: the localization names a node that the graph does not have.
    """
    if localization.abstained or not localization.implicated:
        return Scope(defect=localization.defect, abstained=Abstention.NOT_LOCALIZED.value)
    supporting = {support.finding for support in localization.supporting}
    obligations = tuple(finding.obligation for finding in findings if finding.id in supporting)
    world = _World(localization, Borders(graph, assembly), obligations)
    match localization.defect:
        case "Impl" if len(localization.implicated) == 1:
            return _implementation(world)
        case "Ifc":
            return _interface(world)
        case "Cmt":
            return _commitment(world)
    return _abstain(world, Abstention.NO_SCOPE_RULE)


def _implementation(world: _World) -> Scope:
    node = world.graph.node(world.localization.implicated[0])
    if node.owns_code and _units(world, (node.id,)):
        return _regenerate(world, (node.id,))
    refused = world.borders.support(node.id)
    return _abstain(world, Abstention.OWNS_NO_CODE, refused) if refused else _replan(world, node.id)


def _interface(world: _World) -> Scope:
    known = {node.id for node in world.graph.nodes}
    interfaces = [each for each in world.obligations if each.kind == "interface"]
    named = [each for each in interfaces if known.issuperset((each.provider, each.consumer))]
    if not named:
        return _abstain(world, Abstention.NO_SCOPE_RULE)
    ends = {end for each in named for end in (each.provider, each.consumer)}
    nodes = tuple(sorted(ends.union(world.localization.implicated), key=id_key))
    notes: list[str] = []
    for branch in _common_branches(world.graph, nodes):
        refused = world.borders.support(branch)
        if not refused:
            return _replan(world, branch, notes)
        notes.append(f"branch {branch} is not supported: {refused}")
    if len(nodes) > MOST_NODES:
        return _abstain(world, Abstention.TOO_MANY_NODES, *notes, f"the pairs are {', '.join(nodes)}")
    without = [node for node in nodes if not world.graph.node(node).owns_code or not _units(world, (node,))]
    if without:
        return _abstain(world, Abstention.OWNS_NO_CODE, *notes, f"{', '.join(without)} owns no code")
    return _regenerate(world, nodes, _open_slots(world.graph, named), notes)


def _commitment(world: _World) -> Scope:
    named = {each.decision for each in world.obligations if each.kind == "commitment"}
    roots = {decision.node for decision in world.graph.decisions if decision.id in named}
    if len(roots) != 1:
        return _abstain(world, Abstention.NO_SCOPE_RULE)
    branch = roots.pop()
    refused = world.borders.support(branch)
    return _abstain(world, Abstention.UNSUPPORTED_BRANCH, refused) if refused else _replan(world, branch)


def _common_branches(graph: TaskGraph, nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the roots of the proper branches that hold all nodes, smallest first."""
    lines = [(node, *ancestors(graph, graph.node(node).id)) for node in nodes]
    shared = set(lines[0]).intersection(*lines)
    return tuple(node for node in lines[0] if node in shared and node != ROOT)


def _open_slots(graph: TaskGraph, named: Sequence[Obligation]) -> tuple[OpenSlot, ...]:
    """Return the slots that the named interfaces share, once each, by consumer and in the order of provenance.

    The one that an obligation names, at either end; every slot between its ends when it names none of these.
    """
    found: dict[OpenSlot, None] = {}
    for each in sorted(named, key=lambda obligation: (id_key(obligation.consumer), id_key(obligation.provider))):
        shared = [given for given in graph.node(each.consumer).provenance if given.node == each.provider]
        meant = [given for given in shared if each.slot in (given.slot, given.output)]
        for given in meant or shared:
            opened = OpenSlot(provider=each.provider, output=given.output, consumer=each.consumer, slot=given.slot)
            found[opened] = None
    return tuple(found)


def _regenerate(
    world: _World, nodes: tuple[str, ...], open_slots: tuple[OpenSlot, ...] = (), notes: Sequence[str] = ()
) -> Scope:
    return Scope(
        defect=world.localization.defect,
        action="regenerate",
        nodes=nodes,
        units=_units(world, nodes),
        open_slots=open_slots,
        notes=tuple(notes),
    )


def _replan(world: _World, branch: str, notes: Sequence[str] = ()) -> Scope:
    nodes = subtree(world.graph, branch)
    return Scope(
        defect=world.localization.defect,
        action="replan",
        nodes=nodes,
        units=_units(world, nodes),
        branch=branch,
        notes=tuple(notes),
    )


def _units(world: _World, nodes: Sequence[str]) -> tuple[str, ...]:
    inside = frozenset(nodes)
    return tuple(unit.name for unit in world.borders.assembly.units if unit.owner in inside)


def _abstain(world: _World, reason: Abstention, *notes: str) -> Scope:
    return Scope(defect=world.localization.defect, abstained=reason.value, notes=notes)
