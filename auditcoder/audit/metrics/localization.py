"""Localization coverage, localized repair success and test regression (paper 4.3 and appendix C, core.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.audit.metrics.loading import LoadedRun
from auditcoder.audit.metrics.metric import Part, truth
from auditcoder.core.ending import budget_of
from auditcoder.core.rank import passed_checks

HIDDEN = "hidden verdicts given"


def coverage(run: LoadedRun) -> Sequence[Part]:
    """Return whether an initially failing run received a scope.

    Initially failing [R]: the program that stands when the plan attempts are over fails a development check. A run that
    was allowed no repair at all was never localized, and does not count. Of several rounds one with a scope is enough.
    """
    rank = run.built.program.rank
    if rank is None or rank.full_pass or not budget_of(run.config).allows([passed_checks(rank)]):
        return ()
    if has_scope(run):
        return (truth(),)
    reasons = [repair.transaction.reason for repair in run.repairs]
    return (truth(f"abstained: {reasons[-1]}" if reasons else "no repair was tried"),)


def has_scope(run: LoadedRun) -> bool:
    """Return whether some repair of the run received a scope."""
    return any(repair.localized for repair in run.repairs)


def repair_success(run: LoadedRun) -> Sequence[Part] | None:
    """Return whether the final program of a localized run passes every hidden test (LRS); one part a run [R]."""
    if not has_scope(run):
        return ()
    if run.outcome is None or run.outcome.after is None:
        return None
    after = run.outcome.after
    return (truth() if after.all_pass else truth(f"{len(after.passed)} of {after.tests} hidden tests pass"),)


def regression(run: LoadedRun) -> Sequence[Part] | None:
    """Return hidden tests that passed before the repairs of a localized run and fail after them; 0 is best."""
    if not has_scope(run):
        return ()
    if run.outcome is None or run.outcome.before is None or run.outcome.after is None:
        return None
    passed = run.outcome.before.passed
    still = set(run.outcome.after.passed)
    lost = [test for test in passed if test not in still]
    return (Part(len(lost), len(passed), (f"passes no more: {', '.join(lost)}",) if lost else ()),)
