"""Which branches of the plan can be replanned on their own: support (core.md section 5).

A branch is supported when nothing outside it depends on anything inside it but what its root promises. That is decided
from the recorded slot edges and from the syntax trees of the units, never by searching their text. What only running
could tell (`globals()["f"]`, `eval`) is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from auditcoder.core.graph import subtree
from auditcoder.core.parsing import MAX_SOURCE, Refusal, parse_source
from auditcoder.core.scopes import module_names
from auditcoder.core.units import IMPORTS
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.graph import Contract, Node, TaskGraph


def support(root_id: str, graph: TaskGraph, assembly: Assembly) -> str:
    """Return why the branch below and including a node is not supported, or an empty text when it is.

    Supported: the root has a contract with a signature; slot edges across the border run through the root's declared
    slots; no unit outside uses one inside, except the functions of that contract. Units inside may use any outside.
    """
    return Borders(graph, assembly).support(root_id)


@dataclass(frozen=True, eq=False)
class Borders:
    """The borders of the branches of one program; its units are read once for all of them."""

    graph: TaskGraph
    assembly: Assembly

    def support(self, root_id: str) -> str:
        """Return what the function `support` returns."""
        root = next((node for node in self.graph.nodes if node.id == root_id), None)
        if root is None:
            return f"the plan has no node {root_id}"
        if not root.contract.signatures:
            return f"{root_id} has no contract with a signature"
        inside = frozenset(subtree(self.graph, root_id))
        crossings = chain(_slot_crossings(root, inside, self.graph), self._code_crossings(root.contract, inside))
        return next(crossings, "")

    def _code_crossings(self, contract: Contract, inside: frozenset[str]) -> Iterator[str]:
        for read in self._units:
            if read.refusal:
                yield f"`{read.unit.name}` of {read.unit.owner} cannot be read: {read.refusal}"
        exposed = _exposed(contract, [read.unit for read in self._units if read.unit.owner in inside])
        for name in self._names_of(inside):
            for user in self._users.get(name, ()):
                if name not in exposed and user.owner not in inside:
                    yield f"`{user.name}` of {user.owner} uses `{name}`, which the branch does not expose"

    def _names_of(self, inside: frozenset[str]) -> tuple[str, ...]:
        """Return the names that stand for code inside, in program order.

        Functions, classes and methods by their own names; a variable only where no code outside binds it too.
        """
        names: dict[str, None] = {}
        for read in self._units:
            if read.unit.owner in inside:
                if read.unit.kind != "block":
                    names[read.unit.name] = None
                names |= {name: None for name in sorted(read.bound) if self._binders[name] <= inside}
        return tuple(names)

    @cached_property
    def _units(self) -> tuple[_Read, ...]:
        return tuple(_read(unit) for unit in self.assembly.units)

    @cached_property
    def _users(self) -> dict[str, list[CodeUnit]]:
        """Units by the module-level name that they use, in program order."""
        users: dict[str, list[CodeUnit]] = {}
        for read in self._units:
            for name in sorted(read.used):
                users.setdefault(name, []).append(read.unit)
        return users

    @cached_property
    def _binders(self) -> dict[str, set[str]]:
        """Owners of the units that bind a module-level name, by name."""
        binders: dict[str, set[str]] = {}
        for read in self._units:
            for name in read.bound:
                binders.setdefault(name, set()).add(read.unit.owner)
        return binders


class _Read(NamedTuple):
    """What a unit's syntax tree says about the names of the program."""

    unit: CodeUnit
    used: frozenset[str]
    """Module-level names, and `Class.attribute` where the attribute is written on such a name."""
    bound: frozenset[str]
    refusal: str = ""


def _read(unit: CodeUnit) -> _Read:
    """Return the names of a unit; a method has none of its own, as the text of its class holds it.

    The merged import block only binds: what a name of it is used for stands elsewhere.
    """
    if unit.kind == "method":
        return _Read(unit, frozenset(), frozenset())
    tree = parse_source(unit.text, most=20 * MAX_SOURCE)
    if isinstance(tree, Refusal):
        return _Read(unit, frozenset(), frozenset(), tree.reason)
    names = module_names(tree)
    if unit.name == IMPORTS:
        return _Read(unit, frozenset(), names.bound)
    owners = {id(part.value): part.attr for part in ast.walk(tree) if isinstance(part, ast.Attribute)}
    dotted = {f"{use.name}.{owners[id(use.node)]}" for use in names.uses if id(use.node) in owners}
    return _Read(unit, frozenset(use.name for use in names.uses) | names.ambiguous | dotted, names.bound)


def _exposed(contract: Contract, units: list[CodeUnit]) -> frozenset[str]:
    """Return the names that a contract exposes: its functions, or where it names methods, these and their classes."""
    promised = {signature.name for signature in contract.signatures}
    functions = {unit.name for unit in units if unit.kind == "function"} & promised
    methods = {
        unit.name
        for unit in units
        if unit.kind == "method" and unit.name.rpartition(".")[2] in promised - functions
    }  # fmt: skip
    return frozenset(functions | methods | {method.rpartition(".")[0] for method in methods})


def _slot_crossings(root: Node, inside: frozenset[str], graph: TaskGraph) -> Iterator[str]:
    """Yield every slot edge and dependency across the border that the root does not declare."""
    declared = {slot.name for slot in root.inputs}
    taken = {(each.node, each.output) for each in root.provenance if each.slot in declared}
    given = {(root.id, slot.name) for slot in root.outputs}
    known = {node for node, _ in taken} | set(root.depends_on)
    for node in graph.nodes:
        for source in node.provenance:
            edge, crossing = (source.node, source.output), (source.node in inside) != (node.id in inside)
            if crossing and edge not in (taken if node.id in inside else given):
                yield f"{node.id} takes {source.node}.{source.output} past the declared slots of {root.id}"
        for other in node.depends_on:
            if other in inside and node.id not in inside and other != root.id:
                yield f"{node.id} depends on {other} inside the branch"
            if other not in inside and node.id in inside and other not in known and node.id != root.id:
                yield f"{node.id} depends on {other}, which {root.id} does not take from"
