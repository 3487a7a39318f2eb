"""Rounds of a rival method: what the budget K, or the adaptive rule, has seen so far (methods, "The two protocols")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from auditcoder.core.budget import RepairBudget

RoundKind = Literal["feedback", "retry"]


@dataclass
class Rounds:
    """Counts feedback rounds and triggered retries together, with the passed checks that each brought.

    `passed[0]` is the best count before the first round; then one best count a round. A round without a candidate
    brings nothing. A retry begins a new plan, in a method that has plans; `since` is the last round that did.
    """

    budget: RepairBudget
    passed: list[int] = field(default_factory=lambda: [0])
    since: int = 0
    taken: int = 0
    """The round whose candidate is the program."""

    @property
    def made(self) -> int:
        """Return how many rounds were begun."""
        return len(self.passed) - 1

    def allows(self, how: RoundKind = "feedback") -> bool:
        """Return whether one more round of a kind may begin."""
        return self.budget.allows(self.passed, self.made if how == "retry" else self.since)

    def begin(self, how: RoundKind = "feedback") -> None:
        """Begin a round."""
        self.passed.append(0)
        self.since = self.made if how == "retry" else self.since

    def ranked(self, passed: int) -> None:
        """Take the passed checks of a candidate of the present round."""
        self.passed[-1] = max(self.passed[-1], passed)
