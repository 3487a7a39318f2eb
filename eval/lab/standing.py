"""How far a study is: figures by method, what it cost, and how long it will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditcoder.eval.lab.attempt import is_begun
from auditcoder.eval.lab.grid import Cell
from auditcoder.eval.lab.loop import Progress
from auditcoder.ledger.method_result import method_result
from auditcoder.ledger.outputs import load_ledger
from auditcoder.records.run import Usage


@dataclass
class Column:
    """Figures of one method so far."""

    cells: int = 0
    done: int = 0
    failed: int = 0
    """Runs that an error ended."""
    full_pass: int = 0
    """Runs whose final program passes every visible check; what hidden tests say comes when all is done."""
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


@dataclass
class Standing:
    """The whole study; `step` takes one result after the other."""

    columns: dict[str, Column] = field(default_factory=dict)
    total: int = 0
    done: int = 0
    made: int = 0
    """Results that were made in this call; others were there."""
    seconds: float = 0.0
    """Since this call began."""

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> Standing:
        """Return that of a study without any result."""
        standing = cls(total=len(cells))
        for cell in cells:
            standing.columns.setdefault(cell.method, Column()).cells += 1
        return standing

    def step(self, progress: Progress, out: Path, seconds: float) -> str:
        """Take a result; return it as a line.

        Args:
            progress: The result.
            out: Folder of the study.
            seconds: Since this call began.
        """
        column = self.columns[progress.cell.method]
        column.done, self.done, self.seconds = column.done + 1, self.done + 1, seconds
        self.made += progress.attempt.made
        column.failed += progress.attempt.state == "failed"
        passed, usage = _figures(out / progress.cell.place)
        column.full_pass += passed
        column.calls += usage.calls
        column.tokens += usage.prompt_tokens + usage.completion_tokens
        column.usd += usage.usd
        cell, error = progress.cell, progress.attempt.error
        told = error or ("passes its checks" if passed else "fails a check")
        return f"{cell.task} {cell.method} {cell.model} {cell.protocol} seed {cell.seed}: {told}, {usage.calls} calls"

    @property
    def usd(self) -> float:
        """Return what all runs cost."""
        return sum(column.usd for column in self.columns.values())

    @property
    def seconds_left(self) -> float | None:
        """Return about how long the rest takes at the pace of this call; None before there is any."""
        return self.seconds / self.made * (self.total - self.done) if self.made else None


def _figures(folder: Path) -> tuple[bool, Usage]:
    """Return whether the final program passes every visible check, and what the run used."""
    if not is_begun(folder):
        return False, Usage(role="total")
    result = method_result(load_ledger(folder).events)
    passed = result.final is not None and result.final.rank is not None and result.final.rank.full_pass
    return passed, result.total
