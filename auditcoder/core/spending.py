"""What a run may spend on model requests, and what it has spent (equal-calls and equal-tokens budgets)."""

from __future__ import annotations

from dataclasses import dataclass

from auditcoder.errors import BudgetSpentError
from auditcoder.records.config import RunConfig
from auditcoder.records.events import ModelCalled

CALLS_SPENT = "the call budget is used up"
TOKENS_SPENT = "the token budget is used up"


@dataclass
class Spending:
    """Counts the requests of one run against its limits; None is no limit.

    A request is let go while less than the limit is spent, so the one in flight when the tokens run out completes and
    is counted (methods: fresh start, "a draw in flight completes").
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    calls: int = 0
    tokens: int = 0

    @property
    def spent(self) -> str:
        """Return why no further request may be made; empty when one may."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            return CALLS_SPENT
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            return TOKENS_SPENT
        return ""

    def admit(self) -> None:
        """Let a request go.

        Raises:
            BudgetSpentError: the budget is used up.
        """
        if self.spent:
            raise BudgetSpentError(self.spent)

    def add(self, call: ModelCalled) -> None:
        """Count a request that was made, failed ones and answers from the cache included."""
        self.calls += 1
        self.tokens += call.prompt_tokens + call.completion_tokens

    def take_back(self, call: ModelCalled) -> None:
        """Take a call off the account that failed, and that a resumed run made again."""
        self.calls -= 1
        self.tokens -= call.prompt_tokens + call.completion_tokens


def spending_of(config: RunConfig) -> Spending:
    """Return the empty account of a run."""
    return Spending(config.max_calls, config.max_tokens)
