"""The code units of one source (core.md section 1): functions, classes with their methods, module-level blocks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from auditcoder.core.effects import starts_program
from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import Piece, spaced, split
from auditcoder.core.scopes import FUNCTIONS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import CodeUnit, UnitKind

IMPORTS = "<imports>"
ENTRY = "<entry>"
PRELUDE = "<prelude>"
"""Statements of the task's own prelude that are neither imports nor definitions."""


class MethodLines(NamedTuple):
    """A method inside the text of its class: 1-based lines of that text."""

    name: str
    """Qualified: `Class.method`."""
    first: int
    last: int


class Segment(NamedTuple):
    """A run of lines of one unit, in the place where its owner wrote it."""

    unit: str
    kind: UnitKind
    text: str
    gap: int
    """Blank lines in front."""
    methods: tuple[MethodLines, ...] = ()


def constants_name(owner: str) -> str:
    """Return the name of a node's block of constants."""
    return f"<constants:{owner}>"


def parse_units(source: str, owner: str, *, starts: bool = False) -> tuple[CodeUnit, ...] | Refusal:
    """Return the units of one node's source, imports first, or why the source has none.

    Everything in the source is in exactly one unit; methods are listed after their class, for addressing, with text
    that the class contains. Several statements or definitions of one name make one unit.

    Args:
        source: What the node owns.
        owner: Its id.
        starts: Whether the program is entered by this node, so that its module-level work is the unit `<entry>`.
    """
    text = normalize(source)
    tree = parse_source(text)
    if isinstance(tree, Refusal):
        return tree
    pieces = split(text, tree)
    imports = [Segment(IMPORTS, "block", piece.text, 0) for piece in pieces if piece.kind == "import"]
    return to_units([*imports, *segments(pieces, tree, owner, starts=starts)], owner)


def segments(pieces: Sequence[Piece], tree: ast.Module, owner: str, *, starts: bool) -> tuple[Segment, ...]:
    """Return the segments of a source without its imports, in order; `tree` is what the pieces were split from."""
    placed = spaced(piece for piece in pieces if piece.kind != "import")
    return tuple(_segment(piece, gap, tree, owner, starts=starts) for piece, gap in placed)


def to_units(found: Iterable[Segment], owner: str) -> tuple[CodeUnit, ...]:
    """Return one unit a name, in order of first appearance, each class followed by its methods."""
    texts: dict[str, list[str]] = {}
    kinds: dict[str, UnitKind] = {}
    for segment in found:
        lines = segment.text.split("\n")
        kinds.setdefault(segment.unit, segment.kind)
        texts.setdefault(segment.unit, []).append(segment.text)
        for name, first, last in segment.methods:
            kinds.setdefault(name, "method")
            texts.setdefault(name, []).append("\n".join(lines[first - 1 : last]))
    return tuple(_unit(name, kinds[name], owner, "\n".join(parts)) for name, parts in texts.items())


def _unit(name: str, kind: UnitKind, owner: str, text: str) -> CodeUnit:
    return CodeUnit(name=name, kind=kind, owner=owner, text=text, digest=sha256_text(text))


def _segment(piece: Piece, gap: int, tree: ast.Module, owner: str, *, starts: bool) -> Segment:
    if piece.kind == "function":
        return Segment(piece.name, "function", piece.text, gap)
    if piece.kind == "class":
        return Segment(piece.name, "class", piece.text, gap, tuple(_methods_of(piece)))
    begins = starts and piece.kind == "statement" and starts_program(tree.body[piece.place])
    return Segment(ENTRY if begins else constants_name(owner), "block", piece.text, gap)


def _methods_of(piece: Piece) -> Iterator[MethodLines]:
    """The class is parsed again on its own: its lines count from the first line of the piece."""
    tree = parse_source(piece.text)
    if isinstance(tree, ast.Module):
        for statement in tree.body:
            if isinstance(statement, ast.ClassDef):
                yield from _methods(statement, piece.name)


def _methods(node: ast.ClassDef, prefix: str) -> Iterator[MethodLines]:
    for statement in node.body:
        if isinstance(statement, FUNCTIONS):
            first = min([statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)])
            yield MethodLines(f"{prefix}.{statement.name}", first, statement.end_lineno or first)
        elif isinstance(statement, ast.ClassDef):
            yield from _methods(statement, f"{prefix}.{statement.name}")
