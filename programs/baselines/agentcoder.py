"""AgentCoder: a programmer, and a test designer who never sees the code (Huang, Zhang, Luck, Bu, Qing, Cui 2023)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal

import dspy
from pydantic import Field

from auditcoder.core.method_ends import BAR_PASSED, LIMIT
from auditcoder.core.suites import BAR, freezes_again, suites_passed
from auditcoder.programs.ask import Sampling, ask_reply
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.fixing import entry_with
from auditcoder.programs.baselines.own_checks import Proposed, ask_checks, own_checks
from auditcoder.programs.baselines.plan_coder import PROGRAM_SHOWN, REPLY_TOKENS
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.render import safe, task_text
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check
from auditcoder.signatures.baselines.agentcoder import DesignChecks, ReviseCode, WriteCode

DESIGN_TOKENS = 1400


class AgentCoderOptions(Record):
    """Switches of AgentCoder."""

    mode: Literal["feedback", "resample"] = "feedback"
    """feedback: revise from the failing checks, as published. resample: what the published code does instead."""
    rounds: int = Field(default=5, ge=0, le=30)
    """feedback: revisions at most; not read in an adaptive run."""
    include_examples: bool = False
    """Put the task's examples before the own checks; natively the own suite alone is run."""
    n: int = Field(default=5, ge=1, le=10)
    """resample: candidates of an epoch."""
    m: int = Field(default=5, ge=1, le=10)
    """resample: suites of an epoch."""
    bar: int = Field(default=BAR, ge=1, le=11)
    """resample: suites that the best candidate must pass whole; the examples count as one where they are included."""
    epochs: int = Field(default=5, ge=0, le=30)
    """resample: epochs behind the first at most; not read in an adaptive run."""


class AgentCoder(RivalMethod):
    """Writes a suite from the statement alone, then a program, and revises that from the checks it breaks.

    The suite is designed first, since checks are frozen before there is code; neither call sees the other's answer.
    """

    agents: ClassVar = {"designer": "planner", "programmer": "generator", "reviser": "regenerator"}
    Options: ClassVar = AgentCoderOptions
    options: AgentCoderOptions

    def __init__(self, options: AgentCoderOptions) -> None:
        super().__init__(options)
        self.designer, self.programmer = dspy.Predict(DesignChecks), dspy.Predict(WriteCode)
        self.reviser = dspy.Predict(ReviseCode)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return suite and program, and the revisions that K allows; in resampling, all that its epochs draw."""
        if self.options.mode == "resample":
            epoch = self.options.n + self.options.m
            return Bounds(epoch, epoch * (1 + min(config.k, self.options.epochs)))
        return Bounds(2, 2 + min(config.k, self.options.rounds))

    def solve(self, run: MethodRun) -> str:
        """Design, write, run, revise; or design, draw, run, and draw again."""
        if self.options.mode == "resample":
            return self._resample(run)
        own = own_checks(run, self._designed(run, "the task", None), "T", taken=self._examples(run))
        run.freeze(own, examples=self.options.include_examples)
        run.write(partial(self._program, run, None))
        made = 0
        while not run.solved and run.may_react():
            if made == self.options.rounds and not run.config.adaptive:
                return LIMIT
            run.start_round("feedback")
            run.write(partial(self._revision, run), "regenerated")
            made += 1
        return ""

    def _resample(self, run: MethodRun) -> str:
        """Draw candidates and suites anew until the best candidate passes enough suites; nothing is fed back."""
        self._freeze_suites(run, 0)
        self._draw(run, 0)
        epoch = 0
        while not (run.solved or self._enough(run)) and run.may_react("retry"):
            if epoch == self.options.epochs and not run.config.adaptive:
                return LIMIT
            epoch += 1
            run.start_round("retry")
            if freezes_again(run.config):
                self._freeze_suites(run, epoch)
            self._draw(run, epoch)
        return BAR_PASSED if not run.solved and self._enough(run) else ""

    def _enough(self, run: MethodRun) -> bool:
        return run.active is not None and suites_passed(run.active.state.report, run.checks) >= self.options.bar

    def _freeze_suites(self, run: MethodRun, epoch: int) -> None:
        """Freeze new suites; where none of them has a check that can be read, the earlier ones stay."""
        own: list[tuple[Check, str]] = []
        for suite in range(1, self.options.m + 1):
            name = f"suite {suite}" if epoch == 0 else f"suite {suite} of epoch {epoch + 1}"
            sampling = run.fresh() if epoch or suite > 1 else None
            proposed = self._designed(run, name, sampling)
            own += own_checks(run, proposed, f"T{epoch + 1}.{suite}.", note=name, taken=self._examples(run))
        if own or epoch == 0:
            run.freeze(own, examples=self.options.include_examples)
        else:
            run.note("suites-kept", f"epoch {epoch + 1}", kept=False, detail="no check of the new suites can be read")

    def _draw(self, run: MethodRun, epoch: int) -> None:
        """Draw the candidates of an epoch; the first of all with the run's own decoding."""
        for number in range(self.options.n):
            sampling = run.fresh() if epoch or number else None
            run.write(partial(self._program, run, sampling), stand_in=False)
        run.stand_in()

    def _examples(self, run: MethodRun) -> tuple[Check, ...]:
        return run.task.examples if self.options.include_examples else ()

    def _designed(self, run: MethodRun, item: str, sampling: Sampling | None) -> list[Proposed]:
        return ask_checks(run, self.designer, DESIGN_TOKENS, agent="designer", item=item, sampling=sampling)

    def _program(self, run: MethodRun, sampling: Sampling | None, refused: str) -> str:
        reply = ask_reply(
            self.programmer,
            REPLY_TOKENS,
            node=ROOT,
            agent="programmer",
            wanted=run.task.entry.name,
            sampling=sampling,
            task=task_text(run.task),
            entry=entry_with(run.task, refused),
        )
        return str(reply.code)

    def _revision(self, run: MethodRun, refused: str) -> str:
        reply = ask_reply(
            self.reviser,
            REPLY_TOKENS,
            node=ROOT,
            agent="reviser",
            wanted=run.task.entry.name,
            task=task_text(run.task),
            entry=entry_with(run.task, refused),
            program=safe(run.source, PROGRAM_SHOWN),
            failures=failing_report(run.task, run.failing()),
        )
        return str(reply.code)
