"""Source text to syntax tree, for text that nobody trusts: every failure is a refusal with a line, never a crash.

`ast.parse` can overflow the C stack or the recursion limit on deeply nested text, so size and bracket depth are bounded
before it sees the text, and the depth of the tree after it.
"""

from __future__ import annotations

import ast
import warnings
from typing import NamedTuple

MAX_SOURCE = 64_000
"""Characters of one node's source."""
MAX_BRACKETS = 60
"""Nested brackets, counted without regard to strings: at worst a refusal that was not needed."""
MAX_DEPTH = 120
"""Nesting of the syntax tree; walks over it use two frames a level."""
MAX_RUN = 400
"""Unary operators or `**`/`not`/`lambda` in a row that the parser would recurse on."""


class Refusal(NamedTuple):
    """Why a text cannot be used, written so that a generator can act on it."""

    reason: str
    line: int = 0
    """1-based; 0 when no line is to blame."""


def normalize(source: str) -> str:
    r"""Return the text as the compiler reads it: `\r\n` and `\r` are line ends, no byte order mark, no tail blanks."""
    text = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text.strip("\n") + "\n"


def parse_source(source: str, *, most: int = MAX_SOURCE) -> ast.Module | Refusal:
    """Return the syntax tree of a text of at most `most` characters that also compiles, or why there is none."""
    early = _too_much(source, most)
    if early is not None:
        return early
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
            if _depth_exceeds(tree, MAX_DEPTH):
                return Refusal(f"the code is nested more than {MAX_DEPTH} levels deep; write it flatter")
            compile(source, "<node>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return Refusal(f"syntax error: {error.msg}", error.lineno or 0)
        except (ValueError, OverflowError) as error:
            return Refusal(f"the text is not Python source: {error}")
        except (RecursionError, MemoryError):
            return Refusal("the code is nested too deeply for the compiler; write it flatter")
    return tree


def is_expression(text: str) -> bool:
    """Return whether a text is one Python expression, as annotations must be."""
    if _too_much(text, MAX_SOURCE) is not None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False
    return True


def _too_much(source: str, most: int) -> Refusal | None:
    if len(source) > most:
        return Refusal(f"the code has {len(source)} characters; {most} are allowed")
    depth = run = 0
    for number, line in enumerate(source.split("\n"), start=1):
        for char in line:
            if char in "([{":
                depth += 1
            elif char in ")]}":
                depth = max(0, depth - 1)
            run = run + 1 if char in "-+~*" else (run if char == " " else 0)
            if depth > MAX_BRACKETS or run > MAX_RUN:
                return Refusal("the code is nested too deeply for the compiler; write it flatter", number)
    return None


def _depth_exceeds(tree: ast.AST, limit: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
