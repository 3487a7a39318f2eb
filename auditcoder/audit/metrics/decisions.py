"""Decision compliance and rollback integrity of repairs with a scope (paper 4.3 and appendix D, core.md section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditcoder.audit.metrics.loading import LoadedRepair, LoadedRun
from auditcoder.audit.metrics.metric import Part, truth
from auditcoder.core.transaction import decide
from auditcoder.records.transaction import Decision, Transaction


def decision_compliance(run: LoadedRun) -> Sequence[Part]:
    """Return whether each decision is the one that strict improvement of the recorded ranks gives.

    A candidate that crossed the border never ran and must have been rejected there; a repair without a candidate has no
    rank to improve and must have been rolled back [R].
    """
    return [truth(*_noncompliant(repair.transaction)) for repair in run.repairs if repair.localized]


def _noncompliant(done: Transaction) -> Iterator[str]:
    wanted = due_decision(done)
    if done.decision != wanted:
        yield f"repair {done.index + 1} was {done.decision}, its ranks say {wanted}"


def due_decision(done: Transaction) -> Decision:
    """Return the decision that the recorded ranks and violations of a repair with a scope give."""
    if done.violations:
        return "rejected-at-border"
    if done.before is None or done.after is None:
        return "rolled-back"
    return decide(done.before, done.after)


def rollback_integrity(run: LoadedRun) -> Sequence[Part]:
    """Return whether each rollback gave back everything: code of nodes, assembly, results, and also graph and Q.

    The paper compares three snapshots: assembled code, node snippets, check results. Here the whole state of core.md
    section 6 is folded from the events on both sides of the repair, compared, and hashed against the recorded hashes.
    A rejection at the border is a rollback too.
    """
    rollbacks = [
        repair for repair in run.repairs if repair.transaction.decision in ("rolled-back", "rejected-at-border")
    ]
    return [truth(*_unrestored(repair)) for repair in rollbacks]


def _unrestored(repair: LoadedRepair) -> Iterator[str]:
    done, held, restored = repair.transaction, repair.held, repair.restored
    name = f"repair {done.index + 1}"
    if held is None or restored is None:
        yield f"{name}: there is no state to compare"
        return
    fields = [field for field in type(held).model_fields if getattr(held, field) != getattr(restored, field)]
    if fields:
        yield f"{name}: not restored: {', '.join(fields)}"
    if done.restored != done.snapshot:
        yield f"{name}: the recorded hashes differ"
    elif restored.state_hash() != done.snapshot:
        yield f"{name}: the state has another hash than the recorded one"
