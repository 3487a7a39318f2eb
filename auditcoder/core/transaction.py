"""One bounded repair from snapshot to decision, as pure functions (paper 3.4, core.md section 6).

The caller opens a transaction, declares the final scope, has it regenerated, checks the border *before* anything runs,
runs the candidate on the same Q, and closes. Closing returns the record and the state that is active from then on, so
accept and rollback cannot be mixed up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.expansion import expansion_violations
from auditcoder.core.plan_border import plan_violations
from auditcoder.core.rank import improves, rank_of
from auditcoder.core.state import RunState
from auditcoder.errors import RecordError
from auditcoder.records.code import Assembly
from auditcoder.records.graph import TaskGraph
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
    """As selected, then as declared."""
    frozen: tuple[tuple[str, str], ...]
    before: Rank
    graph: TaskGraph
    """The plan that the candidate must have: the state's own, or the declared revision."""
    plan_crossings: tuple[BorderViolation, ...] = ()
    """How the declared revision goes beyond the scope."""

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
        graph=state.graph,
    )


def declare(
    opened: OpenTransaction, final_scope: Scope, graph: TaskGraph | None, used_ids: Collection[str] = ()
) -> OpenTransaction:
    """Return the transaction with its final scope, before any of it is regenerated.

    Everything outside the final scope is frozen from here on. A revised plan that goes beyond the scope is no error
    here: `crossings` reports it with the candidate, which then never runs.

    Args:
        opened: An open transaction that does not abstain.
        final_scope: The selected scope with its expansions, and nothing else.
        graph: The plan as the repair changes it; None when it stays as it is.
        used_ids: Ids of nodes and decisions that were ever given out in this plan attempt.

    Raises:
        RecordError: there is no scope, it is another one than the selected, or an expansion is inadmissible.
    """
    if opened.abstains:
        raise RecordError("an abstention declares no scope", hint="Close it with close_abstained.")
    if final_scope.model_copy(update={"expansions": ()}) != opened.scope.model_copy(update={"expansions": ()}):
        raise RecordError("the final scope is not the selected one", hint="Add expansions only; select a scope anew.")
    refused = expansion_violations(final_scope, opened.state.graph, opened.state.assembly)
    if refused:
        raise RecordError(f"inadmissible expansion: {refused[0]}", hint="Expand to adjacent units outside the scope.")
    plan = opened.state.graph if graph is None else graph
    return replace(
        opened,
        scope=final_scope,
        frozen=frozen_complement(opened.state.assembly, final_scope),
        graph=plan,
        plan_crossings=plan_violations(opened.state.graph, plan, final_scope, used_ids),
    )


def decide(before: Rank, after: Rank) -> Decision:
    """Return `accepted` on strict improvement of the rank, else `rolled-back`."""
    return "accepted" if improves(before, after) else "rolled-back"


def crossings(opened: OpenTransaction, candidate: Assembly) -> tuple[BorderViolation, ...]:
    """Return the border violations of a candidate: of its units, then of its plan; with any, it never runs."""
    return (*border_violations(opened.state.assembly, candidate, opened.scope), *opened.plan_crossings)


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
        RecordError: the candidate was run on other checks, is not the program of its report, has another plan than the
            declared one, or crosses the border and should not have run.
    """
    if candidate.checks_hash != opened.state.checks_hash:
        raise RecordError("the candidate was validated on other checks", hint="Q stays fixed through all repairs.")
    if candidate.report.program != candidate.assembly.digest:
        raise RecordError("the report is of another program than the candidate", hint="Run the candidate itself.")
    if candidate.graph != opened.graph:
        raise RecordError(
            "the candidate has another plan than the declared one", hint="Declare the revised plan first."
        )
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
