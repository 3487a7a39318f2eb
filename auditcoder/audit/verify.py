"""`verify`: everything that a run decided is decided again from what its ledger recorded before (core.md section 7).

No model, no clock, no network; without `executor` (see `execute.py`) no program runs either. Bytes in, every
difference out. The events are walked once, with the state before each of them; the numbered checks are:

V1 chain: bytes, order and hashes (`ledger.chain`). V2 order of events, numbering, references. V3 recorded hashes and
effect keys. V4 plans. V5 acceptance of code, and what was merged. V6 assembly. V7 ownership. V8 static gate.
V9 execution reports. V10 findings. V11 localization. V12 selected scope. V13 declared scope, frozen complement, revised
plan. V14 border. V15 ranks and the choice between candidates. V16 decisions. V17 snapshots and rollbacks.
V18 re-verification. V19 budget. V20 the end of the run. V21 output files. V22 executions made again, with an executor
only. V23 stands in `programs.replaying`: the pipeline itself run over the record.

What each proves, and what none can, is told in docs/guide/verify.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from auditcoder.audit.execute import Executed, execute_again
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.outputs import Outputs, expected_outputs, outputs_match, read_outputs
from auditcoder.audit.rule import Rule
from auditcoder.audit.rules import (
    codes,
    execution,
    feedback,
    findings,
    hashes,
    localization,
    merged,
    plans,
    programs,
    rounds,
    transactions,
)
from auditcoder.audit.rules.order import order
from auditcoder.audit.verification import Difference, Verification
from auditcoder.audit.walk import Walk
from auditcoder.core.protocols import Executor, PredicateEvaluator
from auditcoder.ledger.chain import Chain, Ledger, readable_chain
from auditcoder.ledger.fold import record_of
from auditcoder.records.events import CandidateRanked, Event, RepairEnded
from auditcoder.records.transaction import Rank
from auditcoder.sandbox.predicates import MeteredEvaluator

_TABLES = (hashes, plans, codes, programs, execution, findings, localization, rounds, transactions, feedback, merged)


def _by_kind() -> Mapping[str, tuple[Rule, ...]]:
    rules = [rule for table in _TABLES for rule in table.RULES]
    return {kind: tuple(rule for rule in rules if rule.kind == kind) for kind in {rule.kind for rule in rules}}


RULES = _by_kind()


def verify_run(
    run_dir: str | Path, evaluator: PredicateEvaluator | None = None, *, executor: Executor | None = None
) -> Verification:
    """Return what an audit of a run folder finds.

    Args:
        run_dir: The run folder, or its ledger file; the output files beside the ledger are compared too.
        evaluator: Evaluates predicates; by default the metered evaluator of the pipeline.
        executor: When given, every recorded execution is made again in it (V22).

    Raises:
        LedgerError: there is no ledger, or a file cannot be read. A corrupt ledger is a difference, not an error.
        LedgerUnreadableError: the file is no ledger at all.
        UnsupportedFormatError: the ledger has another major format version.
        SandboxError: with an executor, the isolation failed.
    """
    path = Path(run_dir)
    folder = path if path.is_dir() else path.parent
    chain = readable_chain(path)
    found = verify_chain(chain, evaluator, outputs=read_outputs(folder))
    return found if executor is None else with_executions(found, execute_again(chain.ledger, executor))


def verify_ledger(ledger: Ledger, evaluator: PredicateEvaluator | None = None) -> Verification:
    """Return what an audit of a verified chain finds, without its output files."""
    return verify_chain(Chain(ledger, None), evaluator)


def verify_chain(
    chain: Chain, evaluator: PredicateEvaluator | None = None, *, outputs: Outputs | None = None
) -> Verification:
    """Return what an audit finds: everything before a break is verified, and the break is a difference.

    Args:
        chain: As much of a ledger as holds.
        evaluator: Evaluates predicates; by default the metered evaluator of the pipeline.
        outputs: The output files of the run; None to leave them out.
    """
    walk = Walk(evaluator if evaluator is not None else MeteredEvaluator())
    for entry in chain.ledger.entries:
        step(walk, entry.event)
    chained(walk, chain)
    if outputs is not None and chain.broken is None and walk.state.started is not None:
        walk.attempt(AuditCheck.OUTPUTS, "output files", partial(_outputs, walk, chain.ledger, outputs))
    return result_of(walk, broken=chain.broken is not None)


def _outputs(walk: Walk, ledger: Ledger, outputs: Outputs) -> None:
    whole = expected_outputs(record_of(walk.state, head=ledger.head))
    outputs_match(walk, ledger, outputs, whole)


def with_executions(found: Verification, executed: Executed) -> Verification:
    """Return the result of an audit with that of running everything again."""
    differences = sorted((*found.differences, *executed.differences), key=lambda difference: difference.event)
    return replace(
        found,
        differences=tuple(differences),
        comparisons={**found.comparisons, AuditCheck.EXECUTED: executed.compared},
        explained=executed.explained,
        executions=executed.executions,
        notes=(*found.notes, *executed.notes),
    )


def step(walk: Walk, event: Event) -> None:
    """Apply every rule to one event, with the state before it, then take the state one event further."""
    walk.attempt(AuditCheck.ORDER, f"order at {event.kind}", partial(order, walk, event))
    for rule in RULES.get(event.kind, ()):
        walk.attempt(rule.check, event.kind, partial(rule.apply, walk, event))
    before = walk.state.program
    walk.advance(event)
    if isinstance(event, RepairEnded):
        walk.event -= 1  # what is found behind the event belongs to it
        _behind_repair(walk, event, before.rank if before else None)
        walk.event += 1
    if isinstance(event, RepairEnded | CandidateRanked):
        walk.forget_evidence()


def _behind_repair(walk: Walk, event: RepairEnded, before: Rank | None) -> None:
    repair = walk.repair
    walk.repair = None
    if repair is not None:
        walk.attempt(AuditCheck.ROLLBACK, "state behind the repair", partial(transactions.restored, walk, repair))
    ended = partial(rounds.round_ended, walk, event.transaction, repair, before)
    walk.attempt(AuditCheck.REVERIFICATION, "round of the repair", ended)


def chained(walk: Walk, chain: Chain) -> None:
    """V1. The chain holds to its end, and nothing is torn off behind it."""
    walk.comparisons[AuditCheck.CHAIN] += len(chain.ledger.entries)
    if chain.broken is not None:
        walk.comparisons[AuditCheck.CHAIN] += 1
        walk.differences.append(Difference(walk.event, AuditCheck.CHAIN, chain.broken.message, "", ""))
    elif chain.ledger.tail:
        torn = f"{len(chain.ledger.tail)} bytes of a line that was not written to its end"
        walk.differ(AuditCheck.CHAIN, "the ledger ends in a torn line", torn, "a line with its newline")
    if not chain.ledger.entries and chain.broken is None:
        walk.differ(AuditCheck.ORDER, "the ledger holds no event", "", "run.started")


def result_of(walk: Walk, *, broken: bool = False) -> Verification:
    """Return the result of an audit as far as it went; `broken` when the chain breaks there."""
    return Verification(
        format=walk.state.started.format if walk.state.started else "",
        events=walk.event,
        finished=walk.state.finished is not None,
        differences=tuple(_worded(difference) for difference in walk.differences),
        comparisons=dict(walk.comparisons),
        broken=broken,
    )


def _worded(difference: Difference) -> Difference:
    """Return a difference that has nothing to show on either side without the signs for an empty text."""
    bare = {difference.recorded, difference.recomputed} <= {"", '""'}
    return difference._replace(recorded="", recomputed="") if bare else difference
