"""Fresh start: the repair budget spent on independent new programs (control in BPD; restart after Adnan, Kuhn 2025)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from auditcoder.core.method_ends import LIMIT
from auditcoder.programs.ask import Sampling
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.error_handler import structured_feedback
from auditcoder.programs.baselines.fixing import Fixer, Turn, Writer, fix_once, write_first
from auditcoder.programs.baselines.programmer import Programmer
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig


class FreshStartOptions(Record):
    """Switches of the resampling control."""

    draws: int = Field(default=6, ge=1, le=31)
    """N: programs at most, the first one included. Not read in an adaptive run, nor under `max_calls` or `max_tokens`.

    To match the calls or the tokens of another method on a task (section 6), set `max_calls` or `max_tokens` to what
    that method spent on it: the budget is then the limit. K still holds, so k must be one less than the draws wanted.
    """
    variant: Literal["B", "A"] = "B"
    """B: stop on a full pass. A: make every draw; a single intervention (K=1) is always variant B (section 5)."""
    of: Literal["direct", "pycapsule"] = "direct"
    """Whose first prompt is drawn from, word for word."""
    restart_after: int = Field(default=0, ge=0, le=30)
    """With s > 0 the hybrid: s fixes from the structured error, then a fresh program; 0 never fixes."""
    temperature: float = Field(default=0.8, gt=0, le=2)
    """Of every draw behind the first."""


class FreshStart(RivalMethod):
    """Draws programs from the same prompt, with no word of failure in it; most checks passed, earliest on ties."""

    agents: ClassVar = {"programmer": "generator", "writer": "generator", "fixer": "regenerator"}
    Options: ClassVar = FreshStartOptions
    options: FreshStartOptions

    def __init__(self, options: Record) -> None:
        super().__init__(options)
        self.programmer, self.writer, self.fixer = Programmer(), Writer(), Fixer()

    def bounds(self, config: RunConfig) -> Bounds:
        """Return one program, and as many draws as K and `draws` allow, which variant A makes in any case."""
        capped = config.max_calls is None and config.max_tokens is None
        most = 1 + (min(config.k, self.options.draws - 1) if capped else config.k)
        return Bounds(most if self.options.variant == "A" and config.k > 1 else 1, most)

    def solve(self, run: MethodRun) -> str:
        """Draw, run, draw again."""
        self._draw(run, None)
        history: list[Turn] = []
        early = self.options.variant == "B" or run.strict
        while run.may_react() and not (run.solved and early):
            if run.rounds.made + 1 >= self.options.draws and not self._budgeted(run):
                return LIMIT
            failed = run.latest if run.latest is not None and not run.latest.rank.full_pass else None
            if failed is not None and len(history) < self.options.restart_after:
                told = structured_feedback(run.task, run.failing(failed), len(run.checks))
                history.append(Turn(failed.state.assembly.program, told))
                fix_once(run, history, lambda turns, refused: self.fixer(run.task, turns, refused))
                continue
            history = []
            run.start_round("retry")
            self._draw(run, run.fresh(self.options.temperature))
        return ""

    @staticmethod
    def _budgeted(run: MethodRun) -> bool:
        """Return whether something else than the number of draws ends the run."""
        return run.config.adaptive or run.config.max_calls is not None or run.config.max_tokens is not None

    def _draw(self, run: MethodRun, sampling: Sampling | None) -> None:
        if self.options.of == "pycapsule":
            write_first(run, self.writer, sampling)
        else:
            run.write(lambda refused: self.programmer(run.task, refused, sampling))
