"""MGDebugger: a program in functions, repaired bottom-up on checks of each (Shi, Wang, Wan, Wang, Gu, ICSE 2026)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from pydantic import Field

from auditcoder.core.bottom_up import (
    TREE,
    BottomUp,
    Part,
    definitions,
    is_renamed,
    label,
    takes_visible,
    unit_entry,
    unit_program,
)
from auditcoder.core.call_graph import RepairUnit
from auditcoder.core.method_ends import LIMIT
from auditcoder.core.parsing import Refusal
from auditcoder.core.rank import passed_checks, rank_of
from auditcoder.core.sub_checks import checkable, comparator_of, read_sub_checks
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import Sampling
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.mgdebugger_agents import Decomposer, FunctionDebugger, SubCheckWriter, checks_text
from auditcoder.programs.baselines.programmer import Programmer
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.session import Candidate
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check, Task
from auditcoder.sandbox.gate_verdict import gate_findings, gate_labels


class MGDebuggerOptions(Record):
    """Switches of MGDebugger."""

    passes: int = Field(default=10, ge=1, le=30)
    """O: outer passes at most. Not read in an adaptive run; a single intervention (K=1) is one pass."""
    attempts: int = Field(default=3, ge=1, le=10)
    """A: debugs of one function in a pass."""
    inner: Literal["single", "native"] = "single"
    """native: under K=1, too, a function is debugged up to `attempts` times; such rows are rows of their own."""
    parse_tries: int = Field(default=3, ge=1, le=5)
    """Requests for one decomposition or one debug, until an answer can be used."""
    root_checks: Literal["visible", "written"] = "visible"
    """written: a root function, too, is repaired on checks that the model derives: one call more (section 7.2)."""
    continue_from_last: bool = False
    """Begin every pass at the last program instead of the first one."""
    temperature: float = Field(default=0.8, gt=0, le=2)
    """Of every call that repeats an earlier one: later passes, attempts and tries."""


class MGDebugger(RivalMethod):
    """Divides a failing program, repairs callees before callers, and keeps the pass with most visible checks passed.

    Every fix is tested, and of a function's versions the one that passes most of its checks is kept (section 7.3).
    """

    agents: ClassVar = {
        "programmer": "generator",
        "decomposer": "planner",
        "check_writer": "planner",
        "debugger": "regenerator",
    }
    Options: ClassVar = MGDebuggerOptions
    options: MGDebuggerOptions

    def __init__(self, options: MGDebuggerOptions) -> None:
        super().__init__(options)
        self.programmer, self.decomposer = Programmer(), Decomposer()
        self.check_writer, self.debugger = SubCheckWriter(), FunctionDebugger()

    def bounds(self, config: RunConfig) -> Bounds:
        """Return the seed alone, and no most: a pass depends on the functions of the program.

        With F of them a pass makes at most 1 + F (1 + attempts) requests (section 6).
        """
        return Bounds(1, None if config.k else 1)

    def solve(self, run: MethodRun) -> str:
        """Write the seed; then pass by pass, until every visible check passes or a budget ends."""
        seed = run.write(lambda refused: self.programmer(run.task, refused))
        made = 0
        while not run.solved and run.may_react():
            if made == self.options.passes and not run.config.adaptive:
                return LIMIT
            start = run.latest if self.options.continue_from_last else seed
            assert start is not None, "there is a program before a round"
            run.start_round("feedback")
            made += 1
            Pass(self, run, start, made).go()
        return ""


class Pass:
    """One pass: decompose, repair every function, put the program together."""

    def __init__(self, method: MGDebugger, run: MethodRun, start: Candidate, number: int) -> None:
        """Prepare pass `number` (1, 2, ...) from a faulty program."""
        self.method, self.options, self.run, self.start, self.number = method, method.options, run, start, number
        source, passed = start.state.code_map[ROOT].source, passed_checks(start.rank)
        self.state = BottomUp(run.task, run.graph, source, passed)
        self.attempts = 1 if run.strict and self.options.inner == "single" else self.options.attempts

    def go(self) -> None:
        """Make the pass; its program is a candidate.

        Raises:
            BudgetSpentError: the run may make no further request; the pass leaves no program then.
            SandboxError: the isolation failed.
        """
        self._divide()
        for unit in self.state.units:
            self._repair(unit)
        source = self.state.settle()
        detail = f"of {len(self.state.units)} functions"
        self.run.note("sub-repairs", f"pass {self.number}", score=float(self.state.repaired), detail=detail)
        self.run.merge(source)

    def _divide(self) -> None:
        """Go on with the decomposed program, unless there is none or it passes fewer visible checks than before."""
        run, item = self.run, f"pass {self.number}"
        whole = self.start.state.assembly.program

        def ask(refused: str, sampling: Sampling | None) -> Part | Refusal:
            return self.state.tree(self.method.decomposer(run.task, whole, refused, sampling))

        tree = self._asked("decomposition", item, 0, ask)
        if tree is None:
            return
        report = run.probe(TREE, tree.assembly.program, run.task.entry, run.checks)
        kept = self.state.divide(tree, passed_checks(rank_of(report, run.checks)))
        same = _passing(report) == _passing(self.start.state.report)
        run.note("tree", item, kept=kept, detail=f"it passes {'the same' if same else 'other'} checks than the program")

    def _repair(self, unit: RepairUnit) -> None:
        """Debug a unit until its checks pass or its attempts are made; without checks it is left as it is."""
        part = self.state.begin(unit)
        self.state.checks = self._checks(unit, part)
        if not self.state.checks:
            return
        report = self._run(unit, part)
        for attempt in range(self.attempts):
            if self.state.done:
                return
            told = checks_text(self._task(unit), self.state.checks, report, frames=not unit.names)
            fixed = self._fix(unit, part, told, attempt)
            if fixed is not None:
                part = fixed
                report = self._run(unit, part)

    def _fix(self, unit: RepairUnit, part: Part, told: str, attempt: int) -> Part | None:
        """Return the program with a corrected version of the unit; None when no answer can be used."""

        def ask(refused: str, sampling: Sampling | None) -> Part | Refusal:
            return self.state.fixed(self.method.debugger(self.run.task, unit, part, told, refused, sampling))

        return self._asked("debug", label(unit), attempt, ask)

    def _run(self, unit: RepairUnit, part: Part) -> ExecutionReport:
        """Return the verdicts on a version of a unit."""
        program = unit_program(self.run.task, unit, part.assembly)
        report = self.run.probe(label(unit), program, unit_entry(self.run.task, unit), self.state.checks)
        self.state.ran(part, report)
        return report

    def _checks(self, unit: RepairUnit, part: Part) -> tuple[Check, ...]:
        """Return the checks of a unit: the visible ones for the root, derived ones for any other; noted when none."""
        run, task = self.run, self.run.task
        if away := self._turned_away(part):
            run.note("unchecked", label(unit), kept=False, detail=away)
            return ()
        if takes_visible(task, unit, self.options.root_checks):
            return run.checks
        known = {} if is_renamed(part, unit.entry) else definitions(part.source)
        function = checkable(known.get(unit.entry))
        if isinstance(function, str):
            run.note("unchecked", label(unit), kept=False, detail=function)
            return ()
        try:
            texts = self.method.check_writer(task, run.checks, part, function, self._sampling(again=False))
        except UnusableAnswerError as error:
            run.note("unchecked", label(unit), kept=False, detail=error.message)
            return ()
        checks, refused = read_sub_checks(function, texts, comparator_of(task, run.checks))
        if refused:
            run.note("sub-checks-dropped", label(unit), kept=False, detail="; ".join(refused))
        if not checks:
            run.note("unchecked", label(unit), kept=False, detail="the model derived no check that can be run")
        return checks

    def _task(self, unit: RepairUnit) -> Task:
        """Return the task with the unit as its entry, for the rendering of the unit's checks."""
        return self.run.task.model_copy(update={"entry": unit_entry(self.run.task, unit)})

    def _asked(
        self, what: str, item: str, attempt: int, ask: Callable[[str, Sampling | None], Part | Refusal]
    ) -> Part | None:
        """Return what the first usable answer gives, of at most `parse_tries`; every other one is noted."""
        refused, tries = "", self.options.parse_tries
        for number in range(tries):
            try:
                outcome = ask(refused, self._sampling(again=attempt + number > 0))
                refused = outcome.reason if isinstance(outcome, Refusal) else ""
            except UnusableAnswerError as error:
                outcome, refused = None, error.message
            if isinstance(outcome, Part) and not (refused := self._turned_away(outcome)):
                return outcome
            last = number + 1 == tries
            self.run.note("unusable" if last else "parse-retry", f"{what} of {item}", kept=not last, detail=refused)
        return None

    def _turned_away(self, part: Part) -> str:
        """Return why the strict gate lets a program not run; empty when it may."""
        labels = gate_labels(gate_findings(part.assembly, "strict")) if self.run.config.gate == "strict" else ()
        return f"the gate turns the program away: {labels[0]}" if labels else ""

    def _sampling(self, *, again: bool) -> Sampling | None:
        """Return a fresh draw where a call repeats an earlier one: at temperature 0 it would give the same answer."""
        return self.run.fresh(self.options.temperature) if again or self.number > 1 else None


def _passing(report: ExecutionReport) -> set[str]:
    return {result.check for result in report.results if result.outcome == "pass"}
