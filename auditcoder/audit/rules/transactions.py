"""V13, V14, V16, V17: a repair from its snapshot over its declared scope and its border to its decision."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.walk import Repair, Walk
from auditcoder.core.assembly import assemble
from auditcoder.core.expansion import expansion_violations, needed_expansions
from auditcoder.core.no_candidate import NO_SETTLEMENT, SAME_CODE, no_code, no_plan, not_linked
from auditcoder.core.replan import ids_of
from auditcoder.core.review import review_plan
from auditcoder.core.transaction import (
    OpenTransaction,
    close_abstained,
    close_at_border,
    close_transaction,
    close_without_candidate,
    crossings,
    declare,
    open_transaction,
)
from auditcoder.errors import AssemblyError, RecordError
from auditcoder.records.events import ChecksRun, CodeRejected, RepairEnded, RepairStarted, ScopeDeclared
from auditcoder.records.transaction import Transaction

_CHECKS = {
    "index": AuditCheck.ORDER,
    "localization": AuditCheck.LOCALIZATION,
    "scope": AuditCheck.DECLARED,
    "snapshot": AuditCheck.ROLLBACK,
    "frozen": AuditCheck.DECLARED,
    "before": AuditCheck.RANK,
    "after": AuditCheck.RANK,
    "violations": AuditCheck.BORDER,
    "decision": AuditCheck.DECISION,
    "restored": AuditCheck.ROLLBACK,
    "reason": AuditCheck.DECISION,
}
"""Under which number each field of a transaction is compared."""


def opened(walk: Walk, event: RepairStarted) -> None:
    """V17. The snapshot is the hash of the whole state: plan, sources, program, results, findings, checks."""
    walk.repair = Repair(event, findings=len(walk.state.findings))
    state = walk.state_of(walk.state.program)
    walk.repair.opened = open_transaction(event.index, state, walk.checks, event.localization, event.scope)
    walk.same(AuditCheck.ROLLBACK, "snapshot", event.snapshot, walk.repair.opened.snapshot)


def declared(walk: Walk, event: ScopeDeclared) -> None:
    """V13. The final scope is the selected one with admissible expansions; all else is frozen, in the plan too.

    Expansions are the call sites that a changed interface needs, and only they.
    """
    repair = walk.repair
    if repair is None:
        return
    repair.declared = event
    if repair.opened is None:
        raise RecordError("the repair was opened on evidence that gives no state")
    state, program = repair.opened.state, walk.state.program
    refused = expansion_violations(event.scope, state.graph, state.assembly)
    walk.same(AuditCheck.DECLARED, "inadmissible expansions", list(refused), [])
    plan = event.graph or state.graph
    regenerates = event.scope.action == "regenerate"
    needed = needed_expansions(state.graph, plan, repair.started.scope, state.assembly) if regenerates else ()
    walk.same(AuditCheck.DECLARED, "expansions that the revised plan needs", event.scope.expansions, needed)
    used = walk.used_ids.get(program.attempt if program else -1, set())
    repair.opened = declare(repair.opened, event.scope, event.graph, used)
    walk.same(AuditCheck.DECLARED, "frozen complement", event.frozen, repair.opened.frozen)
    if event.graph is not None:
        walk.holds(AuditCheck.DECLARED, event.graph != state.graph, "a plan that stays as it is is not declared again")
        used.update(ids_of(event.graph))
        complaints = () if regenerates else review_plan(event.graph, walk.started.task)
        walk.same(AuditCheck.DECLARED, "complaints about the revised plan", list(complaints), [])


def ran(walk: Walk, event: ChecksRun) -> None:
    """V14. A candidate that crosses the border of its repair never runs."""
    repair = walk.repair
    if repair is not None and repair.opened is not None:
        candidate = walk.candidate(event.candidate)
        crossed = [f"{one.unit} {one.change}" for one in crossings(repair.opened, candidate.assembly)]
        walk.same(AuditCheck.BORDER, "border violations of a candidate that ran", crossed, [])


def ended(walk: Walk, event: RepairEnded) -> None:
    """V14 to V17. Closing the transaction again gives the same violations, ranks, decision and restored state."""
    repair, transaction = walk.repair, event.transaction
    if repair is None:
        return
    if repair.opened is None:
        raise RecordError("the repair was opened on evidence that gives no state")
    made = _closed(walk, repair, repair.opened, transaction.reason)
    for name, check in _CHECKS.items():
        walk.same(check, f"transaction, {name}", getattr(transaction, name), getattr(made, name))


def _closed(walk: Walk, repair: Repair, transaction: OpenTransaction, recorded: str) -> Transaction:
    candidate = None if repair.candidate is None else walk.candidate(repair.candidate)
    if transaction.abstains:
        return close_abstained(transaction).transaction
    if candidate is None and walk.spending.spent and recorded == walk.spending.spent:
        return close_without_candidate(transaction, recorded).transaction
    if candidate is None:
        return close_without_candidate(transaction, _reason(walk, repair, transaction)).transaction
    if crossings(transaction, candidate.assembly):
        return close_at_border(transaction, candidate.assembly).transaction
    return close_transaction(transaction, walk.state_of(candidate)).transaction


def _reason(walk: Walk, repair: Repair, transaction: OpenTransaction) -> str:
    """Return why there is no candidate: no revised plan, a node without usable code, nothing new, or no linking."""
    scope = transaction.scope
    if walk.grown and repair.declared is None:
        return no_plan(scope) if scope.action == "replan" else NO_SETTLEMENT
    if isinstance(walk.previous, CodeRejected):
        return no_code(scope, walk.previous.node)
    program = walk.state.program
    if not repair.written or program is None:
        return SAME_CODE
    sources = walk.state.workspaces[program.attempt].codes
    owners = {node.id for node in transaction.graph.owners}
    codes = {node: code for node, code in sources.items() if node in owners}
    try:
        assemble(transaction.graph, codes, walk.started.task, before=transaction.state.assembly)
    except AssemblyError as error:
        return not_linked(error.message)
    raise RecordError("the written units link, and yet there is no candidate")


def restored(walk: Walk, repair: Repair) -> None:
    """V17. What is active behind a repair: the accepted candidate, or the state of the snapshot and nothing else."""
    last = walk.state.transactions[-1]
    if last.decision == "accepted":
        walk.same(AuditCheck.ROLLBACK, "active candidate", walk.state.active, repair.candidate)
        return
    state = walk.state_of(walk.state.program)
    back = state.model_copy(update={"findings": state.findings[: repair.findings]})
    walk.same(AuditCheck.ROLLBACK, "state behind the rollback", last.snapshot, back.state_hash())


RULES: tuple[Rule, ...] = (
    rule(AuditCheck.ROLLBACK, RepairStarted, opened),
    rule(AuditCheck.DECLARED, ScopeDeclared, declared),
    rule(AuditCheck.BORDER, ChecksRun, ran),
    rule(AuditCheck.DECISION, RepairEnded, ended),
)
