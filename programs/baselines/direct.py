"""Direct: one call, one program. The first attempt that all other methods begin with, and the floor of every table."""

from __future__ import annotations

from typing import ClassVar

from auditcoder.core.method_ends import ONE_PROGRAM
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.programmer import Programmer
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig


class Direct(RivalMethod):
    """Asks once; never reacts to a failure."""

    agents: ClassVar = {"programmer": "generator"}

    def __init__(self, options: Record) -> None:
        super().__init__(options)
        self.programmer = Programmer()

    def bounds(self, config: RunConfig) -> Bounds:
        """Return 1 and 1."""
        return Bounds(1, 1)

    def solve(self, run: MethodRun) -> str:
        """Write one program."""
        run.write(lambda refused: self.programmer(run.task, refused))
        return "" if run.solved else ONE_PROGRAM
