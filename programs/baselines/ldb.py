"""LDB: a failing run cut at block borders, judged block by block, then repaired (Zhong, Wang, Shang 2024)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from auditcoder.core.blocks import BlockLevel, block_map
from auditcoder.core.method_ends import LIMIT
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.ldb_agents import PROGRAM_SHOWN, BlockJudge, Regenerator, Turn
from auditcoder.programs.baselines.ldb_blocks import blocks_text
from auditcoder.programs.baselines.programmer import Programmer
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.render import safe
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.signatures.baselines.ldb import MOST_VERDICTS

_SHOWN: dict[BlockLevel, int] = {"block": 10, "line": 30, "function": 30}
"""Executed blocks shown, half from the beginning and half from the end (section 3, repository)."""


class LdbOptions(Record):
    """Switches of the block-by-block debugger."""

    rounds: int = Field(default=10, ge=0, le=30)
    """Rounds at most; not read in an adaptive run."""
    level: BlockLevel = "block"
    """What a run is cut into."""
    shown: int = Field(default=0, ge=0, le=MOST_VERDICTS)
    """Executed blocks shown at most; 0: 10 at level block, else 30."""
    value_chars: int = Field(default=100, ge=10, le=200)
    """Characters of a variable's line; of a longer one both ends are shown."""
    context_tokens: int = Field(default=3097, ge=1, le=10**6)
    """Tokens of a prompt, estimated; the oldest rounds are left out beyond it."""
    typed_verdicts: bool = True
    """Ask for one verdict a block in a form; otherwise for a text."""


class Ldb(RivalMethod):
    """Seed, then rounds of judging and repairing on the first failing check; the latest program is kept.

    Calls: 1 + the sum over rounds of (judge + 1). The judge is one call; there is none where the run cannot be
    profiled: another outcome than a wrong answer, no usable trace, no block. The statement stands in every prompt, so
    programs get no docstring for the judge.
    """

    agents: ClassVar = {"programmer": "generator", "judge": "verifier", "regenerator": "regenerator"}
    Options: ClassVar = LdbOptions
    options: LdbOptions

    def __init__(self, options: Record) -> None:
        super().__init__(options)
        own = self.options
        self.programmer = Programmer()
        self.judge = BlockJudge(typed=own.typed_verdicts, context_tokens=own.context_tokens)
        self.regenerator = Regenerator(context_tokens=own.context_tokens)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return the seed, and a judge and a repair for each round that K and `rounds` allow."""
        return Bounds(1, 1 + 2 * min(config.k, self.options.rounds))

    def solve(self, run: MethodRun) -> str:
        """Write, run, and while a check fails: profile, judge, repair."""
        run.write(lambda refused: self.programmer(run.task, refused))
        history: list[Turn] = []
        while not run.solved and run.may_react():
            if len(history) == self.options.rounds and not run.config.adaptive:
                return LIMIT
            run.start_round("feedback")
            history.append(self._round(run, history))
        return ""

    def _round(self, run: MethodRun, history: list[Turn]) -> Turn:
        check, result = run.failing()[0]
        turn = Turn(safe(run.source, PROGRAM_SHOWN), failing_report(run.task, [(check, result)]))
        turn = self._judged(run, history, turn, check, result)
        run.write(lambda refused: self.regenerator(run.task, history, turn, refused), "regenerated")
        return turn

    def _judged(self, run: MethodRun, history: list[Turn], turn: Turn, check: Check, result: CheckResult) -> Turn:
        """Return the turn with the blocks that ran and what the judge says of them; as it is when none can be shown.

        A judgement of another form does not stand in the way of the repair: its text goes on as it is.
        """
        trace, blocks = self._profiled(run, check, result)
        if trace is None:
            return turn
        turn = turn._replace(blocks=blocks)
        judgement = self.judge(run.task, history, turn, [ran.index for ran in trace.blocks])
        run.note("verdicts", check.id, kept=bool(judgement.said), detail=judgement.detail())
        return turn._replace(verdicts=judgement.said)

    def _profiled(self, run: MethodRun, check: Check, result: CheckResult) -> tuple[Trace | None, str]:
        """Return the trace of the failing run with its text; without a usable one nothing, noted with the reason."""
        why = f"the outcome is {result.outcome}"
        if result.outcome == "wrong-answer":
            level = self.options.level
            blocks = block_map(run.source, level, module=run.task.entry.kind in ("program", "script"))
            plan = TracePlan(blocks=blocks.lines, kept=self.options.shown or _SHOWN[level])
            trace = run.trace(check, plan) if blocks.lines else None
            if trace is not None and trace.blocks and not trace.reason:
                return trace, blocks_text(trace, blocks, self.options.value_chars)
            why = trace.reason if trace is not None and trace.reason else "no block ran"
        run.note("judge-skipped", check.id, kept=False, detail=why)
        return None, ""
