"""One source split into top-level pieces: imports, functions, classes, other statements, each with its comments.

Nothing gets lost: a comment above a statement and one behind it belong to it, an indented one below a body belongs to
that body, and the comments of an import (imports are merged later) move to the piece that follows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from auditcoder.core.positions import Positions
from auditcoder.core.scopes import FUNCTIONS

PieceKind = Literal["import", "function", "class", "statement", "comment"]
_GAP = re.compile(r"(?:[ \t\f;]|\\?\n|#[^\n]*)*")
_COMMENT = re.compile(r"#[^\n]*")
"""Inside an import, where no string can be."""


class Piece(NamedTuple):
    """A top-level statement with its comments, ready to stand on lines of its own."""

    kind: PieceKind
    name: str
    """Name of the function or class; empty for others."""
    text: str
    """Without a final line feed."""
    line: int
    """1-based line of the statement in the source that was split."""
    place: int
    """Index of the statement in the module body; -1 for a comment alone."""


class _Part(NamedTuple):
    statement: ast.stmt
    place: int
    start: int
    end: int
    above: list[str]
    behind: list[str]
    """A comment on the statement's last line."""
    below: list[str]
    """Indented comments after a body."""


def split(source: str, tree: ast.Module) -> tuple[Piece, ...]:
    """Return the pieces of a source in order. Only semicolons, joining backslashes and blank lines go missing."""
    positions = Positions(source)
    parts, tail = _parts(positions, tree)
    pieces: list[Piece] = []
    carried: list[str] = []
    for part in parts:
        kind, name = _kind(part.statement)
        text, line = source[part.start : part.end], positions.line(part.start)
        if kind == "import":
            carried += [*part.above, *_COMMENT.findall(text), *part.behind]
            pieces.append(Piece(kind, "", _COMMENT.sub("", text), line, part.place))
        else:
            above = [*carried, *part.above]
            body = text + "".join(f"  {comment}" for comment in part.behind)
            pieces.append(Piece(kind, name, "\n".join([*above, body, *part.below]), line, part.place))
            carried = []
    return tuple(_with_tail(pieces, [*carried, *tail]))


def join(pieces: Iterable[Piece]) -> str:
    """Return one source from pieces: two blank lines around functions and classes, none between other statements."""
    return "".join("\n" * gap + piece.text + "\n" for piece, gap in spaced(pieces))


def spaced(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, int]]:
    """Yield each piece with the number of blank lines that belong in front of it."""
    before: Piece | None = None
    for piece in pieces:
        wide = before is not None and ("function" in (kinds := (before.kind, piece.kind)) or "class" in kinds)
        changed = before is not None and before.kind == "import" != piece.kind
        yield piece, 2 if wide or changed else 0
        before = piece


def _kind(statement: ast.stmt) -> tuple[PieceKind, str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return "import", ""
    if isinstance(statement, FUNCTIONS):
        return "function", statement.name
    if isinstance(statement, ast.ClassDef):
        return "class", statement.name
    return "statement", ""


def _parts(positions: Positions, tree: ast.Module) -> tuple[list[_Part], list[str]]:
    source, parts, at = positions.source, list[_Part](), 0
    for index, statement in enumerate(tree.body):
        start = _skip(source, at)
        above = _assign_comments(source[at:start], parts)
        at = positions.span(statement).end
        parts.append(_Part(statement, index, start, at, above, [], []))
    return parts, _assign_comments(source[at:], parts)


def _skip(source: str, at: int) -> int:
    gap = _GAP.match(source, at)
    return gap.end() if gap else at


def _assign_comments(gap: str, parts: list[_Part]) -> list[str]:
    """Return the comments that belong to what follows a gap; the others go to the part before it."""
    first, *rest = gap.split("\n")
    above: list[str] = []
    if "#" in first and parts:
        parts[-1].behind.append(first[first.index("#") :].rstrip())
    elif "#" in first:
        rest.insert(0, first)
    for line in rest:
        if "#" not in line:
            continue
        indented = line[:1] in (" ", "\t") and parts and hasattr(parts[-1].statement, "body") and not above
        (parts[-1].below if indented else above).append(line.rstrip() if indented else line[line.index("#") :].rstrip())
    return above


def _with_tail(pieces: list[Piece], comments: list[str]) -> list[Piece]:
    """Comments that nothing follows go below the last piece that stays in place."""
    if not comments:
        return pieces
    for place in range(len(pieces) - 1, -1, -1):
        piece = pieces[place]
        if piece.kind != "import":
            pieces[place] = piece._replace(text="\n".join([piece.text, *comments]))
            return pieces
    return [*pieces, Piece("comment", "", "\n".join(comments), 1, -1)]
