"""Who uses whom among a program's top-level definitions, and in which groups they are repaired, callees first.

By the syntax tree and Python's scoping rules: a name in a comment, in a string or shadowed by a local makes no edge
(MGDebugger, section 7.5). A class is one definition with its methods.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import networkx as nx

from auditcoder.core.parsing import Refusal, parse_source
from auditcoder.core.scopes import FUNCTIONS, module_names

_MOST_LIFTED = 50
_FRAME_READERS = frozenset({"locals", "vars", "eval", "exec", "dir"})
"""What sees the local names of the function that calls it."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class RepairUnit(NamedTuple):
    """Definitions that are repaired together: one alone, or a cycle."""

    names: tuple[str, ...]
    """In the order of the text."""
    entry: str
    """The one that is called from outside; the root where it is a member."""


def definition_graph(tree: ast.Module) -> nx.DiGraph:
    """Return the graph over the places of a module's statements: an edge from each to every one that binds its names.

    Statements that are no definitions stay in: a function may reach another one through a table of functions.
    """
    uses = module_names(tree).uses
    binders: dict[str, list[int]] = {}
    for use in uses:
        if use.stores:
            binders.setdefault(use.name, []).append(use.statement)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(tree.body)))
    graph.add_edges_from(
        (use.statement, place) for use in uses if not use.stores for place in binders.get(use.name, ())
    )
    return graph


def repair_units(source: str, root: str = "") -> tuple[RepairUnit, ...]:
    """Return the definitions that the root reaches, in groups bottom-up, the root's last; none when it does not parse.

    Args:
        source: The program.
        root: Name of the definition that is entered; empty: all definitions count, whoever reaches them.
    """
    tree = parse_source(source)
    if isinstance(tree, Refusal):
        return ()
    graph = definition_graph(tree)
    names = {place: node.name for place, node in enumerate(tree.body) if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
    if root:
        roots = [place for place, name in names.items() if name == root]
        graph = graph.subgraph({place for each in roots for place in (each, *nx.descendants(graph, each))})
    groups = nx.condensation(graph)
    members = {group: sorted(groups.nodes[group]["members"]) for group in groups}
    order = nx.lexicographical_topological_sort(groups.reverse(copy=False), key=lambda group: members[group])
    found = [[place for place in members[group] if place in names] for group in order]
    return tuple(_unit(graph, places, names, root) for places in found if places)


def _unit(graph: nx.DiGraph, places: list[int], names: dict[int, str], root: str) -> RepairUnit:
    inside = set(places)
    called = [place for place in places if any(each not in inside for each in graph.predecessors(place))]
    own = tuple(dict.fromkeys(names[place] for place in places))
    return RepairUnit(own, root if root in own else names[(called or places)[0]])


def flatten(source: str) -> str:
    """Return the program with nested functions at top level where that changes nothing; else the text as it is.

    A function is lifted out of the body of a top-level function when it uses no name of that function, has no
    decorator, no default that is computed, and a name that nothing else has. All others stay where they are and are
    repaired with the function around them.
    """
    for _ in range(_MOST_LIFTED):
        tree = parse_source(source)
        if isinstance(tree, Refusal):
            return source
        found = next(_liftable(tree, source.split("\n")), None)
        if found is None:
            return source
        source = _lifted(source.split("\n"), *found)
    return source


def _liftable(tree: ast.Module, lines: list[str]) -> Iterator[tuple[Function, Function]]:
    """Yield (outer, inner) functions of which the inner one can be lifted."""
    module = module_names(tree)
    taken = module.bound | {use.name for use in module.uses}
    for outer in tree.body:
        if isinstance(outer, FUNCTIONS) and len(outer.body) > 1:
            for inner in outer.body:
                if isinstance(inner, FUNCTIONS) and inner.name not in taken and _independent(outer, inner, lines):
                    yield outer, inner


def _independent(outer: Function, inner: Function, lines: list[str]) -> bool:
    alone = module_names(ast.Module(body=[inner], type_ignores=[])).free
    reads = module_names(ast.Module(body=[outer], type_ignores=[])).free
    bound = _bound_in(outer)
    defaults = [*inner.args.defaults, *(each for each in inner.args.kw_defaults if each is not None)]
    return (
        not inner.decorator_list
        and all(isinstance(each, ast.Constant) for each in defaults)
        and not alone & frozenset(bound)
        and not reads & _FRAME_READERS
        and bound.count(inner.name) == 1
        and not any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(inner))
        and not any(_attribute_of(node, inner.name) for node in ast.walk(outer))
        and _own_lines(outer, inner, lines)
    )


def _bound_in(outer: Function) -> list[str]:
    """Return the names that are bound anywhere in a function, deeper scopes included: more than its own, never less."""
    names: list[str] = []
    for node in ast.walk(outer):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.append(name)
            case ast.alias(name=name, asname=asname):
                names.append(asname or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.append(name)
            case ast.MatchMapping(rest=str(name)):
                names.append(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names += [name] if node is not outer else []
    return names


def _attribute_of(node: ast.AST, name: str) -> bool:
    """Return whether a function's attribute is used: kept for one call of the outer function, or for ever."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name


def _own_lines(outer: Function, inner: Function, lines: list[str]) -> bool:
    place = outer.body.index(inner)
    before = outer.body[place - 1].end_lineno or 0 if place else outer.lineno
    after = outer.body[place + 1].lineno if place + 1 < len(outer.body) else len(lines) + 1
    return before < inner.lineno and (inner.end_lineno or inner.lineno) < after


def _lifted(lines: list[str], outer: Function, inner: Function) -> str:
    first, last, end = inner.lineno - 1, inner.end_lineno or inner.lineno, outer.end_lineno or outer.lineno
    text = ast.unparse(inner) if _spanning_text(inner) else "\n".join(_less(inner.col_offset, lines[first:last]))
    return "\n".join([*lines[:first], *lines[last:end], "", "", text, "", "", *lines[end:]])


def _spanning_text(node: ast.AST) -> bool:
    """Return whether a string goes over several lines, whose blanks are part of it."""
    return any(
        (isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str | bytes)))
        and (part.end_lineno or 0) > part.lineno
        for part in ast.walk(node)
    )


def _less(indent: int, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield line[min(indent, len(line) - len(line.lstrip())) :]
