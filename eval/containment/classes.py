"""Splits a class: every method a node under a root that owns the class shell, its constants and the constructor.

The product gives a class to one owner; here methods have their own, so the program is put together by hand: header,
then the members in their order, with a line map by method.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditcoder.core.units import IMPORTS
from auditcoder.core.versions import Active
from auditcoder.errors import TaskError
from auditcoder.eval.containment.contracts import contract_of, signature_of
from auditcoder.eval.containment.edges import providers_first, without_circles
from auditcoder.eval.containment.fields import Access, access_of
from auditcoder.eval.containment.subject import Part
from auditcoder.eval.containment.tidy import tidy
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.graph import ROOT, TASK, Contract, Node, Provider, Slot, TaskGraph

CONSTRUCTOR = "__init__"
FIELD = "self."
"""How the slots of attributes begin."""
_INDENT = "    "


class ClassLayout(NamedTuple):
    """The class shell: what stands before the class, its header, and its members that are no methods."""

    name: str
    before: str
    """Imports and other module-level code."""
    header: str
    constants: str
    """Statements of the class body that are no methods; they come first."""

    def active(self, graph: TaskGraph, parts: Sequence[Part]) -> Active:
        """Return the program of the parts."""
        shell = "\n".join(line for line in (self.header, _indented(self.constants)) if line)
        sections = [(IMPORTS, ROOT, self.before)] if self.before else []
        sections += [(self.name, ROOT, shell), *((part.unit, part.owner, _indented(part.text)) for part in parts)]
        program, lines = _page(sections)
        units = tuple(_unit(self.name, name, owner, text) for name, owner, text in sections)
        assembly = Assembly(program=program, digest=sha256_text(program), units=units, lines=lines)
        return Active(graph, _codes(sections), assembly)


class SplitClass(NamedTuple):
    """A class as graph, parts and layout."""

    graph: TaskGraph
    parts: tuple[Part, ...]
    layout: ClassLayout


def split_class(source: str, name: str, docs: dict[str, str]) -> SplitClass:
    """Return the graph and the parts of a module with one class.

    Args:
        source: Imports and the class.
        name: Of the class.
        docs: Docstrings by method name; they make the contracts.

    Raises:
        TaskError: there is no such class, it has no method, or two methods of one name.
    """
    body = ast.parse(source).body
    found = [part for part in body if isinstance(part, ast.ClassDef) and part.name == name]
    if len(found) != 1:
        raise TaskError(f"the program does not define the class {name} once", field="class_name")
    methods = {part.name: part for part in found[0].body if isinstance(part, ast.FunctionDef)}
    if not methods or len(methods) != sum(isinstance(part, ast.FunctionDef) for part in found[0].body):
        raise TaskError(f"the class {name} has no methods, or two of one name", field="solution_code")
    owners = _owners(list(methods))
    graph = _graph(_Class(name, methods, owners, docs))
    parts = tuple(Part(f"{name}.{method}", owners[method], tidy(methods[method])) for method in methods)
    return SplitClass(graph, parts, _layout(found[0], [part for part in body if part is not found[0]]))


def _owners(methods: Sequence[str]) -> dict[str, str]:
    others = [method for method in methods if method != CONSTRUCTOR]
    return {CONSTRUCTOR: ROOT, **{method: f"S{number}" for number, method in enumerate(others, start=1)}}


def _layout(cls: ast.ClassDef, before: Sequence[ast.stmt]) -> ClassLayout:
    constants = [part for part in cls.body if not isinstance(part, ast.FunctionDef) and not _is_text(part)]
    empty = copy.copy(cls)
    empty.body = [ast.Pass()]
    header = ast.unparse(empty).rpartition("\n")[0]
    return ClassLayout(cls.name, "\n".join(map(ast.unparse, before)), header, "\n".join(map(ast.unparse, constants)))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _indented(text: str) -> str:
    """Indent lines, but not those that go on inside a text of several lines: `ast.unparse` writes such with escapes."""
    return "\n".join(f"{_INDENT}{line}" if line else line for line in text.split("\n"))


def _page(sections: Sequence[tuple[str, str, str]]) -> tuple[str, tuple[LineOwner, ...]]:
    lines: list[str] = []
    owned: list[LineOwner] = []
    for unit, owner, text in sections:
        if lines:
            lines.append("")
        first = len(lines) + 1
        lines.extend(text.split("\n"))
        owned.append(LineOwner(first=first, last=len(lines), unit=unit, owner=owner))
    return "\n".join(lines) + "\n", tuple(owned)


def _unit(cls: str, name: str, owner: str, text: str) -> CodeUnit:
    kind = "block" if name == IMPORTS else "class" if name == cls else "method"
    return CodeUnit(name=name, kind=kind, owner=owner, text=text, digest=sha256_text(text))  # type: ignore[arg-type]


def _codes(sections: Sequence[tuple[str, str, str]]) -> dict[str, NodeCode]:
    sources: dict[str, list[str]] = {}
    for _, owner, text in sections:
        sources.setdefault(owner, []).append(text)
    joined = {owner: "\n\n".join(texts) for owner, texts in sources.items()}
    return {owner: NodeCode(node=owner, source=text, digest=sha256_text(text)) for owner, text in joined.items()}


class _Class(NamedTuple):
    name: str
    methods: dict[str, ast.FunctionDef]
    owners: dict[str, str]
    docs: dict[str, str]

    def accesses(self) -> dict[str, Access]:
        """Return what every method does with the object."""
        return {name: access_of(function, self.name, self.methods) for name, function in self.methods.items()}


def _graph(cls: _Class) -> TaskGraph:
    """Return the graph: the object's state is the root's; methods take it from there, and results of calls directly.

    A method that writes an attribute hands it on to the root's output of the same name (the slot graph's rule for
    children); one that reads it takes it from the root.
    """
    accesses = cls.accesses()
    others = [name for name in cls.methods if name != CONSTRUCTOR]
    edges = without_circles((callee, name) for name in others for callee in accesses[name].calls if callee in others)
    nodes = [_method(cls, name, accesses[name], [first for first, second in edges if second == name])
             for name in others]  # fmt: skip
    order = tuple(cls.owners[name] for name in providers_first(others, edges))
    return TaskGraph(nodes=(_root(cls, accesses), *nodes), order=order)


def _root(cls: _Class, accesses: dict[str, Access]) -> Node:
    made = cls.methods.get(CONSTRUCTOR)
    contract = contract_of(made, cls.docs.get(CONSTRUCTOR, "")) if made else Contract()
    contract = contract.model_copy(update={"postconditions": contract.postconditions[-1:]})  # it returns nothing
    given = (
        [Slot(name=parameter.name, type=parameter.type) for parameter in signature_of(made).parameters] if made else []
    )
    called = [name for name in accesses[CONSTRUCTOR].calls if name != CONSTRUCTOR] if made else []
    fields = sorted({name for access in accesses.values() for name in (*access.reads, *access.writes)})
    return Node(
        id=ROOT,
        goal=cls.name,
        executor="class-state",
        kind="orchestrator",
        contract=contract,
        inputs=(*given, *(Slot(name=_result(callee)) for callee in called)),
        outputs=(Slot(name="result"), *(Slot(name=_field(name)) for name in fields)),
        provenance=tuple(_provenance(cls, [slot.name for slot in given], (), called)),
    )


def _method(cls: _Class, name: str, access: Access, callees: Sequence[str]) -> Node:
    contract = contract_of(cls.methods[name], cls.docs.get(name, ""))
    given = [Slot(name=parameter.name, type=parameter.type) for parameter in contract.signatures[0].parameters]
    taken = [_field(field) for field in access.reads]
    return Node(
        id=cls.owners[name],
        parent=ROOT,
        goal=name,
        executor="class-state",
        kind="leaf",
        contract=contract,
        inputs=(*given, *(Slot(name=slot) for slot in (*taken, *map(_result, callees)))),
        outputs=(Slot(name="result"), *(Slot(name=_field(field)) for field in access.writes)),
        provenance=tuple(_provenance(cls, [slot.name for slot in given], taken, callees)),
    )


def _provenance(cls: _Class, given: Sequence[str], taken: Sequence[str], callees: Sequence[str]) -> Iterator[Provider]:
    yield from (Provider(slot=slot, node=TASK, output=slot) for slot in given)
    yield from (Provider(slot=slot, node=ROOT, output=slot) for slot in taken)
    yield from (Provider(slot=_result(callee), node=cls.owners[callee], output="result") for callee in callees)


def owners_of_fields(graph: TaskGraph) -> frozenset[str]:
    """Return the nodes that read or write an attribute: what their calls get and give is not all that they do."""
    return frozenset(
        node.id for node in graph.nodes for slot in (*node.inputs, *node.outputs) if slot.name.startswith(FIELD)
    )


def _field(name: str) -> str:
    return f"{FIELD}{name}"


def _result(callee: str) -> str:
    return f"{callee}()"
