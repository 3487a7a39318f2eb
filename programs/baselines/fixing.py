"""The loop that PyCapsule, BPD and the restarting control share: fail, say what happened, fix, with all history."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

import dspy

from auditcoder.core.method_ends import LIMIT
from auditcoder.core.rank import passed_checks
from auditcoder.programs.ask import Sampling, ask_reply
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import entry_text, safe, task_text
from auditcoder.programs.session import Candidate
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Task
from auditcoder.signatures.baselines.pycapsule import FixProgram, GenerateProgram

REPLY_TOKENS = 1400
PACKAGES = frozenset({"none", "numpy", "pandas", "scipy", "sympy", "networkx"})
"""Packages that a reply may ask for; to ask for others changes nothing and is noted."""
_PROGRAM_SHOWN = 6000


class Turn(NamedTuple):
    """One turn of the conversation: a program and what was said about it."""

    program: str
    feedback: str


Feedback = Callable[[MethodRun], str]
"""What is said about the active program; records what it needs for that."""
Fix = Callable[[Sequence[Turn], str], str]
"""Gives a corrected program from the history, the last turn being the program to fix; told of a refused answer."""


class Writer(TypedModule["str"]):
    """The programmer in generate mode: attempt 0 of PyCapsule and BPD, without earlier turns."""

    def __init__(self) -> None:
        super().__init__()
        self.generate = dspy.Predict(GenerateProgram)
        self.asked = ""

    def forward(self, task: Task, refused: str = "", sampling: Sampling | None = None) -> str:
        """Return the model's program, not yet accepted; `asked` then holds the packages that it asked for.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        reply = ask_reply(
            self.generate,
            REPLY_TOKENS,
            node=ROOT,
            agent="programmer",
            wanted=task.entry.name,
            sampling=sampling,
            task=task_text(task),
            entry=entry_with(task, refused),
        )
        self.asked = str(reply.requirements)
        return str(reply.code)


class Fixer(TypedModule["str"]):
    """The programmer in fix mode: the history, and the feedback on the last program."""

    def __init__(self) -> None:
        super().__init__()
        self.fix = dspy.Predict(FixProgram)
        self.asked = ""

    def forward(self, task: Task, history: Sequence[Turn], refused: str = "") -> str:
        """Return the model's corrected program, not yet accepted.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        reply = ask_reply(
            self.fix,
            REPLY_TOKENS,
            node=ROOT,
            agent="fixer",
            wanted=task.entry.name,
            task=task_text(task),
            entry=entry_with(task, refused),
            history=history_text(history),
            feedback=history[-1].feedback,
        )
        self.asked = str(reply.requirements)
        return str(reply.code)


def write_first(run: MethodRun, writer: Writer, sampling: Sampling | None = None) -> None:
    """Write a program in generate mode; packages outside the allowed ones are noted and otherwise ignored."""
    run.write(lambda refused: writer(run.task, refused, sampling))
    note_packages(run, writer.asked)


def fix_once(run: MethodRun, history: Sequence[Turn], fix: Fix) -> None:
    """Make one fix in a feedback round of its own, and note what changed."""
    before = run.active
    run.start_round("feedback")
    made = run.write(lambda refused: fix(history, refused), "regenerated")
    if before is not None and made is not None:
        _note_change(run, before, made)


def fix_loop(run: MethodRun, feedback: Feedback, fix: Fix, fixes: int) -> str:
    """Fix the active program until every check passes or a budget ends; return a reason of the method's own, or none.

    Args:
        run: The run, with its first program.
        feedback: What is said about a failing program.
        fix: Makes the next one.
        fixes: The method's own limit; not read in an adaptive run.
    """
    history: list[Turn] = []
    while not run.solved and run.may_react():
        if len(history) == fixes and not run.config.adaptive:
            return LIMIT
        history.append(Turn(run.source, feedback(run)))
        fix_once(run, history, fix)
    return ""


def entry_with(task: Task, refused: str) -> str:
    """Return what the program must define, with why an answer was refused."""
    return entry_text(task) + (f"\nAn earlier answer was refused: {refused}" if refused else "")


def history_text(history: Sequence[Turn]) -> str:
    """Return the conversation, oldest first; what was said about the last program stands apart."""
    parts = []
    for number, turn in enumerate(history, 1):
        program = f"Program {number}:\n{safe(turn.program, _PROGRAM_SHOWN)}"
        last = number == len(history)
        parts.append(program if last else f"{program}\nWhat was said about it:\n{turn.feedback}")
    return "\n\n".join(parts)


def note_packages(run: MethodRun, asked: str) -> None:
    """Note packages that a reply asks for and does not get."""
    names = [name.strip().lower() for name in asked.replace("\n", ",").split(",")]
    extra = [name for name in dict.fromkeys(names) if name and name.isidentifier() and name not in PACKAGES]
    if extra:
        run.note("packages-ignored", ", ".join(extra), kept=False)


def same_code(one: str, other: str) -> bool:
    """Return whether two programs differ in nothing but comments and layout (BPD, section 7.7)."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.split() == other.split()


def _note_change(run: MethodRun, before: Candidate, after: Candidate) -> None:
    """Note the diagnostics of a round: identical resubmission, passes up or down (PyCapsule, section 6)."""
    gained = passed_checks(after.rank) - passed_checks(before.rank)
    identical = same_code(before.state.assembly.program, after.state.assembly.program)
    detail = "the same program again" if identical else f"passed checks {gained:+d}"
    run.note("fix", f"candidate {after.number}", kept=not identical, detail=detail)
