"""When repair stops: a fixed number of interventions, or no progress (paper, adaptive multi-round runs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class RepairBudget(Protocol):
    """Decides whether one more repair may be started."""

    def allows(self, passed: Sequence[int], since: int = 0) -> bool:
        """Return whether another repair may start.

        Args:
            passed: Number of passed checks of the program before the first repair, then of the candidate of every
                round so far, rolled back or not.
            since: The round in which the present plan was begun, of a method that tries several.
        """
        ...


@dataclass(frozen=True)
class FixedBudget:
    """`K` interventions at most, whatever they bring; 0 never repairs."""

    k: int = 1

    def allows(self, passed: Sequence[int], since: int = 0) -> bool:
        """Return whether fewer than `k` rounds were made."""
        return len(passed) - 1 < self.k


@dataclass(frozen=True)
class AdaptiveBudget:
    """Goes on until `patience` consecutive rounds brought no strict increase in the number of passed checks.

    An increase is measured against the best count so far [R]: with n checks there are then at most n increases, so
    the loop ends after at most `patience * (n + 1)` rounds even when candidates oscillate.
    """

    patience: int = 4
    most: int = 30
    """Safety limit of rounds; a run that reaches it says so."""
    per_plan: bool = False
    """Patience begins anew with every plan: it ends the plan, not the run (MapCoder and CodeSim, section 5)."""

    def allows(self, passed: Sequence[int], since: int = 0) -> bool:
        """Return whether the last `patience` rounds, of the present plan if so wanted, hold a strict increase."""
        best, idle = max(passed[:1], default=0), 0
        for number, count in enumerate(passed[1:], 1):
            idle = 0 if count > best or (self.per_plan and number <= since) else idle + 1
            best = max(best, count)
        return idle < self.patience and len(passed) - 1 < self.most
