"""One program of the study: its parts with their owners, its graph, its checks, and how it is put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from auditcoder.core.versions import Active
from auditcoder.records.graph import TaskGraph
from auditcoder.records.task import Check, EntryPoint

Pack = Literal["humaneval", "classeval", "own"]
Place = Literal["orchestrator", "helper", "method", "only"]
"""orchestrator: what is entered (the function, or the class with its constructor). helper: called by another unit.
method: called from outside only. only: the one owner of the program."""


class Part(NamedTuple):
    """A function or method: a fault can be put into it."""

    unit: str
    """Qualified name."""
    owner: str
    """Node id."""
    text: str
    """Its source without docstring, as `ast.unparse` writes it."""

    @property
    def plain(self) -> str:
        """Return the name without the class."""
        return self.unit.rpartition(".")[2]


class Layout(Protocol):
    """Puts parts together."""

    def active(self, graph: TaskGraph, parts: Sequence[Part]) -> Active:
        """Return the program of the parts, with its ownership and line map.

        Raises:
            AssemblyError: the parts do not link.
        """
        ...


class Subject(NamedTuple):
    """A program with everything that the study needs to know about it."""

    id: str
    pack: Pack
    entry: EntryPoint
    graph: TaskGraph
    parts: tuple[Part, ...]
    layout: Layout
    checks: tuple[Check, ...]
    """Development checks Q."""
    reserve: tuple[Check, ...] = ()
    """Checks that are added to Q only where all of Q pass under a fault."""
    examples: tuple[Check, ...] = ()
    """Executed examples of single nodes of a class, which the core's local checks cannot call; ids `NODE:E`."""

    def active(self, parts: Sequence[Part] | None = None) -> Active:
        """Return the program of other parts, or of its own."""
        return self.layout.active(self.graph, self.parts if parts is None else parts)

    def place(self, owner: str) -> Place:
        """Return where in the program an owner stands."""
        if len(self.graph.owners) == 1:
            return "only"
        if owner == self.graph.nodes[0].id:
            return "orchestrator"
        called = any(provider.node == owner for node in self.graph.nodes for provider in node.provenance)
        return "helper" if called else "method"

    def with_part(self, changed: Part) -> tuple[Part, ...]:
        """Return the parts with one of them replaced."""
        return tuple(changed if part.unit == changed.unit else part for part in self.parts)
