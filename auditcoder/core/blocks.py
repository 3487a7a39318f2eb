"""The blocks of a program by its syntax tree: which lines run together, for traces block by block (LDB, section 3).

No print statement is put into the program and no line is moved: a line tracer needs the lines alone (LDB, section 7.6).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from auditcoder.core.parsing import MAX_SOURCE, Refusal, parse_source
from auditcoder.core.scopes import FUNCTIONS

BlockLevel = Literal["block", "line", "function"]
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_NO_STATE = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Module-level statements that only define."""
_MODULE = "<module>"
_MOST = 4 * MAX_SOURCE
"""A linked program is longer than the source of a node."""


class Block(NamedTuple):
    """Lines that run together."""

    id: int
    function: str
    """Qualified name; `<module>` outside of functions."""
    source: str
    """Its lines of the program, each with its number."""


class BlockMap(NamedTuple):
    """The blocks of a program in the order of its text, ids from 0."""

    blocks: tuple[Block, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    """(line, block id) by line. Lines with several statements belong to the block of the first one."""


def block_map(program: str, level: BlockLevel = "block", *, module: bool = False) -> BlockMap:
    """Return the blocks of a program; none when it does not parse.

    block: basic blocks. A block begins with a body or behind a branch; a loop's head is one of its own, the test of an
    `if` ends the block that it stands in. line: each statement. function: each function, with its head in the source.

    Args:
        program: Its text.
        level: How finely it is cut.
        module: Whether module-level statements belong to the run, as in a program that reads standard input; otherwise
            only functions and methods have blocks.
    """
    tree = parse_source(program, most=_MOST)
    if isinstance(tree, Refusal):
        return BlockMap()
    cutter = _Cutter(level)
    if module:
        cutter.part(_MODULE, [statement for statement in tree.body if not isinstance(statement, _NO_STATE)])
    for name, function in _functions(tree.body, ""):
        cutter.part(name, function.body, function)
    return cutter.result(program.split("\n"))


def _functions(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function below some statements with its qualified name, outer ones first."""
    for statement in body:
        if isinstance(statement, FUNCTIONS):
            yield prefix + statement.name, statement
            yield from _functions(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, f"{prefix}{statement.name}.")
        else:
            yield from _functions(_inner(statement), prefix)


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements directly inside a compound statement."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body


class _Cutter:
    """Gives lines to blocks, function by function.

    Invariant: `_open` says that the next statement belongs to the last block of `_found`.
    """

    def __init__(self, level: BlockLevel) -> None:
        self._level = level
        self._found: list[str] = []
        self._heads: dict[int, range] = {}
        self._lines: dict[int, int] = {}
        self._open = False

    def part(
        self, name: str, body: Sequence[ast.stmt], function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    ) -> None:
        """Cut the body of a function, or the module's."""
        self._function, self._open, first = name, False, len(self._found)
        self._body(_without_docstring(body))
        if function is not None and self._level == "function" and len(self._found) > first:
            self._heads[first] = range(function.lineno, body[0].lineno)

    def result(self, text: Sequence[str]) -> BlockMap:
        """Return the map; blocks whose lines all belong to earlier ones are left out."""
        of: dict[int, list[int]] = {}
        for line, block in sorted(self._lines.items()):
            of.setdefault(block, []).append(line)
        order = {old: new for new, old in enumerate(sorted(of, key=lambda block: (of[block][0], block)))}
        blocks = [
            Block(new, self._found[old], _numbered(text, [*self._heads.get(old, ()), *of[old]]))
            for old, new in order.items()
        ]
        return BlockMap(tuple(blocks), tuple((line, order[block]) for line, block in sorted(self._lines.items())))

    def _body(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _fresh(self) -> None:
        """Let the next statement begin a block: control comes here from another place, too."""
        if self._level != "function":
            self._open = False

    def _take(self, first: int, last: int) -> None:
        """Give lines to the open block, or to a new one."""
        if not self._open:
            self._found.append(self._function)
            self._open = True
        block = len(self._found) - 1
        for line in range(first, last + 1):
            self._lines.setdefault(line, block)
        if self._level == "line":
            self._open = False

    def _branch(self, body: Sequence[ast.stmt]) -> None:
        if body:
            self._fresh()
            self._body(body)
            self._fresh()

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._take(node.lineno, node.lineno)  # that it is defined; its own lines are another part's
            case ast.If():
                self._take(node.lineno, _end(node.test))
                self._branch(node.body)
                self._branch(node.orelse)
            case ast.While() | ast.For() | ast.AsyncFor():
                self._fresh()
                self._take(node.lineno, _end(node.test if isinstance(node, ast.While) else node.iter))
                self._branch(node.body)
                self._branch(node.orelse)
            case ast.With() | ast.AsyncWith():
                self._take(node.lineno, max(_end(item.optional_vars or item.context_expr) for item in node.items))
                self._body(node.body)
            case ast.Try() | ast.TryStar():
                self._take(node.lineno, node.lineno)
                self._branch(node.body)
                for handler in node.handlers:
                    self._fresh()
                    self._take(handler.lineno, _end(handler.type) if handler.type else handler.lineno)
                    self._body(handler.body)
                self._branch(node.orelse)
                self._branch(node.finalbody)
            case ast.Match():
                self._take(node.lineno, _end(node.subject))
                for case in node.cases:
                    self._fresh()
                    self._take(case.pattern.lineno, _end(case.guard or case.pattern))
                    self._branch(case.body)
            case _:
                self._take(node.lineno, node.end_lineno or node.lineno)
                if isinstance(node, _LEAVES):
                    self._fresh()


def _end(node: ast.expr | ast.pattern) -> int:
    return node.end_lineno or node.lineno


def _without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), _, *_]:
            return body[1:]
    return body


def _numbered(text: Sequence[str], lines: Iterable[int]) -> str:
    return "\n".join(f"{line:>4} {text[line - 1]}" for line in lines)
