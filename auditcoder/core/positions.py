"""Where things stand in a source text: character offsets of nodes and of identifiers.

The tree gives lines and UTF-8 byte columns, and no position at all for some identifiers (the name of a `def`, of an
`as`, of a `global`); those are found among the tokens.
"""

from __future__ import annotations

import ast
import io
import token
import tokenize
import unicodedata
from bisect import bisect_left
from typing import NamedTuple, Protocol, cast

from auditcoder.errors import AssemblyError


class Span(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int


class Word(NamedTuple):
    """An identifier or keyword token."""

    start: int
    end: int
    text: str
    """As the compiler reads it (NFKC)."""


class _Positioned(Protocol):
    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


class Positions:
    """Character offsets in one source text, whose lines end in a line feed."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = source.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._words: list[Word] | None = None

    def offset(self, line: int, byte_column: int) -> int:
        """Return the character offset of a 1-based line and a UTF-8 byte column."""
        text = self._lines[line - 1]
        column = byte_column if text.isascii() else len(text.encode()[:byte_column].decode(errors="ignore"))
        return self._starts[line - 1] + column

    def span(self, node: ast.AST) -> Span:
        """Return the characters of a node (decorators of a function or class not included)."""
        place = cast(_Positioned, node)
        start = self.offset(place.lineno, place.col_offset)
        return Span(start, self.offset(place.end_lineno, place.end_col_offset))

    def line(self, offset: int) -> int:
        """Return the 1-based line of a character offset."""
        return bisect_left(self._starts, offset + 1)

    def words(self, span: Span) -> list[Word]:
        """Return the identifier and keyword tokens that start inside a span.

        Raises:
            AssemblyError: the text cannot be split into tokens.
        """
        if self._words is None:
            self._words = self._tokenize()
        first = bisect_left(self._words, (span.start, 0, ""))
        return self._words[first : bisect_left(self._words, (span.end, 0, ""))]

    def _tokenize(self) -> list[Word]:
        words = []
        try:
            for found in tokenize.generate_tokens(io.StringIO(self.source).readline):
                if found.type == token.NAME:
                    start = self._starts[found.start[0] - 1] + found.start[1]
                    words.append(Word(start, start + len(found.string), nfkc(found.string)))
        except (tokenize.TokenError, SyntaxError) as error:
            raise AssemblyError(f"a source cannot be split into tokens: {error}") from error
        return words


def nfkc(name: str) -> str:
    """Return an identifier in the normal form in which the compiler compares names."""
    return unicodedata.normalize("NFKC", name)
