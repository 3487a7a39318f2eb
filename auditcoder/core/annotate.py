"""A program with the values it took as end-of-line comments (Breakpoint Debugging, section 2, annotation rules)."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from itertools import groupby

from auditcoder.core.parsing import MAX_SOURCE, Refusal, parse_source
from auditcoder.records.trace import Trace, TracedLine

_MOST = 4 * MAX_SOURCE
"""A linked program is longer than the source of a node."""
_FIRST = 4
"""Values that stand before the gap of a series that is not whole."""
_LEFT_OUT = "# ... values of later lines are left out"


def annotated(program: str, trace: Trace, limit: int = 6000) -> str | None:
    """Return a program with the values of a trace as comments, one at the end of each line that showed any.

    The result parses to the same tree as the program. A statement of several lines has its comment on its last one.
    What does not fit is left out from the end, and that is said.

    Args:
        program: Its text.
        trace: A usable trace of it.
        limit: Characters of the result at most.

    Returns:
        None without a value to show, when the program does not parse, or when it is longer than the limit by itself.
    """
    tree = parse_source(program, most=_MOST)
    if isinstance(tree, Refusal) or not trace.lines:
        return None
    try:
        ends = _logical_ends(program)
    except (tokenize.TokenError, SyntaxError):  # the parser and the tokenizer need not agree on every text
        return None
    comments: dict[int, list[str]] = {}
    for line, seen in groupby(sorted(trace.lines, key=lambda each: each.line), key=lambda each: each.line):
        if line in ends:
            comments.setdefault(ends[line], []).append(_comment(list(seen)))
    kept = _fitting(program, comments, limit)
    if not kept:
        return None
    text = _with_comments(program.split("\n"), kept, len(kept) < len(comments))
    return text if _same(tree, text) else None


def _fitting(program: str, comments: dict[int, list[str]], limit: int) -> dict[int, str]:
    """Return the comments by line, in order, as far as there is room."""
    room = limit - len(program) - len(_LEFT_OUT) - 2
    kept: dict[int, str] = {}
    for line in sorted(comments):
        text = "  # " + "; ".join(comments[line])
        room -= len(text)
        if room < 0:
            break
        kept[line] = text
    return kept


def _with_comments(lines: Sequence[str], comments: dict[int, str], cut: bool) -> str:
    out = [line.rstrip("\r") + comments.get(number, "") for number, line in enumerate(lines, start=1)]
    if cut:
        out[-1:] = [*([out[-1]] if out[-1] else []), _LEFT_OUT, ""]
    return "\n".join(out)


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
    parsed = parse_source(text, most=2 * _MOST)
    return not isinstance(parsed, Refusal) and ast.dump(parsed) == ast.dump(tree)


def _comment(seen: Sequence[TracedLine]) -> str:
    return "; ".join(_phrase(line) for line in seen)


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
