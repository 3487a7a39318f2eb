"""The type of hidden tests: no record, so no event, ledger or prompt can carry it. Only this package makes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from auditcoder.records.execution import Outcome
from auditcoder.records.task import Check, EntryPoint, FilesInput, Limits

LIMITS = Limits(cpu_seconds=10.0, memory_mb=2048, output_kb=8192)


@dataclass(frozen=True, repr=False)
class HiddenTests:
    """The hidden tests of one task."""

    task: str
    """Id of the task."""
    entry: EntryPoint
    checks: tuple[Check, ...]
    several_answers: bool = False
    """The statement accepts answers that these tests refuse: no verdict can be drawn from a failure."""
    limits: Limits = LIMITS
    grader: str = ""
    """A program that reads what a script wrote, in another process than the script: with the name of a test as its
    argument it prints `passed`. Empty for tasks whose checks run the program itself."""
    given: FilesInput | None = None
    """The input of the script that the grader judges."""


class HiddenOutcome(NamedTuple):
    """Result on one hidden test, without its content."""

    check: str
    outcome: Outcome


class HiddenResult(NamedTuple):
    """What the hidden tests say about one program."""

    passed: bool
    outcomes: tuple[HiddenOutcome, ...]
    several_answers: bool

    @property
    def passes(self) -> int:
        """Return the number of hidden tests that passed."""
        return sum(one.outcome == "pass" for one in self.outcomes)
