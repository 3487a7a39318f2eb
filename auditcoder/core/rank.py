"""How good a program is on the development checks, as one key (paper 3.4, core.md section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.records.execution import ExecutionReport
from auditcoder.records.task import Check
from auditcoder.records.transaction import Rank


def rank_of(report: ExecutionReport, checks: Sequence[Check]) -> Rank:
    """Return (full pass, external passes, internal passes, clean exits) of a report on `checks`.

    External are the task's examples, internal all other checks. An input-only check promises no value, so it can
    count as a clean exit and never as a pass. A check without a result has not passed. An input-only boundary case
    does not stand in the way of a full pass [R]: nobody confirmed that its input is allowed at all.
    """
    results = {result.check: result for result in report.results}
    clean = {check.id for check in checks if check.id in results and results[check.id].clean_exit}
    passed = [check for check in checks if check.id in clean and results[check.id].outcome == "pass"]
    judged = [check for check in passed if not check.expected.input_only]
    external = sum(check.origin == "example" for check in judged)
    return Rank(
        full_pass=all(check in passed for check in checks if not _unconfirmed(check)),
        external=external,
        internal=len(judged) - external,
        clean=len(clean),
    )


def _unconfirmed(check: Check) -> bool:
    return check.origin == "boundary" and check.expected.input_only


def improves(before: Rank, after: Rank) -> bool:
    """Return whether `after` is strictly better; equal is not, so a repair that changes nothing is rolled back."""
    return after.key > before.key


def passed_checks(rank: Rank) -> int:
    """Return the number of passed checks, external and internal."""
    return rank.external + rank.internal
