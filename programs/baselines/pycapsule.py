"""PyCapsule: one programmer, a structured-error loop with the whole history (Adnan, Xu, Kuhn 2025)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.error_handler import structured_feedback
from auditcoder.programs.baselines.fixing import Fixer, Writer, fix_loop, write_first
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig


class PyCapsuleOptions(Record):
    """Switches of the structured-error loop."""

    fixes: int = Field(default=5, ge=0, le=30)
    """Fixes at most; not read in an adaptive run."""
    native_report: bool = False
    """Show the handler's own blocks in place of the report that all methods share."""
    recursion_trace: bool = False
    """Show the call pattern of a recursion that is too deep (native report only)."""


class PyCapsule(RivalMethod):
    """Attempt 0, then fixes from the condensed error until every visible check passes; the latest program is kept."""

    agents: ClassVar = {"writer": "generator", "fixer": "regenerator"}
    Options: ClassVar = PyCapsuleOptions
    options: PyCapsuleOptions

    def __init__(self, options: Record) -> None:
        super().__init__(options)
        self.writer, self.fixer = Writer(), Fixer()

    def bounds(self, config: RunConfig) -> Bounds:
        """Return one program, and as many fixes as K and `fixes` allow."""
        return Bounds(1, 1 + min(config.k, self.options.fixes))

    def solve(self, run: MethodRun) -> str:
        """Write, run, condense the failure, fix."""
        write_first(run, self.writer)
        return fix_loop(
            run,
            lambda run: structured_feedback(
                run.task,
                run.failing(),
                len(run.checks),
                native=self.options.native_report,
                recursion_trace=self.options.recursion_trace,
            ),
            lambda history, refused: self.fixer(run.task, history, refused),
            self.options.fixes,
        )
