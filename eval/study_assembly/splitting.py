"""A whole program taken apart into nodes, by its syntax tree alone: no model, no hand.

Every top-level function or class is a node of its own, the rest is the root's. Merged into one node is only what could
not mean the same apart: definitions that share module-level state (the statements that make the state come along),
names that are bound more than once, and circles of calls. Contracts are the `def` lines, provenance the calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import networkx as nx

from auditcoder.core.cleaning import Module
from auditcoder.core.effects import starts_program
from auditcoder.core.imports import imports_of
from auditcoder.core.naming import starts_here
from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import Piece, join, split
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.scopes import FUNCTIONS
from auditcoder.records.graph import ROOT, Contract, Node, Provider, Slot, TaskGraph
from auditcoder.records.task import FunctionSignature, Parameter, Task

_ROOT_PLACE = -1


class Divided(NamedTuple):
    """A program as nodes."""

    graph: TaskGraph
    sources: dict[str, str]
    """The text of each code owner."""
    owners: dict[str, str]
    """The node of every top-level function and class of the program."""
    ranges: tuple[tuple[int, int, str], ...]
    """(first line, last line, node) of every statement of the normalized program, imports left out."""


def read_module(program: str) -> Module | Refusal:
    """Return a program with its names resolved, or why it has none."""
    text = normalize(program)
    tree = parse_source(text)
    return tree if isinstance(tree, Refusal) else Module.of(tree, split(text, tree))


def divide(task: Task, module: Module) -> Divided:
    """Return the program as nodes; the root owns what the task's entry needs, and everything that starts something."""
    parts = _Parts(module, task)
    groups = parts.groups()
    leaves = {place: f"S{number}" for number, place in enumerate(_ordered(parts, groups), start=1)}
    node_of = {place: leaves.get(group, ROOT) for place, group in groups.items()}
    sources = {node: parts.source(node, node_of) for node in (ROOT, *leaves.values())}
    named = [piece for piece in module.pieces if piece.name]
    statements = [piece for piece in module.pieces if piece.place in node_of]
    return Divided(
        graph=_graph(task, parts, node_of, tuple(leaves.values())),
        sources=sources,
        owners={piece.name: node_of[piece.place] for piece in named},
        ranges=tuple((*_lines(module.statement(piece)), node_of[piece.place]) for piece in statements),
    )


def _lines(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return first, statement.end_lineno or first


class _Parts:
    """The top-level statements of a program, who binds which name, and who must stay together."""

    def __init__(self, module: Module, task: Task) -> None:
        self.module = module
        self._task = task
        several = _bound_otherwise(module)
        self.imports = [p for p in module.pieces if p.kind == "import" and not _names_of(module, p) & several]
        own = {id(piece) for piece in self.imports}
        self.pieces = [piece for piece in module.pieces if id(piece) not in own and piece.kind != "comment"]

    def stores(self, piece: Piece) -> frozenset[str]:
        """Return the names that a piece binds."""
        return self.module.stores[piece.place] | ({piece.name} if piece.name else frozenset())

    def loads(self, piece: Piece) -> frozenset[str]:
        """Return the module-level names that a piece reads, anywhere in it."""
        return self.module.loads[piece.place]

    def groups(self) -> dict[int, int]:
        """Return the group of every piece, by places; the root's group is that of no piece."""
        together: nx.Graph = nx.Graph()
        together.add_nodes_from([_ROOT_PLACE, *(piece.place for piece in self.pieces)])
        together.add_edges_from(self._bonds())
        named = {piece.place for piece in self.pieces if piece.name}
        nameless = [part for part in nx.connected_components(together) if not part & named]
        together.add_edges_from((_ROOT_PLACE, place) for part in nameless for place in part)
        groups = {place: min(part) for part in nx.connected_components(together) for place in part}
        calls: nx.DiGraph = nx.DiGraph()
        calls.add_nodes_from(set(groups.values()))
        calls.add_edges_from((groups[user], groups[provider]) for user, provider in self.uses())
        calls.add_edges_from([(_ROOT_PLACE, user) for user in nx.ancestors(calls, _ROOT_PLACE)])  # they belong to it
        circle = {group: min(part) for part in nx.strongly_connected_components(calls) for group in part}
        return {place: circle[group] for place, group in groups.items() if place != _ROOT_PLACE}

    def uses(self) -> list[tuple[int, int]]:
        """Return (user, provider) places of every function or class that another piece reads."""
        named = {piece.name: piece.place for piece in self.pieces if piece.name}
        return [
            (piece.place, named[name])
            for piece in self.pieces
            for name in sorted(self.loads(piece) & named.keys())
            if named[name] != piece.place
        ]

    def _bonds(self) -> Iterable[tuple[int, int]]:
        for name in sorted({name for piece in self.pieces for name in self.stores(piece)}):
            first, *others = self._sharers(name)
            yield from ((first, other) for other in others)
        starts = starts_here(ROOT, self._task.entry)
        for piece in self.pieces:
            begins = starts and piece.kind == "statement" and starts_program(self.module.statement(piece))
            if begins or (piece.name and piece.name == self._task.entry.name):
                yield _ROOT_PLACE, piece.place

    def _sharers(self, name: str) -> list[int]:
        """Return who must stay together because of a name: its binders, and its readers unless it is a definition.

        A statement may read a definition before a later one of the same name replaces it.
        """
        binders = [piece for piece in self.pieces if name in self.stores(piece)]
        readers = [piece for piece in self.pieces if name in self.loads(piece)]
        if all(piece.name == name for piece in binders):
            readers = [piece for piece in readers if piece.kind == "statement" and len(binders) > 1]
        return [piece.place for piece in (*binders, *readers)]

    def source(self, node: str, node_of: dict[int, str]) -> str:
        """Return the text of a node: the imports that it reads (the root: also those that nobody reads), its pieces."""
        mine = [piece for piece in self.pieces if node_of[piece.place] == node]
        read = frozenset(name for piece in mine for name in self.loads(piece))
        everybody = frozenset(name for piece in self.pieces for name in self.loads(piece))
        kept = [p for p in self.imports if self._wanted(p, read, everybody, is_root=node == ROOT)]
        order = {id(piece): number for number, piece in enumerate(self.module.pieces)}
        comments = [piece for piece in self.module.pieces if piece.kind == "comment"] if node == ROOT else []
        return join(sorted([*kept, *mine, *comments], key=lambda piece: order[id(piece)]))

    def _wanted(self, piece: Piece, read: frozenset[str], everybody: frozenset[str], *, is_root: bool) -> bool:
        names = _names_of(self.module, piece)
        if not names or getattr(self.module.statement(piece), "module", "") == "__future__":
            return True  # a star or a future import is everybody's
        return bool(names & read) or (is_root and not names & everybody)


def _names_of(module: Module, piece: Piece) -> frozenset[str]:
    return frozenset(one.local for one in imports_of(module.statement(piece)) if one.local)


def _bound_otherwise(module: Module) -> frozenset[str]:
    """Return the names that statements or definitions bind, so that an import of the same name is state as well."""
    others = [piece for piece in module.pieces if piece.kind not in ("import", "comment")]
    return frozenset(name for piece in others for name in module.stores[piece.place])


def _ordered(parts: _Parts, groups: dict[int, int]) -> list[int]:
    """Return the groups besides the root's, providers first, else as they stand."""
    calls: nx.DiGraph = nx.DiGraph()
    calls.add_nodes_from(sorted(set(groups.values()) - {_ROOT_PLACE}))
    pairs = [(groups[provider], groups[user]) for user, provider in parts.uses()]
    calls.add_edges_from(pair for pair in pairs if pair[0] != pair[1] and _ROOT_PLACE not in pair)
    return list(nx.lexicographical_topological_sort(calls))


def _graph(task: Task, parts: _Parts, node_of: dict[int, str], leaves: Sequence[str]) -> TaskGraph:
    single = single_owner_graph(task).nodes[0]
    defined = {node: [p for p in parts.pieces if p.name and node_of[p.place] == node] for node in leaves}
    needs = {(node_of[user], node_of[provider]) for user, provider in parts.uses()}
    nodes = [_leaf(parts, node, defined, {p for u, p in needs if u == node and p not in (node, ROOT)})
             for node in leaves]  # fmt: skip
    root = single.model_copy(update={"kind": "orchestrator" if leaves else "leaf", "depends_on": tuple(leaves)})
    return TaskGraph(nodes=(root, *nodes), order=tuple(leaves) or (ROOT,))


def _leaf(parts: _Parts, node: str, defined: dict[str, list[Piece]], providers: set[str]) -> Node:
    users = [piece for piece in parts.pieces if piece not in defined[node]]
    read = frozenset(name for piece in users for name in parts.loads(piece))
    public = [p for p in defined[node] if p.name in read] or defined[node][-1:]
    signatures = {piece.name: definition_signature(parts.module.statement(piece)) for piece in public}
    order = sorted(providers)
    mine = frozenset(name for piece in defined[node] for name in parts.loads(piece))
    inputs = [(other, name) for other in order for name in _names(defined[other]) if name in mine]
    return Node(
        id=node,
        parent=ROOT,
        goal=f"Define {', '.join(signatures)}.",
        executor="simulation",
        kind="leaf",
        contract=Contract(signatures=tuple(signatures.values())),
        inputs=tuple(Slot(name=name) for _, name in inputs),
        outputs=tuple(Slot(name=name) for name in _names(defined[node])),
        provenance=tuple(Provider(slot=name, node=other, output=name) for other, name in inputs),
        depends_on=tuple(order),
    )


def _names(pieces: Sequence[Piece]) -> list[str]:
    return list(dict.fromkeys(piece.name for piece in pieces))


def definition_signature(statement: ast.stmt) -> FunctionSignature:
    """Return the contract that a `def` or `class` line states: positional parameters; of a class, only the name."""
    assert isinstance(statement, (*FUNCTIONS, ast.ClassDef))
    if isinstance(statement, ast.ClassDef):
        return FunctionSignature(name=statement.name)
    arguments = (*statement.args.posonlyargs, *statement.args.args)
    required = len(arguments) - len(statement.args.defaults)
    return FunctionSignature(
        name=statement.name, parameters=tuple(Parameter(name=each.arg) for each in arguments[:required])
    )
