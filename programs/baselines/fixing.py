"""The loop that PyCapsule, BPD and the restarting control share: fail, say what happened, fix, with all history."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

import dspy

from auditcoder.core.method_ends import LIMIT
from auditcoder.core.rank import passed_checks
from auditcoder.programs.ask import NO_ROOM, Sampling, ask_reply
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
_PACKAGE = re.compile(r"[-*`\s]*([a-z][\w.-]{0,40})`?\s*(?:[\[=<>~!].*)?")
_PACKAGES_READ = 20


class Turn(NamedTuple):
    """One turn of the conversation: a program and what was said about it."""

    program: str
    feedback: str


class Reply(NamedTuple):
    """An answer of the programmer: a program, not yet accepted, and the packages that it asks for."""

    code: str
    packages: str = ""


Feedback = Callable[[MethodRun], str]
"""What is said about the active program; records what it needs for that."""
Fix = Callable[[Sequence[Turn], str], Reply]
"""Gives a corrected program from the history, the last turn being the program to fix; told of a refused answer."""


class Writer(TypedModule["Reply"]):
    """The programmer in generate mode: attempt 0 of PyCapsule and BPD, without earlier turns."""

    def __init__(self) -> None:
        super().__init__()
        self.generate = dspy.Predict(GenerateProgram)

    def forward(self, task: Task, refused: str = "", sampling: Sampling | None = None) -> Reply:
        """Return the model's program.

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
        return Reply(str(reply.code), str(reply.requirements))


class Fixer(TypedModule["Reply"]):
    """The programmer in fix mode: the history, and the feedback on the last program."""

    def __init__(self) -> None:
        super().__init__()
        self.fix = dspy.Predict(FixProgram)

    def forward(self, task: Task, history: Sequence[Turn], refused: str = "") -> Reply:
        """Return the model's corrected program.

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
            history=history_text([*history[:-1], Turn(history[-1].program, "")]),
            feedback=history[-1].feedback,
        )
        return Reply(str(reply.code), str(reply.requirements))


def write_first(run: MethodRun, writer: Writer, sampling: Sampling | None = None) -> None:
    """Write a program in generate mode; packages outside the allowed ones are noted and otherwise ignored."""
    _write(run, lambda refused: writer(run.task, refused, sampling), "generated")


def fix_once(run: MethodRun, history: Sequence[Turn], fix: Fix) -> None:
    """Make one fix of the latest program in a feedback round of its own, and note what changed.

    A conversation that does not fit the context of the model is asked for once more with its last turn alone.
    """
    before = run.latest
    run.start_round("feedback")

    def ask(refused: str) -> Reply:
        if refused != NO_ROOM:
            return fix(history, refused)
        run.note("history-cut", f"fix {len(history)}", kept=False, detail="only the last turn fits the context")
        return fix(history[-1:], "")

    made = _write(run, ask, "regenerated")
    if before is not None and made is not None:
        _note_change(run, before, made)


def _write(run: MethodRun, ask: Callable[[str], Reply], how: Literal["generated", "regenerated"]) -> Candidate | None:
    asked: list[str] = []

    def code(refused: str) -> str:
        reply = ask(refused)
        asked.append(reply.packages)
        return reply.code

    made = run.write(code, how)
    extra = [name for name in dict.fromkeys(named_packages(",".join(asked))) if name not in PACKAGES]
    if extra:  # after the code: the audit takes the source of code from the call right before it
        run.note("packages-ignored", ", ".join(extra), kept=False)
    return made


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
    """Return the conversation, oldest first; a turn without feedback shows its program alone."""
    parts = []
    for number, turn in enumerate(history, 1):
        program = f"Program {number}:\n{safe(turn.program, _PROGRAM_SHOWN)}"
        parts.append(f"{program}\nWhat was said about it:\n{turn.feedback}" if turn.feedback else program)
    return "\n\n".join(parts)


def named_packages(asked: str) -> list[str]:
    """Return the package names of a requirements list, without versions; prose names none."""
    items = asked.lower().replace("\n", ",").split(",")[:_PACKAGES_READ]
    found = [_PACKAGE.fullmatch(item.strip()) for item in items]
    return [match[1] for match in found if match]


def same_code(one: str, other: str) -> bool:
    """Return whether two programs differ in nothing but comments and layout (BPD, section 7.7)."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return one.split() == other.split()


def _note_change(run: MethodRun, before: Candidate, after: Candidate) -> None:
    """Note the diagnostics of a round (PyCapsule, section 6).

    Identical resubmission, passes up or down, likeness, and the kind of failure before and after.
    """
    old, new = before.state.assembly.program, after.state.assembly.program
    identical = same_code(old, new)
    alike = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).ratio()
    gained = passed_checks(after.rank) - passed_checks(before.rank)
    detail = (
        f"{'identical' if identical else 'changed'}, passed checks {gained:+d}, "
        f"lines alike {alike:.2f}, {_outcome(run, before)} -> {_outcome(run, after)}"
    )
    run.note("resubmission", f"candidate {after.number}", kept=not identical, detail=detail)


def _outcome(run: MethodRun, candidate: Candidate) -> str:
    failing = run.failing(candidate)
    return failing[0][1].outcome if failing else "pass"
