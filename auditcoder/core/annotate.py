"""A program with the values it took as end-of-line comments (Breakpoint Debugging, section 2, annotation rules)."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Sequence

from auditcoder.core.parsing import MAX_SOURCE, Refusal, parse_source
from auditcoder.records.trace import Trace, TracedLine

_MOST = 4 * MAX_SOURCE
"""A linked program is longer than the source of a node."""
_FIRST = 4
"""Values that stand before the gap of a series that is not whole."""
_LEFT_OUT = "# ... values of later lines are left out"


def annotated(program: str, trace: Trace, limit: int = 6000, parts: Sequence[tuple[int, int]] = ()) -> str | None:
    """Return a program with the values of a trace as comments, one at the end of each line that showed any.

    The program with all of them parses to the same tree. A statement of several lines has its comment on its last one.
    What does not fit is left out from the end, and that is said.

    Args:
        program: Its text.
        trace: A usable trace of it.
        limit: Characters of the result at most.
        parts: (first, last) lines that are returned; empty for all.

    Returns:
        None without a value to show, when the program does not parse or has lines that end in a lone carriage return,
        or when it is longer than the limit by itself.
    """
    tree = parse_source(program, most=_MOST)
    if isinstance(tree, Refusal) or not trace.lines or "\r" in program.replace("\r\n", "\n"):
        return None
    try:
        ends = _logical_ends(program)
    except (tokenize.TokenError, SyntaxError):  # the parser and the tokenizer need not agree on every text
        return None
    lines = program.split("\n")
    wanted = [number for first, last in parts or [(1, len(lines))] for number in range(first, last + 1)]
    comments = _comments(trace, ends, frozenset(wanted))
    room = limit - sum(len(lines[number - 1]) + 1 for number in wanted) - len(_LEFT_OUT) - 2
    kept = _fitting(comments, room)
    if not kept:
        return None
    told = [line.rstrip("\r") + kept.get(number, "") for number, line in enumerate(lines, start=1)]
    if not _same(tree, "\n".join(told)):
        return None
    shown = [told[number - 1] for number in wanted]
    if len(kept) < len(comments):
        shown += [_LEFT_OUT] if shown[-1] else [shown.pop() + _LEFT_OUT]
    return "\n".join(shown).rstrip("\n") + "\n"


def _comments(trace: Trace, ends: dict[int, int], wanted: frozenset[int]) -> dict[int, str]:
    """Return the whole comment of each line that has one, in order."""
    phrases: dict[int, list[str]] = {}
    for line in sorted(trace.lines, key=lambda each: each.line):
        if ends.get(line.line) in wanted:
            phrases.setdefault(ends[line.line], []).append(_phrase(line))
    return {number: "  # " + "; ".join(phrases[number]) for number in sorted(phrases)}


def _fitting(comments: dict[int, str], room: int) -> dict[int, str]:
    """Return the first comments, as far as there is room."""
    kept: dict[int, str] = {}
    for number, text in comments.items():
        room -= len(text)
        if room < 0:
            break
        kept[number] = text
    return kept


def _logical_ends(program: str) -> dict[int, int]:
    """Return the line where a comment can stand for each line, the last of its statement; by the tokens of the text."""
    ends: dict[int, int] = {}
    first = 0
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER):
            continue
        first = first or token.start[0]
        if token.type == tokenize.NEWLINE:
            ends |= dict.fromkeys(range(first, token.start[0] + 1), token.start[0])
            first = 0
    return ends


def _same(tree: ast.Module, text: str) -> bool:
    """Return whether a text is that program still. Brackets in comments, of values that were clipped, do not count."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(text)) == ast.dump(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False


def _phrase(line: TracedLine) -> str:
    values = _series(line)
    match line.kind:
        case "return":
            return f"returns {values}"
        case "yield":
            return f"yields {values}"
        case "raise":
            return f"raises {values}"
        case "condition":
            return f"is {values}"
        case "jump":
            return f"{line.name} in iteration {values}"
    return f"{line.name} = {values}" if line.name else values


def _series(line: TracedLine) -> str:
    if line.count <= len(line.values):
        return ", ".join(line.values)
    first, last = line.values[:_FIRST], line.values[_FIRST:]
    return f"{', '.join([*first, '...', *last])} ({line.count} in all)"
