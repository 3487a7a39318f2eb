"""One bounded repair from snapshot to decision, as pure functions (paper 3.4, core.md section 6).

The caller opens a transaction, has the scope regenerated, checks the border *before* anything runs, runs the
candidate on the same Q, and closes. Closing returns the record and the state that is active from then on, so accept
and rollback cannot be mixed up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.rank import improves, rank_of
from auditcoder.core.state import RunState
from auditcoder.errors import RecordError
from auditcoder.records.code import Assembly
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import Check, checks_hash
from auditcoder.records.transaction import BorderViolation, Decision, Rank, Transaction


@dataclass(frozen=True)
class OpenTransaction:
    """A repair under way: what was found, what may change, what is frozen, and what to go back to."""

    index: int
    state: RunState
    snapshot: str
    checks: tuple[Check, ...]
    localization: Localization
    scope: Scope
    frozen: tuple[tuple[str, str], ...]
    before: Rank

    @property
    def abstains(self) -> bool:
        """Return whether nothing may be repaired: no model is called, the transaction is closed at once."""
        return bool(self.localization.abstained or self.scope.abstained)


class Closed(NamedTuple):
    """The record of a decided transaction, and the state that is active after it."""

    transaction: Transaction
    state: RunState


def open_transaction(
    index: int, state: RunState, checks: Sequence[Check], localization: Localization, scope: Scope
) -> OpenTransaction:
    """Return an open transaction with the snapshot's hash and the frozen complement of the scope.

    Raises:
        RecordError: `checks` are not the Q that the state's report was made on.
    """
    frozen_checks = tuple(checks)
    if checks_hash(frozen_checks) != state.checks_hash:
        raise RecordError("the checks are not the frozen ones", hint="Validate repairs on the Q of the first run.")
    abstains = localization.abstained or scope.abstained
    return OpenTransaction(
        index=index,
        state=state,
        snapshot=state.state_hash(),
        checks=frozen_checks,
        localization=localization,
        scope=scope,
        frozen=() if abstains else frozen_complement(state.assembly, scope),
        before=rank_of(state.report, frozen_checks),
    )


def decide(before: Rank, after: Rank) -> Decision:
    """Return `accepted` on strict improvement of the rank, else `rolled-back`."""
    return "accepted" if improves(before, after) else "rolled-back"


def crossings(opened: OpenTransaction, candidate: Assembly) -> tuple[BorderViolation, ...]:
    """Return the border violations of a candidate program; with any, it must be rejected before it runs."""
    return border_violations(opened.state.assembly, candidate, opened.scope)


def close_abstained(opened: OpenTransaction) -> Closed:
    """Return the record of an abstention, with the state unchanged.

    Raises:
        RecordError: a scope was selected, so there is nothing to abstain from.
    """
    if not opened.abstains:
        raise RecordError("this transaction has a scope", hint="Regenerate the scope, then close with its outcome.")
    return _back(opened, "abstained", reason=opened.localization.abstained or opened.scope.abstained)


def close_without_candidate(opened: OpenTransaction, reason: str) -> Closed:
    """Return the rollback of a repair whose answer gave no program at all (unusable code, units that do not link)."""
    return _back(opened, "rolled-back", reason=reason)


def close_at_border(opened: OpenTransaction, candidate: Assembly) -> Closed:
    """Return the rejection of a candidate that never ran because it changed units outside the scope.

    Raises:
        RecordError: the candidate respects the border.
    """
    violations = crossings(opened, candidate)
    if not violations:
        raise RecordError("the candidate changes nothing outside the scope", hint="Run it on Q and close with that.")
    named = ", ".join(f"{violation.unit} {violation.change}" for violation in violations)
    return _back(opened, "rejected-at-border", reason=f"outside the scope: {named}", violations=violations)


def close_transaction(opened: OpenTransaction, candidate: RunState) -> Closed:
    """Return the decision on a candidate that was run on Q: the candidate's state when accepted, else the old one.

    Raises:
        RecordError: the candidate was run on other checks, is not the program of its report, or crosses the border
            and should not have run.
    """
    if candidate.checks_hash != opened.state.checks_hash:
        raise RecordError("the candidate was validated on other checks", hint="Q stays fixed through all repairs.")
    if candidate.report.program != candidate.assembly.digest:
        raise RecordError("the report is of another program than the candidate", hint="Run the candidate itself.")
    if opened.abstains or crossings(opened, candidate.assembly):
        raise RecordError("this candidate may not be run", hint="Close with close_abstained or close_at_border.")
    after = rank_of(candidate.report, opened.checks)
    if decide(opened.before, after) == "rolled-back":
        return _back(opened, "rolled-back", after=after, reason="the rank did not strictly improve")
    record = _record(opened, "accepted", after=after, reason="the rank strictly improved")
    return Closed(record, candidate)


def _back(
    opened: OpenTransaction,
    decision: Decision,
    *,
    reason: str,
    after: Rank | None = None,
    violations: tuple[BorderViolation, ...] = (),
) -> Closed:
    restored = opened.state.state_hash()
    if restored != opened.snapshot:
        raise RecordError("the rollback did not restore the snapshot", snapshot=opened.snapshot, restored=restored)
    record = _record(opened, decision, after=after, reason=reason, violations=violations, restored=restored)
    return Closed(record, opened.state)


def _record(
    opened: OpenTransaction,
    decision: Decision,
    *,
    reason: str,
    after: Rank | None = None,
    violations: tuple[BorderViolation, ...] = (),
    restored: str = "",
) -> Transaction:
    return Transaction(
        index=opened.index,
        localization=opened.localization,
        scope=opened.scope,
        snapshot=opened.snapshot,
        frozen=opened.frozen,
        before=opened.before,
        after=after,
        violations=violations,
        decision=decision,
        restored=restored,
        reason=reason,
    )
