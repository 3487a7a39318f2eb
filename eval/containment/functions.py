"""Splits a program of functions: every top-level function a node, and every inner one that needs nothing from around.

The entry function is the root, the others are its helpers. An inner function is lifted out when it reads no name of
the function around it, so that the program means the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditcoder.core.assembly import assemble
from auditcoder.core.scopes import module_names
from auditcoder.core.versions import Active
from auditcoder.errors import TaskError
from auditcoder.eval.containment.contracts import contract_of
from auditcoder.eval.containment.docstrings import local_checks
from auditcoder.eval.containment.edges import providers_first, without_circles
from auditcoder.eval.containment.subject import Part
from auditcoder.eval.containment.tidy import tidy
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.graph import ROOT, TASK, Node, Provider, Slot, TaskGraph
from auditcoder.records.task import Task


class Split(NamedTuple):
    """A program of functions as graph and parts; `prelude` is what is no function."""

    graph: TaskGraph
    parts: tuple[Part, ...]
    prelude: str


class FunctionLayout(NamedTuple):
    """Links the parts like the product does."""

    task: Task

    def active(self, graph: TaskGraph, parts: Sequence[Part]) -> Active:
        """Return the program of the parts."""
        codes = {part.owner: NodeCode(node=part.owner, source=part.text, digest=sha256_text(part.text))
                 for part in parts}  # fmt: skip
        return Active(graph, codes, assemble(graph, codes, self.task))


def split_functions(source: str, entry: str) -> Split:
    """Return the graph and the parts of a program that is entered by one function.

    Raises:
        TaskError: the source has no such function.
    """
    functions: dict[str, ast.FunctionDef] = {}
    rest: list[ast.stmt] = []
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef):
            functions[statement.name] = statement
        else:
            rest.append(statement)
    if entry not in functions:
        raise TaskError(f"the program does not define {entry}", field="entry_point")
    for function in list(functions.values()):
        functions |= {inner.name: inner for inner in _lifted(function, frozenset(functions))}
    helpers = [name for name in functions if name != entry]
    owners = {entry: ROOT, **{name: f"S{number}" for number, name in enumerate(helpers, start=1)}}
    calls = {name: _called(functions[name], helpers) for name in (entry, *helpers)}
    edges = without_circles((callee, name) for name in (*helpers, entry) for callee in calls[name])
    program = _Program(entry, functions, owners, edges)
    leaves = providers_first(helpers, edges) if helpers else (entry,)
    return Split(
        graph=TaskGraph(
            nodes=tuple(_node(name, program) for name in (entry, *helpers)),
            order=tuple(owners[name] for name in leaves),
        ),
        parts=tuple(Part(name, owners[name], tidy(functions[name])) for name in (entry, *helpers)),
        prelude="\n".join(ast.unparse(statement) for statement in rest),
    )


def _lifted(function: ast.FunctionDef, taken: frozenset[str]) -> Iterator[ast.FunctionDef]:
    """Take the inner functions out that can stand alone, and yield them."""
    for inner in [part for part in function.body if isinstance(part, ast.FunctionDef)]:
        if inner.name not in taken and _stands_alone(inner, function):
            function.body.remove(inner)
            yield inner


def _stands_alone(inner: ast.FunctionDef, around: ast.FunctionDef) -> bool:
    """Return whether an inner function reads nothing that the function around it binds."""
    free = module_names(ast.Module(body=[inner], type_ignores=[])).free
    bound = {arg.arg for arg in ast.walk(around.args) if isinstance(arg, ast.arg)}
    for node in ast.walk(around):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef) and node is not around:
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return not inner.decorator_list and not free & (bound - {inner.name})


class _Program(NamedTuple):
    entry: str
    functions: dict[str, ast.FunctionDef]
    owners: dict[str, str]
    edges: tuple[tuple[str, str], ...]
    """(callee, caller)."""


def _node(name: str, program: _Program) -> Node:
    function, root, several = program.functions[name], name == program.entry, len(program.owners) > 1
    doc = ast.get_docstring(function) or ""
    contract = contract_of(function, doc)
    given = tuple(Slot(name=parameter.name, type=parameter.type) for parameter in contract.signatures[0].parameters)
    callees = [callee for callee, caller in program.edges if caller == name]
    called = (Provider(slot=f"{callee}()", node=program.owners[callee], output="result") for callee in callees)
    return Node(
        id=program.owners[name],
        parent="" if root else ROOT,
        goal=name,
        executor="orchestration" if root else "simulation",
        kind="orchestrator" if root and several else "leaf",
        contract=contract,
        inputs=(*given, *(Slot(name=f"{callee}()") for callee in callees)),
        outputs=(Slot(name="result"),),
        provenance=(*(_source(slot.name, program, root=root) for slot in given), *called),
        local_checks=() if root and several else local_checks(name, doc),  # the root's examples are Q
    )


def _source(slot: str, program: _Program, *, root: bool) -> Provider:
    """The root takes its parameters from the task; a helper takes them from the root, which hands its own down."""
    names = [arg.arg for arg in program.functions[program.entry].args.args]
    if root or not names:
        return Provider(slot=slot, node=TASK, output=slot)
    return Provider(slot=slot, node=ROOT, output=slot if slot in names else names[0])


def _called(function: ast.FunctionDef, helpers: Sequence[str]) -> list[str]:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return [name for name in helpers if name in names and name != function.name]
