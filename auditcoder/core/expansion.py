"""Integration changes outside a scope, declared before anything is regenerated (paper 3.4, core.md section 5)."""

from __future__ import annotations

import textwrap
from collections.abc import Collection
from typing import NamedTuple

from auditcoder.core.parsing import Refusal, parse_source
from auditcoder.core.scopes import module_names
from auditcoder.core.units import IMPORTS
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Expansion, Scope


def needed_expansions(before: TaskGraph, after: TaskGraph, scope: Scope, assembly: Assembly) -> tuple[Expansion, ...]:
    """Return the units outside the scope that must follow a changed interface, in program order.

    These are the call sites, read from the syntax tree, of scope functions whose parameters or types the revised plan
    changes. Without such a change none is needed, whatever else the revision does to contracts.

    Args:
        before: The plan at the snapshot.
        after: The plan as the repair changes it.
        scope: As selected.
        assembly: The program at the snapshot.
    """
    changed = _changed_functions(before, after, scope)
    found: list[Expansion] = []
    for unit in assembly.units if changed else ():
        named = sorted(changed & _uses(unit))
        if named and unit.owner not in scope.nodes and unit.name != IMPORTS:
            reason = f"calls {', '.join(f'`{name}`' for name in named)}, whose interface changes"
            found.append(Expansion(unit=unit.name, owner=unit.owner, reason=reason))
    return tuple(found)


def expansion_violations(scope: Scope, graph: TaskGraph, assembly: Assembly) -> tuple[str, ...]:
    """Return why declared expansions are inadmissible, in their order; none means that all may be declared.

    An expansion names one unit of the program under its owner, once, outside the scope, and adjacent to it: its owner
    provides for a scope node or takes from one, or the unit uses a scope unit or is used by one.
    """
    adjacent = _neighbours(graph, scope)
    units = {unit.name: unit for unit in assembly.units}
    inside = [unit for unit in assembly.units if unit.owner in scope.nodes]
    reasons: list[str] = []
    for number, expansion in enumerate(scope.expansions):
        unit = units.get(expansion.unit)
        if unit is None or unit.owner != expansion.owner or unit.name == IMPORTS:
            reasons.append(f"{expansion.owner} has no unit `{expansion.unit}` that could be changed")
        elif unit.owner in scope.nodes:
            reasons.append(f"`{unit.name}` is inside the scope already")
        elif any(other.unit == unit.name for other in scope.expansions[:number]):
            reasons.append(f"`{unit.name}` is declared twice")
        elif unit.owner not in adjacent and not _touches(unit, inside):
            reasons.append(f"`{unit.name}` of {unit.owner} is not adjacent to the scope in the slot or call graph")
    return tuple(reasons)


class _Shape(NamedTuple):
    """What a call site depends on."""

    parameters: tuple[tuple[str, str], ...]
    returns: str


def _changed_functions(before: TaskGraph, after: TaskGraph, scope: Scope) -> frozenset[str]:
    old, new = _shapes(before, scope.nodes), _shapes(after, scope.nodes)
    return frozenset(name for name, shape in old.items() if name in new and new[name] != shape)


def _shapes(graph: TaskGraph, nodes: Collection[str]) -> dict[str, _Shape]:
    return {
        signature.name: _Shape(tuple((each.name, each.type) for each in signature.parameters), signature.returns)
        for node in graph.nodes
        if node.id in nodes
        for signature in node.contract.signatures
    }


def _neighbours(graph: TaskGraph, scope: Scope) -> frozenset[str]:
    """Return the nodes that share a slot edge with a scope node."""
    edges = [(provider.node, node.id) for node in graph.nodes for provider in node.provenance]
    inside = frozenset(scope.nodes)
    return frozenset(node for edge in edges if inside.intersection(edge) for node in edge) - inside


def _touches(unit: CodeUnit, inside: Collection[CodeUnit]) -> bool:
    used = _uses(unit)
    return any(other.name in used or unit.name in _uses(other) for other in inside)


def _uses(unit: CodeUnit) -> frozenset[str]:
    """Return the names of the program that a unit uses; none when its text is no code of its own."""
    tree = parse_source(textwrap.dedent(unit.text))
    return frozenset() if isinstance(tree, Refusal) else module_names(tree).free
