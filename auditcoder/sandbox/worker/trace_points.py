"""Where a program is looked at: each statement gets a line number of its own, each moment of interest an empty line.

A line tracer sees lines only. So the tree is compiled with one made-up line per statement, however many lines it has or
shares, and with a `pass` on a line of its own at each moment when something is to be read: behind an assignment, at the
start of a loop's body, at either end of a test. An event there says by itself that control came to this moment: whether
the statement before raised need not be guessed. `pass` does nothing, and every line that is executed has its event (PEP
626).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import NamedTuple

from auditcoder.sandbox.worker.trace_peek import Peek, extent_of, mangled
from auditcoder.sandbox.worker.trace_targets import (
    Target,
    captured_by,
    named,
    parameters_of,
    targets_of,
    walrus_targets,
)

globals()["__builtins__"] = dict(vars(builtins))


class Read(NamedTuple):
    """Look at targets that got their values in a statement."""

    line: int
    targets: tuple[Target, ...]


class Test(NamedTuple):
    """A condition, at its own line in the tree, was true or false; `targets` are what it assigned."""

    at: int
    line: int
    truth: bool
    targets: tuple[Target, ...]


class Entry(NamedTuple):
    """A loop is about to begin; `over` is what it goes over, where that can be looked at."""

    loop: int
    over: Peek | None


class Turn(NamedTuple):
    """An iteration of a loop, at its own line in the tree, begins, with values for its variables."""

    loop: int
    at: int
    line: int
    targets: tuple[Target, ...] = ()


class Aim(NamedTuple):
    """A statement begins that has targets with a rule: look where they lead now."""

    targets: tuple[Target, ...]


class Jump(NamedTuple):
    """A `break` or `continue` is reached."""

    loop: int
    line: int
    word: str


class Head(NamedTuple):
    """A function: its line, in the tree and in the text, and its parameters."""

    at: int
    line: int
    name: str
    parameters: tuple[Target, ...]


Moment = Read | Test | Entry | Turn | Aim | Jump


class Points:
    """What the lines of a rewritten program mean. Line numbers here are the made-up ones; `origin` leads back."""

    def __init__(self) -> None:
        self.origin: list[int] = [0]
        """Line of the program text by made-up line; 0 for one that is not watched, or empty."""
        self.moments: dict[int, Moment] = {}
        self.heads: dict[int, Head] = {}
        self.returns: set[int] = set()


def rewrite(tree: ast.Module, watched: Iterable[tuple[int, int]]) -> Points:
    """Rewrite a tree in place; return what its lines mean.

    Args:
        tree: A parsed program.
        watched: (first, last) lines of the parts to be watched; empty for all of it.
    """
    rewriter = _Rewriter(watched)
    tree.body = rewriter.body(tree.body, -1, "")
    return rewriter.points


class _Rewriter:
    """Puts moments into bodies. `loop` is the number of the innermost loop, -1 outside; `owner` the class around."""

    def __init__(self, watched: Iterable[tuple[int, int]]) -> None:
        self.points = Points()
        self._watched = tuple(watched)
        self._loops = 0

    def body(self, body: list[ast.stmt], loop: int, owner: str) -> list[ast.stmt]:
        """Return the statements of a body with their moments between them."""
        out: list[ast.stmt] = []
        for statement in body:
            at = self._place(statement, statement.lineno)
            before, after = self._statement(statement, at, loop, owner)
            out += [*before, statement, *after]
        return out

    def _place(self, node: ast.stmt | ast.ExceptHandler | ast.match_case, line: int) -> int:
        """Give a statement its line: to itself and to its expressions, not to the statements inside."""
        at = self._line(line if self._is_watched(line) else 0)
        stack: list[ast.AST] = [node]
        while stack:
            current = stack.pop()
            if "lineno" in current._attributes:
                _stamp(current, at)
            stack += [
                child
                for child in ast.iter_child_nodes(current)
                if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
            ]
        return at

    def _line(self, origin: int) -> int:
        self.points.origin.append(origin)
        return len(self.points.origin) - 1

    def _is_watched(self, line: int) -> bool:
        return not self._watched or any(first <= line <= last for first, last in self._watched)

    def _mark(self, moment: Moment) -> list[ast.stmt]:
        at = self._line(0)
        self.points.moments[at] = moment
        empty = ast.Pass()
        _stamp(empty, at)
        return [empty]

    def _statement(self, node: ast.stmt, at: int, loop: int, owner: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Treat the bodies of a statement; return what goes before and behind it."""
        line = self.points.origin[at]
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if line:
                    self.points.heads[at] = Head(at, line, node.name, parameters_of(node.args, owner))
                node.body = self.body(node.body, -1, owner)
            case ast.ClassDef():
                node.body = self.body(node.body, -1, node.name)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, at, loop, owner), []
            case ast.If():
                node.body = self.body(node.body, loop, owner)
                node.orelse = self.body(node.orelse, loop, owner)
                self._test(node, at, owner)
            case ast.With() | ast.AsyncWith():
                targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
                reads = self._read(line, targets_of(targets, owner))
                node.body = [*reads, *self.body(node.body, loop, owner)]
            case ast.Try() | ast.TryStar():
                self._try(node, loop, owner)
            case ast.Match():
                for case in node.cases:
                    self._case(case, loop, owner)
            case ast.Break() | ast.Continue() if line:
                word = "break" if isinstance(node, ast.Break) else "continue"
                self.points.moments[at] = Jump(loop, line, word)
            case ast.Return() if line and node.value is not None:
                self.points.returns.add(at)
            case ast.Assign():
                return [], self._aimed(at, line, targets_of(node.targets, owner, node.value))
            case ast.AnnAssign() if node.value is not None:
                return [], self._aimed(at, line, targets_of([node.target], owner, node.value))
            case ast.AugAssign():
                return [], self._augmented(node, at, owner)
            case ast.Expr():
                return [], self._aimed(at, line, walrus_targets(node.value, owner))
            case ast.Assert():
                return [], self._aimed(at, line, walrus_targets(node.test, owner, truth=True))
        return [], []

    def _read(self, line: int, targets: tuple[Target, ...]) -> list[ast.stmt]:
        return self._mark(Read(line, targets)) if line and targets else []

    def _augmented(self, node: ast.AugAssign, at: int, owner: str) -> list[ast.stmt]:
        """Treat a target that is worked out before the value: the value's code may lead its text elsewhere."""
        line, targets = self.points.origin[at], targets_of([node.target], owner, node.value)
        if not line or isinstance(node.target, ast.Name) or not targets or targets[-1].name != named(node.target):
            return self._aimed(at, line, targets)
        return self._aimed(at, line, (*targets[:-1], targets[-1]._replace(rule="same-place")))

    def _aimed(self, at: int, line: int, targets: tuple[Target, ...]) -> list[ast.stmt]:
        self._aim(at, targets)
        return self._read(line, targets)

    def _aim(self, at: int, targets: tuple[Target, ...]) -> None:
        ruled = tuple(target for target in targets if target.rule != "always")
        if ruled and self.points.origin[at]:
            self.points.moments[at] = Aim(ruled)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, at: int, loop: int, owner: str) -> list[ast.stmt]:
        line = self.points.origin[at]
        number, self._loops = self._loops, self._loops + 1
        body = self.body(node.body, number, owner)
        node.orelse = self.body(node.orelse, loop, owner)
        if isinstance(node, ast.While):
            node.body = [*self._mark(Turn(number, at, line)), *body]
            self._test(node, at, owner)
            return self._mark(Entry(number, None))
        node.body = [*self._mark(Turn(number, at, line, targets_of([node.target], owner))), *body]
        return self._mark(Entry(number, extent_of(node.iter, owner)))

    def _test(self, node: ast.If | ast.While, at: int, owner: str) -> None:
        line = self.points.origin[at]
        if line and not isinstance(node.test, ast.Constant):
            held, failed = (walrus_targets(node.test, owner, truth=truth) for truth in (True, False))
            self._aim(at, (*held, *failed))
            node.body = [*self._mark(Test(at, line, True, held)), *node.body]
            node.orelse = [*self._mark(Test(at, line, False, failed)), *node.orelse]

    def _try(self, node: ast.Try | ast.TryStar, loop: int, owner: str) -> None:
        node.body = self.body(node.body, loop, owner)
        for handler in node.handlers:
            line = self.points.origin[self._place(handler, handler.lineno)]
            caught = (Target(handler.name, ("name", mangled(handler.name, owner))),) if handler.name else ()
            handler.body = [*self._read(line, caught), *self.body(handler.body, loop, owner)]
        node.orelse = self.body(node.orelse, loop, owner)
        node.finalbody = self.body(node.finalbody, loop, owner)

    def _case(self, case: ast.match_case, loop: int, owner: str) -> None:
        line = self.points.origin[self._place(case, case.pattern.lineno)]
        captured = dict.fromkeys(captured_by(case.pattern))
        targets = tuple(Target(name, ("name", mangled(name, owner))) for name in captured)
        case.body = [*self._read(line, targets), *self.body(case.body, loop, owner)]


def _stamp(node: ast.AST, line: int) -> None:
    node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
