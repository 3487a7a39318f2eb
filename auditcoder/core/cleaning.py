"""What is taken out of a model's answer before it becomes a node's code, and why that loses nothing it needs.

A node owns definitions, the constants and settings they need, and imports. Other nodes' definitions, test code, prints
and entry guards are taken out and reported; a statement that the definitions need is never taken out.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from auditcoder.core.effects import is_docstring, is_guard, is_noisy, is_setting
from auditcoder.core.parsing import Refusal
from auditcoder.core.pieces import Piece
from auditcoder.core.scopes import ModuleNames, module_names

Why = Literal[
    "foreign-definition",
    "foreign-import",
    "superseded-definition",
    "entry-guard",
    "test-code",
    "unused-statement",
    "docstring",
]


class Removed(NamedTuple):
    """A part of an answer that did not become code of the node."""

    why: Why
    name: str
    """What it defines, where it defines something."""
    line: int
    text: str

    def render(self) -> str:
        """Return one line for the record."""
        named = f" `{self.name}`" if self.name else ""
        begins = next((line for line in self.text.split("\n") if not line.lstrip().startswith("#")), self.text)
        return f"{self.why}{named} (line {self.line}): {begins.strip()[:80]}"


class Cleaned(NamedTuple):
    """The pieces that stay, in order, and those that were taken out."""

    kept: tuple[Piece, ...]
    removed: tuple[Removed, ...]


@dataclass(frozen=True)
class Module:
    """A source with its pieces and names, and the module-level names that each top-level statement binds and reads."""

    tree: ast.Module
    pieces: tuple[Piece, ...]
    names: ModuleNames
    stores: tuple[frozenset[str], ...]
    loads: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, tree: ast.Module, pieces: tuple[Piece, ...]) -> Module:
        """Return a module with its names resolved."""
        names = module_names(tree)
        stores: list[set[str]] = [set() for _ in tree.body]
        loads: list[set[str]] = [set() for _ in tree.body]
        for use in names.uses:
            (stores if use.stores else loads)[use.statement].add(use.name)
        return cls(tree, pieces, names, tuple(map(frozenset, stores)), tuple(map(frozenset, loads)))

    def statement(self, piece: Piece) -> ast.stmt:
        """Return the statement of a piece that has one."""
        return self.tree.body[piece.place]


def drop_foreign(
    module: Module, foreign: Collection[str], provided: Collection[str], defined: Collection[str]
) -> Cleaned:
    """Return the pieces without definitions and imports of other nodes' names, or of what the prelude provides.

    Args:
        module: The answer.
        foreign: Names that other nodes define.
        provided: Names that the task's prelude binds: repeated functions and classes go, other bindings stay private.
        defined: Names that this node defines; importing them as well would hide them.
    """
    kept: list[Piece] = []
    removed: list[Removed] = []
    for piece in module.pieces:
        if piece.kind == "import":
            kept_import, gone = _drop_aliases(piece, module.statement(piece), {*foreign, *defined})
            kept += kept_import
            removed += gone
            continue
        name = piece.name if piece.kind != "statement" else _assigned(module.statement(piece))
        if name in foreign or (piece.name and name in provided):
            removed.append(Removed("foreign-definition", name, piece.line, piece.text))
        else:
            kept.append(piece)
    return Cleaned(tuple(kept), tuple(removed))


def drop_superseded(module: Module, pieces: Sequence[Piece], names: Collection[str]) -> Cleaned:
    """Return the pieces with only the last definition of each name, which is the one that Python keeps.

    Models repeat the given signature as a stub before they define the function. Where a statement between the two
    definitions uses the name, both stay.
    """
    last = {piece.name: piece.place for piece in pieces if piece.name in names}
    users = [piece for piece in pieces if piece.kind == "statement"]
    gone = [
        piece
        for piece in pieces
        if piece.name in last
        and piece.place < last[piece.name]
        and not any(
            piece.place < user.place < last[piece.name] and piece.name in module.loads[user.place] for user in users
        )
    ]
    removed = (Removed("superseded-definition", piece.name, piece.line, piece.text) for piece in gone)
    return Cleaned(tuple(piece for piece in pieces if piece not in gone), tuple(removed))


def _assigned(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _drop_aliases(piece: Piece, statement: ast.stmt, names: Collection[str]) -> tuple[list[Piece], list[Removed]]:
    assert isinstance(statement, ast.Import | ast.ImportFrom)
    gone = [alias for alias in statement.names if (alias.asname or alias.name) in names]
    removed = [Removed("foreign-import", alias.asname or alias.name, piece.line, piece.text) for alias in gone]
    rest = [alias for alias in statement.names if alias not in gone]
    if not gone or not rest:
        return [piece] if rest else [], removed
    shorter = ast.Import(rest) if isinstance(statement, ast.Import) else _from(statement, rest)
    return [piece._replace(text=ast.unparse(shorter))], removed


def _from(statement: ast.ImportFrom, names: list[ast.alias]) -> ast.ImportFrom:
    return ast.ImportFrom(statement.module, names, statement.level)


def drop_idle(module: Module, pieces: Sequence[Piece], expected: Collection[str]) -> Cleaned | Refusal:
    """Return the pieces without entry guards, test code and statements that the definitions do not need.

    The fixpoint: definitions stay (test functions only when something that stays uses them); a statement stays when
    it binds a name that what stays reads, when it works on such a name (filling a table), or when it is a setting.
    """
    needed = _Needed(module, pieces, expected)
    kept = needed.fixpoint()
    for piece in pieces:
        if piece in kept and piece.kind == "statement" and is_noisy(module.statement(piece)):
            reason = "code at module level reads, prints or stops; do that inside a function, not while the code loads"
            return Refusal(reason, piece.line)
    removed = (_removed(module, piece) for piece in pieces if piece not in kept)
    return Cleaned(tuple(piece for piece in pieces if piece in kept), tuple(removed))


def _removed(module: Module, piece: Piece) -> Removed:
    statement = module.statement(piece)
    if is_guard(statement):
        why: Why = "entry-guard"
    elif is_docstring(statement):
        why = "docstring"
    elif piece.name or is_noisy(statement) or isinstance(statement, ast.Assert | ast.Expr):
        why = "test-code"
    else:
        why = "unused-statement"
    return Removed(why, piece.name, piece.line, piece.text)


class _Needed:
    """Grows the set of pieces that stay until nothing more is needed."""

    def __init__(self, module: Module, pieces: Sequence[Piece], expected: Collection[str]) -> None:
        self._module = module
        self._pieces = pieces
        self._expected = frozenset(expected)
        self._functions = {piece.name: piece for piece in pieces if piece.kind == "function"}
        self._data = frozenset(n for piece in pieces if piece.kind == "statement" for n in module.stores[piece.place])

    def fixpoint(self) -> frozenset[Piece]:
        kept = frozenset(piece for piece in self._pieces if self._stays_anyway(piece))
        while True:
            read = frozenset(name for piece in kept if piece.place >= 0 for name in self._module.loads[piece.place])
            more = frozenset(piece for piece in self._pieces if piece not in kept and self._is_needed(piece, read))
            if not more:
                return kept
            kept |= more

    def _stays_anyway(self, piece: Piece) -> bool:
        if piece.kind in ("import", "comment"):
            return True
        if piece.kind == "statement":
            statement = self._module.statement(piece)
            return is_setting(statement) and not is_noisy(statement)
        return piece.name in self._expected or not (piece.name.lower().startswith("test") or piece.name == "main")

    def _is_needed(self, piece: Piece, read: frozenset[str]) -> bool:
        if piece.kind != "statement":
            return piece.name in read
        statement = self._module.statement(piece)
        if is_guard(statement) or is_docstring(statement) or isinstance(statement, ast.Assert):
            return False
        if self._module.stores[piece.place] & read:
            return True
        works = isinstance(statement, ast.Expr | ast.For | ast.While | ast.With | ast.If | ast.Try | ast.Delete)
        return works and not self._is_trial(piece) and bool(self._touched(piece) & read & self._data)

    def _is_trial(self, piece: Piece) -> bool:
        """A print, or a call that ends in a contract function, for its own sake: a trial, not preparation."""
        statement, touched = self._module.statement(piece), self._touched(piece)
        functions = [self._functions[name] for name in touched if name in self._functions]
        if is_noisy(statement) or any(is_noisy(self._module.statement(function)) for function in functions):
            return True
        return isinstance(statement, ast.Expr) and bool(touched & self._expected)

    def _touched(self, piece: Piece) -> frozenset[str]:
        """Names that running a statement may work on, through the functions that it calls."""
        touched: set[str] = set()
        waiting = list(self._reach(piece))
        while waiting:
            name = waiting.pop()
            if name not in touched:
                touched.add(name)
                waiting += self._reach(self._functions[name]) if name in self._functions else ()
        return frozenset(touched)

    def _reach(self, piece: Piece) -> Iterator[str]:
        yield from self._module.stores[piece.place] | self._module.loads[piece.place]
