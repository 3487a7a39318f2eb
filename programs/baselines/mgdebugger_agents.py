"""The agents of MGDebugger: the decomposer, the writer of checks for one function, the function's debugger."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import dspy

from auditcoder.core.bottom_up import Part, definitions, root_name, unit_text, wanted_name
from auditcoder.core.call_graph import RepairUnit
from auditcoder.core.sub_checks import MOST, SubCheckText
from auditcoder.programs.ask import Sampling, ask_fields, ask_reply
from auditcoder.programs.baselines.fixing import entry_with
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import examples_text, safe
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check, Task
from auditcoder.signatures.baselines.mgdebugger import DebugFunction, DecomposeProgram, checks_signature

REPLY_TOKENS = 1400
_CHECKS_TOKENS, _CHECK_TOKENS = 300, 150
_PROGRAM_SHOWN = 6000
_PASSING_SHOWN = 3


class Decomposer(TypedModule["str"]):
    """Rewrites a program as a tree of functions."""

    def __init__(self) -> None:
        super().__init__()
        self.decompose = dspy.Predict(DecomposeProgram)

    def forward(self, task: Task, program: str, refused: str, sampling: Sampling | None) -> str:
        """Return the model's decomposed program, not yet accepted.

        Args:
            task: Gives the entry; the statement is not shown.
            program: The program to rewrite.
            refused: Why an earlier answer was refused; empty at first.
            sampling: Of a fresh draw; the run's own decoding without it.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        name = root_name(task)
        starts = "" if task.entry.name else f"\nThe entry function is `{name}()`, called at the end of the program."
        reply = ask_reply(
            self.decompose,
            REPLY_TOKENS,
            node=ROOT,
            agent="decomposer",
            wanted=name,
            sampling=sampling,
            program=safe(program, _PROGRAM_SHOWN),
            entry=entry_with(task, refused) + starts,
        )
        return str(reply.tree_code)


class SubCheckWriter(TypedModule["list[SubCheckText]"]):
    """Derives checks of one function from the visible checks of the program."""

    def __init__(self) -> None:
        super().__init__()
        self.derive = [dspy.Predict(checks_signature(count)) for count in range(1, MOST + 1)]

    def forward(
        self, task: Task, root_checks: Sequence[Check], part: Part, function: ast.FunctionDef, sampling: Sampling | None
    ) -> list[SubCheckText]:
        """Return the checks of a function as texts, at most as many as the program has, not yet read.

        Raises:
            UnusableAnswerError: the answer is not of the required form, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        shown = root_checks[:MOST]
        answer = ask_fields(
            self.derive[len(shown) - 1],
            _CHECKS_TOKENS + _CHECK_TOKENS * len(shown),
            node=ROOT,
            agent="check-writer",
            sampling=sampling,
            program=safe(part.assembly.program, _PROGRAM_SHOWN),
            function=f"{function.name}({ast.unparse(function.args)})",
            root_checks=examples_text(task, shown),
        )
        return [SubCheckText(check.inputs, check.expected) for check in answer.checks[: len(shown)]]


class FunctionDebugger(TypedModule["str"]):
    """Simulates one function on a failing check, and corrects it."""

    def __init__(self) -> None:
        super().__init__()
        self.debug = dspy.Predict(DebugFunction)

    def forward(
        self, task: Task, unit: RepairUnit, part: Part, checks: str, refused: str, sampling: Sampling | None
    ) -> str:
        """Return the model's corrected function, not yet in its program.

        Args:
            task: Gives the entry of the whole program; the statement is not shown.
            unit: What is corrected.
            part: The program with the present version of it.
            checks: The unit's checks with what happened.
            refused: Why an earlier answer was refused; empty at first.
            sampling: Of a fresh draw; the run's own decoding without it.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        reply = ask_reply(
            self.debug,
            REPLY_TOKENS,
            node=ROOT,
            agent="debugger",
            wanted=wanted_name(task, unit),
            sampling=sampling,
            function=safe(unit_text(part), _PROGRAM_SHOWN),
            keep=_kept(task, unit, part, refused),
            checks=checks,
        )
        return str(reply.function_code)


def checks_text(task: Task, checks: Sequence[Check], report: ExecutionReport, *, frames: bool) -> str:
    """Return a unit's checks with what happened on each, the failing ones first.

    Args:
        task: The task with the unit as its entry.
        checks: The unit's checks.
        report: Their verdicts.
        frames: Whether frames are shown: their lines are those of the whole program.
    """
    results = {result.check: result for result in report.results}
    failing = [
        (check, results[check.id] if frames else results[check.id].model_copy(update={"frames": ()}))
        for check in checks
        if results[check.id].outcome != "pass"
    ]
    passing = [check for check in checks if results[check.id].outcome == "pass"][:_PASSING_SHOWN]
    told = failing_report(task, failing)
    return f"{told}\n\nThese pass:\n{examples_text(task, passing)}" if passing else told


def _kept(task: Task, unit: RepairUnit, part: Part, refused: str) -> str:
    definition = definitions(part.source).get(unit.entry)
    if not unit.names or definition is None:
        return entry_with(task, refused)
    if isinstance(definition, ast.ClassDef):
        head = f"class {definition.name}, with the methods that it has"
    else:
        head = f"def {definition.name}({ast.unparse(definition.args)})"
    return head + (f"\nAn earlier answer was refused: {refused}" if refused else "")
