"""One pass of a bottom-up repair: a program in functions, each replaced by the version that passes most of its checks.

The method and the audit walk the same pass (MGDebugger, sections 3 and 7): the method tells it what came back, the
audit what is recorded, and both get the programs that had to run and the one that had to come out.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from auditcoder.core.answers import Written, accept_answer
from auditcoder.core.assembly import assemble
from auditcoder.core.call_graph import RepairUnit, flatten, repair_units
from auditcoder.core.cleaning import Module
from auditcoder.core.effects import ENTRY_FUNCTION, is_docstring
from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import Piece, join, split
from auditcoder.core.scopes import FUNCTIONS
from auditcoder.core.units import ENTRY
from auditcoder.errors import AssemblyError, RecordError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.task import Check, EntryPoint, Task

TREE = "tree"
"""What the run of the decomposed program is recorded as; that of a unit, as `label` says."""
WHOLE = RepairUnit((), "")
"""The undivided program as a single unit (section 7.10)."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Part(NamedTuple):
    """A program with one unit in some version."""

    source: str
    """What the root owns."""
    assembly: Assembly
    names: tuple[str, ...]
    """The definitions of the unit, with the helpers that its versions brought along; none for the whole program."""


class Tried(NamedTuple):
    """A version that was run on the unit's checks."""

    part: Part
    passed: int


def label(unit: RepairUnit) -> str:
    """Return what runs of a unit are recorded as."""
    return f"function {unit.entry}" if unit.names else "whole program"


def root_name(task: Task) -> str:
    """Return the name of the function or class that a program in functions is entered by."""
    return task.entry.name if task.entry.kind in ("function", "class") else ENTRY_FUNCTION


def wanted_name(task: Task, unit: RepairUnit) -> str:
    """Return the name that the code block of a corrected unit has to define; empty when any will do."""
    return unit.entry or task.entry.name


class BottomUp:
    """A pass under way. `source` is the program so far, with the best version of every unit before the present one.

    Invariants: every program in it was accepted and linked; of versions that pass equally many checks the latest counts
    [R], as with candidates.
    """

    def __init__(self, task: Task, graph: TaskGraph, seed: str, passed: int) -> None:
        """Begin at a faulty program.

        Args:
            task: The task.
            graph: The plan with its single owner.
            seed: The source to repair, accepted already.
            passed: How many visible checks it passes.
        """
        self.task, self.graph, self.source, self.passed = task, graph, seed, passed
        self.units: tuple[RepairUnit, ...] = (WHOLE,)
        self.unit: RepairUnit | None = None
        self.checks: tuple[Check, ...] = ()
        """What the present unit is run on."""
        self.tried: list[Tried] = []
        self.begun = 0
        """How many units were begun or passed over."""
        self.repaired = 0
        """Units whose version is no longer the one that they came with."""

    def tree(self, code: str) -> Part | Refusal:
        """Return the decomposed program in an answer, nested functions lifted where that changes nothing."""
        first = self._part(code, ())
        if isinstance(first, Refusal):
            return first
        name = root_name(self.task)
        if not any(unit.entry == name for unit in repair_units(first.source, name)):
            return Refusal(f"`{name}` is not defined at top level; it must call the other functions in order")
        flat = self._part(flatten(first.source), ())
        return first if isinstance(flat, Refusal) else flat

    def divide(self, tree: Part, passed: int) -> bool:
        """Go on with the tree, unless it passes fewer visible checks than the program before (section 7.11)."""
        if passed < self.passed:
            return False
        self.source, self.units = tree.source, repair_units(tree.source, root_name(self.task))
        return True

    @property
    def done(self) -> bool:
        """Return whether the present unit passes all its checks."""
        return bool(self.tried) and self.tried[-1].passed == len(self.checks)

    def begin(self, unit: RepairUnit) -> Part:
        """Settle the unit before, and return the program with this one as it is.

        Raises:
            AssemblyError: the program does not link; it did when it was taken.
        """
        self.settle()
        self.unit, self.begun = unit, self.units.index(unit) + 1
        return Part(self.source, _assembled(self.task, self.graph, self.source), unit.names)

    def fixed(self, code: str) -> Part | Refusal:
        """Return the program with the present unit as an answer corrects it, or why the answer cannot be used.

        Definitions of the unit are replaced, in their places. Definitions, imports and assignments of names that
        nothing binds yet are added; everything else in the answer is left out: only the unit is to change.

        Raises:
            RecordError: no version of the unit was run.
        """
        if self.unit is None or not self.tried:
            raise RecordError("a fix is of a version that was run")
        latest = self.tried[-1].part
        if not self.unit.names:
            return self._part(code, ())
        merged = _replaced(latest, self.unit.entry, code)
        return merged if isinstance(merged, Refusal) else self._part(*merged)

    def ran(self, part: Part, report: ExecutionReport) -> None:
        """Take the verdicts on a version of the present unit."""
        self.tried.append(Tried(part, sum(result.outcome == "pass" for result in report.results)))

    def settle(self) -> str:
        """Keep the best version of the present unit; return the program so far."""
        if self.tried:
            best = max(enumerate(self.tried), key=lambda each: (each[1].passed, each[0]))[1]
            self.repaired += best.part.source != self.source
            self.source = best.part.source
        self.unit, self.checks, self.tried = None, (), []
        return self.source

    def _part(self, code: str, names: tuple[str, ...]) -> Part | Refusal:
        outcome = accept_answer(self.task, self.graph, self.graph.node(ROOT), code)
        if not isinstance(outcome, Written):
            return outcome
        try:
            return Part(outcome.code.source, _assembled(self.task, self.graph, outcome.code.source), names)
        except AssemblyError as error:
            return Refusal(error.message)


def unit_entry(task: Task, unit: RepairUnit) -> EntryPoint:
    """Return how a unit is entered: the root and the whole program as the task says, any other by a call."""
    if not unit.names or unit.entry == root_name(task):
        return task.entry
    return EntryPoint(kind="function", name=unit.entry)


def takes_visible(task: Task, unit: RepairUnit, root_checks: str) -> bool:
    """Return whether a unit is run on the visible checks: the root and the whole program are, unless told otherwise.

    Args:
        task: The task.
        unit: The unit.
        root_checks: The method's option; `written` has the checks of a root function derived like any others.
    """
    derived = root_checks == "written" and bool(unit.names) and task.entry.kind == "function"
    return unit_entry(task, unit) == task.entry and not derived


def unit_program(task: Task, unit: RepairUnit, assembly: Assembly) -> str:
    """Return what runs for a unit: the whole program (section 7.4), without what starts it where a function is called.

    Line numbers are those of the program.
    """
    if unit_entry(task, unit) == task.entry:
        return assembly.program
    lines = assembly.program.split("\n")
    for part in assembly.lines:
        if part.unit == ENTRY:
            lines[part.first - 1 : part.last] = [""] * (part.last - part.first + 1)
    return "\n".join(lines)


def definitions(source: str) -> dict[str, Definition]:
    """Return the top-level definitions of a source by name, of several the last; none when it does not parse."""
    tree = parse_source(source)
    body = [] if isinstance(tree, Refusal) else tree.body
    return {part.name: part for part in body if isinstance(part, (*FUNCTIONS, ast.ClassDef))}


def is_renamed(part: Part, name: str) -> bool:
    """Return whether a definition has another name in the linked program, where the task's prelude binds its own."""
    return any(rename.old == name for rename in part.assembly.renames)


def unit_text(part: Part) -> str:
    """Return the code of a unit alone; of the whole program, all of it."""
    if not part.names:
        return part.assembly.program
    module = _module(part.source)
    return "" if isinstance(module, Refusal) else join([piece for piece in module.pieces if piece.name in part.names])


def parameters(definition: Definition) -> list[str]:
    """Return the names of a function's parameters in order, stars marked; none for a class."""
    if isinstance(definition, ast.ClassDef):
        return []
    given = definition.args
    stars = [f"*{given.vararg.arg}"] if given.vararg else []
    last = [f"**{given.kwarg.arg}"] if given.kwarg else []
    plain = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    return [*plain, *stars, *(f"{argument.arg}=" for argument in given.kwonlyargs), *last]


def _assembled(task: Task, graph: TaskGraph, source: str) -> Assembly:
    return assemble(graph, {ROOT: NodeCode(node=ROOT, source=source, digest=sha256_text(source))}, task)


def _module(source: str) -> Module | Refusal:
    text = normalize(source)
    tree = parse_source(text)
    return tree if isinstance(tree, Refusal) else Module.of(tree, split(text, tree))


def _replaced(part: Part, entry: str, code: str) -> tuple[str, tuple[str, ...]] | Refusal:
    """Return the source with the definitions of an answer in it, and the names that are the unit's then."""
    program, answer = _module(part.source), _module(code)
    if isinstance(program, Refusal):
        return program
    if isinstance(answer, Refusal):
        return answer
    old, new = definitions(part.source).get(entry), definitions(normalize(code)).get(entry)
    if old is None or new is None:
        return Refusal(f"`{entry}` is not defined; give the whole corrected function under its name")
    if type(old) is not type(new) or parameters(old) != parameters(new):
        return Refusal(f"`{entry}` must keep its kind and its parameters: {', '.join(parameters(old)) or 'none'}")
    given = {piece.name: piece for piece in answer.pieces if piece.name}  # of several definitions the last one
    once = [piece for piece in answer.pieces if given.get(piece.name, piece) is piece]
    fresh = [piece for piece in once if _is_fresh(answer, piece, program.names.bound)]
    ours = {name: piece for name, piece in given.items() if name in part.names}
    last = {piece.name: piece.place for piece in program.pieces if piece.name}
    kept = [piece for piece in program.pieces if piece.name not in ours or last[piece.name] == piece.place]
    first = next(number for number, piece in enumerate(kept) if piece.name in ours)
    head = _first_code(program, kept)
    imports = [piece for piece in fresh if piece.kind == "import"]
    added = [piece for piece in fresh if piece.kind != "import"]
    swapped = [ours.get(piece.name, piece) for piece in kept]
    text = join([*swapped[:head], *imports, *swapped[head:first], *added, *swapped[first:]])
    return text, (*part.names, *(piece.name for piece in added if piece.name))


def _is_fresh(module: Module, piece: Piece, bound: frozenset[str]) -> bool:
    """Return whether a piece of an answer imports, defines or assigns names, all of which the program lacks."""
    if piece.place < 0:
        return False
    statement = module.statement(piece)
    if not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | Definition):
        return False
    future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    stores = module.stores[piece.place]
    return bool(stores) and not future and not stores & bound


def _first_code(module: Module, pieces: list[Piece]) -> int:
    """Return the place behind a docstring and the imports that a source begins with."""
    for number, piece in enumerate(pieces):
        opens = piece.kind == "import" or (piece.place == 0 and is_docstring(module.statement(piece)))
        if not opens:
            return number
    return len(pieces)
