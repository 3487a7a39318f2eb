"""How many repairs a run may make, what each round counts as, and why the run ended where it did."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.budget import AdaptiveBudget, FixedBudget, RepairBudget
from auditcoder.core.rank import passed_checks
from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.task import Check
from auditcoder.records.transaction import Rank, Transaction


def budget_of(config: RunConfig) -> RepairBudget:
    """Return the repair budget that the configuration asks for."""
    per_plan = ("adaptive_scope", "per_plan") in config.options
    return AdaptiveBudget(per_plan=per_plan) if config.adaptive else FixedBudget(config.k)


def round_passed(transaction: Transaction, active: Rank) -> int:
    """Return the passed checks of a round's candidate, rolled back or not; the active program's when none was run.

    Args:
        transaction: The decided round.
        active: Rank of the program that was active when the round began.
    """
    return passed_checks(transaction.after or active)


def ended_by(transaction: Transaction) -> str:
    """Return why no further round may follow a decided one; empty when one may.

    An abstention repeats itself, and behind a spent budget nothing can be asked.
    """
    if transaction.reason in (CALLS_SPENT, TOKENS_SPENT):
        return transaction.reason
    return f"abstained: {transaction.reason}" if transaction.decision == "abstained" else ""


def finish_reason(rank: Rank, checks: Sequence[Check], report: ExecutionReport, ended: str) -> str:
    """Return why a run ended, for its last event.

    Args:
        rank: Rank of the active program.
        checks: The frozen Q.
        report: Results of the active program.
        ended: Why the repair loop was left early; empty when it was not.
    """
    passed = "every check passes" if checks else "there is no check to fail"
    done = passed if rank.full_pass else ended or "the repair budget is used up"
    return f"{done}; results depend on which checks ran before" if report.state_dependent else done
