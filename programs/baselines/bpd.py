"""Breakpoint Debugging: on wrong answers the fix sees the failed program with the values it took (Adnan, Kuhn 2026)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import dspy
from pydantic import Field

from auditcoder.core.annotate import annotated
from auditcoder.programs.ask import ask_reply
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.error_handler import structured_feedback
from auditcoder.programs.baselines.fixing import (
    REPLY_TOKENS,
    Fixer,
    Reply,
    Turn,
    Writer,
    entry_with,
    fix_loop,
    history_text,
    write_first,
)
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import safe, task_text
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import CheckResult
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check, Task
from auditcoder.signatures.baselines.bpd import FixWithTrace

ALL_SHOWN = 18_000
"""Characters of all annotated programs in one prompt: room for three of the longest."""
NO_ROOM = "the prompt has no room left"


class BpdOptions(Record):
    """Switches of Breakpoint Debugging."""

    traces: Literal["one", "all"] = "one"
    """The first failing check's trace, or one for each failing check, one after the other."""
    fixes: int = Field(default=5, ge=0, le=30)
    """Fixes at most; not read in an adaptive run."""


class TraceFixer(TypedModule["Reply"]):
    """The programmer in fix mode, shown the annotated program."""

    def __init__(self) -> None:
        super().__init__()
        self.fix = dspy.Predict(FixWithTrace)

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
            agent="trace-fixer",
            wanted=task.entry.name,
            task=task_text(task),
            entry=entry_with(task, refused),
            history=history_text(history[:-1]) or "none",
            annotated=history[-1].feedback,
        )
        return Reply(str(reply.code))


class Bpd(RivalMethod):
    """PyCapsule's loop in which a wrong answer is answered with observed values instead of the error."""

    agents: ClassVar = {"writer": "generator", "fixer": "regenerator", "trace_fixer": "regenerator"}
    Options: ClassVar = BpdOptions
    options: BpdOptions

    def __init__(self, options: Record) -> None:
        super().__init__(options)
        self.writer, self.fixer, self.trace_fixer = Writer(), Fixer(), TraceFixer()

    def bounds(self, config: RunConfig) -> Bounds:
        """Return one program, and as many fixes as K and `fixes` allow."""
        return Bounds(1, 1 + min(config.k, self.options.fixes))

    def solve(self, run: MethodRun) -> str:
        """Write, run, trace, fix."""
        write_first(run, self.writer)
        traced: list[bool] = []

        def feedback(run: MethodRun) -> str:
            shown = self._values(run)
            traced.append(bool(shown))
            return shown or structured_feedback(run.task, run.failing(), len(run.checks))

        def fix(history: Sequence[Turn], refused: str) -> Reply:
            return (self.trace_fixer if traced[-1] else self.fixer)(run.task, history, refused)

        return fix_loop(run, feedback, fix, self.options.fixes)

    def _values(self, run: MethodRun) -> str:
        """Return the annotated program of the failing runs; empty when error feedback is due (section 3, rules 3, 4).

        The first failing check decides: only a wrong answer is traced. Each check without values is noted; behind
        others that have them it is shown with its error. Runs are annotated while there is room for them all.
        """
        failing = run.failing()
        wanted = failing if self.options.traces == "all" and failing[0][1].outcome == "wrong-answer" else failing[:1]
        parts: list[str] = []
        bare: list[tuple[Check, CheckResult]] = []
        room = ALL_SHOWN
        for check, result in wanted:
            text, reason = self._annotated(run, check, result) if room else (None, NO_ROOM)
            if text is not None and len(text) > room:
                text, reason, room = None, NO_ROOM, 0
            if text is None:
                run.note("trace-fallback", check.id, kept=False, detail=reason)
                bare.append((check, result))
                continue
            room -= len(text)
            parts.append(f"{failing_report(run.task, [(check, result)])}\n\n{text}")
        return "\n\n".join([*parts, *([failing_report(run.task, bare)] if bare else [])]) if parts else ""

    def _annotated(self, run: MethodRun, check: Check, result: CheckResult) -> tuple[str | None, str]:
        """Return the program with the values of one failing run, or why there is none."""
        if result.outcome != "wrong-answer":
            return None, f"the outcome is {result.outcome}"
        trace = run.trace(check)
        if trace is None or trace.reason:
            return None, trace.reason if trace else "there is no program"
        text = annotated(run.source, trace)
        return (safe(text, ALL_SHOWN) if text else None), "no value was seen"
