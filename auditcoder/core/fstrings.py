"""Where the expressions of an f-string stand.

Before Python 3.12 the tree has wrong positions for much of what is inside f-strings, and tokens do not look inside.
So the literal is scanned: fields in the order in which the tree lists them, with the place of each expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from auditcoder.core.positions import Positions, Span
from auditcoder.errors import AssemblyError

_GAP = re.compile(r"(?:[ \t\f\n]|\\\n|#[^\n]*)*")
_OPENING = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_NAMED_ESCAPE = re.compile(r"\\N\{[^}]*\}")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Field(NamedTuple):
    """One replacement field of an f-string."""

    opening: int
    """Offset of its brace."""
    expression: Span
    equals: Span | None
    """`=` with the blanks around it, of a self-documenting field."""
    plain: bool
    """Whether it has neither a conversion nor a format specification."""


class Reading(NamedTuple):
    """The place of a name inside an f-string, and the self-documenting fields around it, outermost first."""

    span: Span
    documented: tuple[Field, ...]


def name_spans(source: str, node: ast.JoinedStr, span: Span) -> dict[int, Reading]:
    """Return the place of every name in an f-string, by `id()` of its node; `span` is the place of the literal.

    Raises:
        AssemblyError: the scan and the tree disagree.
    """
    found: dict[int, Reading] = {}
    try:
        _collect(source, node, span, 0, (), found)
    except (ValueError, IndexError, SyntaxError) as error:
        raise AssemblyError(f"an f-string cannot be rewritten: {source[span.start : span.end]!r}: {error}") from error
    return found


def _collect(
    text: str, node: ast.JoinedStr, span: Span, shift: int, around: tuple[Field, ...], found: dict[int, Reading]
) -> None:
    """`shift` is where `text` begins in the whole source; fields and readings are kept in whole-source offsets."""
    for field, value in zip(_scan_literals(text, span), _values(node), strict=True):
        expression = text[field.expression.start : field.expression.end]
        inner = f"({expression}\n)"
        parsed = ast.parse(inner, mode="eval").body
        moved = _moved(field, shift)
        documented = (*around, moved) if moved.equals else around
        _pair(inner, value.value, parsed, moved.expression.start - 1, documented, found)


def _pair(
    text: str, node: ast.AST, twin: ast.AST, shift: int, around: tuple[Field, ...], found: dict[int, Reading]
) -> None:
    """Walk the real tree and the re-read expression side by side: the twin has the positions."""
    positions = Positions(text)
    stack = [(node, twin)]
    while stack:
        real, copy = stack.pop()
        if isinstance(real, ast.JoinedStr):
            _collect(text, real, positions.span(copy), shift, around, found)
            continue
        if isinstance(real, ast.Name):
            start, end = positions.span(copy)
            found[id(real)] = Reading(Span(start + shift, end + shift), around)
        stack.extend(zip(ast.iter_child_nodes(real), ast.iter_child_nodes(copy), strict=True))


def _moved(field: Field, shift: int) -> Field:
    equals = field.equals and Span(field.equals.start + shift, field.equals.end + shift)
    expression = Span(field.expression.start + shift, field.expression.end + shift)
    return Field(field.opening + shift, expression, equals, field.plain)


def _values(node: ast.JoinedStr) -> Iterator[ast.FormattedValue]:
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            yield value
            if isinstance(value.format_spec, ast.JoinedStr):
                yield from _values(value.format_spec)


def _scan_literals(text: str, span: Span) -> Iterator[Field]:
    """Yield the fields of adjacent string literals: an implicit concatenation is one node."""
    fields: list[Field] = []
    at = _skip_gap(text, span.start)
    while at < span.end:
        at = _skip_gap(text, _scan_string(text, at, fields))
    yield from fields


def _skip_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _scan_string(text: str, at: int, fields: list[Field]) -> int:
    """Return the offset behind the string literal that starts here; its fields are appended."""
    opening = _OPENING.match(text, at)
    if opening is None:
        raise ValueError("no string literal where one is expected")
    prefix, quote = opening[1].lower(), opening[2]
    at = opening.end()
    while not text.startswith(quote, at):
        if at >= len(text):
            raise ValueError("unterminated string literal")
        if text[at] == "\\":
            named = _NAMED_ESCAPE.match(text, at) if "r" not in prefix else None
            at = named.end() if named else at + (1 if text[at + 1] in "{}" and "f" in prefix else 2)
        elif "f" in prefix and text.startswith(("{{", "}}"), at):
            at += 2
        elif "f" in prefix and text[at] == "{":
            at = _scan_field(text, at, fields)
        else:
            at += 1
    return at + len(quote)


def _scan_field(text: str, opening: int, fields: list[Field]) -> int:
    """Return the offset behind the field whose brace is at `opening`; it and the fields inside are appended."""
    end = _expression_end(text, opening + 1)
    expression, equals = Span(opening + 1, end), None
    if text[end] == "=":
        behind = re.compile(r"\s*").match(text, end + 1)
        equals = Span(end, behind.end() if behind else end + 1)
        end = equals.end
    place = len(fields)
    plain = text[end] == "}"
    fields.append(Field(opening, expression, equals, plain))
    at = end
    if text[at] == "!":
        while text[at] not in ":}":
            at += 1
    if text[at] == ":":
        at += 1
        while text[at] != "}":
            at = _scan_field(text, at, fields) if text[at] == "{" else at + 1
    if text[at] != "}":
        raise ValueError("a field does not end")
    assert fields[place].opening == opening
    return at + 1


def _expression_end(text: str, at: int) -> int:
    """Return where the expression of a field ends: at `!`, `:`, `=` or `}` outside brackets and strings."""
    closing: list[str] = []
    while True:
        char = text[at]
        literal = _OPENING.match(text, at)
        if literal is not None and not (at and (text[at - 1].isalnum() or text[at - 1] == "_")):
            at = _scan_string(text, at, [])
            continue
        if char == "#":
            at = text.index("\n", at)
        elif char in _CLOSING:
            closing.append(_CLOSING[char])
        elif closing and char == closing[-1]:
            closing.pop()
        elif not closing:
            if text[at : at + 2] in ("==", "!=", "<=", ">="):
                at += 1
            elif char in "!:=}":
                return at
        at += 1
