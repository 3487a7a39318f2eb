"""Which frozen nodes an accepted repair touched through their providers (core.md section 6, re-verification)."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.graph import ancestors, subtree
from auditcoder.core.local_checks import executable_checks
from auditcoder.core.monitors import monitored_nodes
from auditcoder.core.naming import id_key
from auditcoder.core.versions import Active
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Scope


class Reverification(NamedTuple):
    """The nodes whose executed evidence must be made again; all in id order."""

    nodes: tuple[str, ...]
    """Frozen code owners with a provider that really changed."""
    monitored: tuple[str, ...]
    """Those of them with an executable predicate."""
    checked: tuple[str, ...]
    """Those of them with an executable local check."""


def reverification(before: Active, after: Active, scope: Scope) -> Reverification:
    """Return the frozen nodes with a provider that an accepted repair changed, and their executable evidence.

    Args:
        before: The program before the repair.
        after: The accepted one.
        scope: The final scope, expansions included.
    """
    changed = changed_nodes(before, after)
    inside = scope_nodes(before, after, scope)
    frozen = [node for node in after.graph.owners if node.id not in inside]
    touched = [node for node in frozen if _providers(node, before.graph, after.graph) & changed]
    nodes = tuple(sorted((node.id for node in touched), key=id_key))
    checked = {node.id for node in touched if executable_checks(node, after.assembly)}
    return Reverification(
        nodes=nodes,
        monitored=tuple(node.id for node in monitored_nodes(after, nodes)),
        checked=tuple(node for node in nodes if node in checked),
    )


def changed_nodes(before: Active, after: Active) -> frozenset[str]:
    """Return the nodes whose code or contract differs: rewritten, added or gone."""
    old, new = _content(before), _content(after)
    return frozenset(node for node in old.keys() | new.keys() if old.get(node) != new.get(node))


def scope_nodes(before: Active, after: Active, scope: Scope) -> frozenset[str]:
    """Return every node that is inside a final scope: its nodes, its branch, what replanning put there, expansions."""
    added = {node.id for node in after.graph.nodes} - {node.id for node in before.graph.nodes}
    below = subtree(after.graph, scope.branch) if scope.branch else ()
    return frozenset((*scope.nodes, *below, *added, *(expansion.owner for expansion in scope.expansions)))


def _content(active: Active) -> dict[str, tuple[str, str]]:
    digests = {node: code.digest for node, code in active.codes.items()}
    return {node.id: (digests.get(node.id, ""), node.contract.content_hash()) for node in active.graph.nodes}


def _providers(node: Node, before: TaskGraph, after: TaskGraph) -> set[str]:
    """Return the direct providers; one that groups others stands for all of them, before and after the repair.

    An ancestor provides only what it hands down itself, so its other branches are left out.
    """
    above = set(ancestors(after, node.id))
    direct = {*(provider.node for provider in node.provenance), *node.depends_on}
    inner = {each for name in direct - above for graph in (before, after) for each in subtree(graph, name)}
    return (direct | inner) - {node.id}
