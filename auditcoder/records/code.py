"""Code units, ownership map `mu`, and the assembled program with its line map (core.md section 2)."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record

UnitKind = Literal["function", "class", "method", "block"]


class CodeUnit(Record):
    """A top-level function, a class, a method, or a module-level block, with exactly one owner.

    Methods are listed for addressing (`Class.method`) and carry no text of their own place in the program: the
    class unit's text contains them.
    """

    name: str
    """Qualified name; blocks are `<imports>`, `<constants:NODE>`, `<entry>`."""
    kind: UnitKind
    owner: str
    """Node id."""
    text: str
    digest: str
    """SHA-256 of the text."""


class NodeCode(Record):
    """The source that one node owns, as accepted from the model (before linking)."""

    node: str
    source: str
    digest: str
    """SHA-256 of the source."""


class LineOwner(Record):
    """Lines `first` to `last` (1-based, inclusive) of the program belong to `unit` of `owner`."""

    first: int
    last: int
    unit: str
    owner: str


class Rename(Record):
    """A private helper that was renamed inside its owner because its name collided."""

    node: str
    old: str
    new: str


class Assembly(Record):
    """The assembled program: text, units, line map. Every non-blank line has exactly one owner."""

    program: str
    digest: str
    """SHA-256 of the program text."""
    units: tuple[CodeUnit, ...]
    lines: tuple[LineOwner, ...]
    renames: tuple[Rename, ...] = ()

    def owner_of_line(self, line: int) -> LineOwner | None:
        """Return the entry of the line map for a 1-based line, or None for a blank line between units."""
        for entry in self.lines:
            if entry.first <= line <= entry.last:
                return entry
        return None

    def owner_of_unit(self, name: str) -> str | None:
        """Return the node id that owns the unit with this qualified name, or None."""
        for unit in self.units:
            if unit.name == name:
                return unit.owner
        return None
