"""V15, V18, V19, V20: ranks and the choice between candidates, re-verification, the budget, and the end of a run."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules import methods, whole
from auditcoder.audit.rules.execution import confirmed
from auditcoder.audit.walk import Repair, Walk
from auditcoder.core.ending import budget_of, ended_by, finish_reason, round_passed
from auditcoder.core.ladder import ladder
from auditcoder.core.rank import improves, passed_checks, rank_of
from auditcoder.core.reverification import reverification
from auditcoder.errors import RecordError
from auditcoder.records.events import (
    AttemptStarted,
    CallsRecorded,
    CandidateRanked,
    LocalChecksRun,
    ModelCalled,
    NodesReverified,
    RepairEnded,
    RepairStarted,
    RoundStarted,
    RunFinished,
)
from auditcoder.records.transaction import Rank, Transaction


def ranked(walk: Walk, event: CandidateRanked) -> None:
    """V15. The rank is that of the results; a candidate becomes the program exactly when it is strictly better."""
    if walk.rival:
        methods.ranked(walk, event)
        return
    report = walk.candidate(event.candidate).report
    if report is None:
        raise RecordError("the candidate was not run")
    walk.same(AuditCheck.RANK, "rank", event.rank, rank_of(report, walk.checks))
    program = walk.state.program
    better = program is None or program.rank is None or improves(program.rank, event.rank)
    walk.same(AuditCheck.RANK, "active", event.active, better)
    whole.ranked(walk, event)


def round_began(walk: Walk, event: RoundStarted) -> None:
    """V19. A round outside of transactions begins: of a rival method, or of a repair of the whole program."""
    if not walk.whole:
        methods.began(walk, event)
        return
    rank = _rank(walk)
    if not walk.rounds.made:
        _constructed(walk, rank)
    whole.began(walk, event, rank)


def began(walk: Walk, event: RepairStarted) -> None:
    """V19. A repair begins only while a check fails and the budget allows one more round."""
    rank = _rank(walk)
    _constructed(walk, rank)
    walk.holds(AuditCheck.BUDGET, not rank.full_pass, "no repair behind a full pass")
    walk.holds(AuditCheck.BUDGET, not walk.ended, "no repair behind an abstention", recorded=walk.ended)
    walk.passed = walk.passed or [passed_checks(rank)]
    allowed = budget_of(walk.started.config).allows(walk.passed)
    walk.holds(AuditCheck.BUDGET, allowed, "the budget allows another repair", recorded=walk.passed)
    _reverified(walk)


def round_ended(walk: Walk, transaction: Transaction, repair: Repair | None, before: Rank | None) -> None:
    """Count a round for the budget, and note what an accepted repair obliges to make again."""
    walk.passed = [
        *walk.passed,
        round_passed(transaction, before or Rank(full_pass=False, external=0, internal=0, clean=0)),
    ]
    walk.ended = ended_by(transaction)
    opened = repair.opened if repair else None
    if transaction.decision == "accepted" and opened is not None and walk.grown:
        after = walk.state_of(walk.state.program).active
        walk.reverify = reverification(opened.state.active, after, opened.scope)
        walk.reverify_from = len(walk.state.findings)
        walk.checked_again = []


def evidence(walk: Walk, event: LocalChecksRun | CallsRecorded) -> None:
    """V18. Remembers what was made again behind an accepted repair."""
    if walk.reverify is not None:
        walk.checked_again.append(event.node if isinstance(event, LocalChecksRun) else "")


def reverified(walk: Walk, event: NodesReverified) -> None:
    """V18. The frozen nodes whose provider changed, their executed evidence made again, and all that it says."""
    due, check = walk.reverify, AuditCheck.REVERIFICATION
    if due is None:
        walk.differ(check, "an accepted repair to re-verify behind", event.index, "")
        return
    walk.reverify = None
    walk.same(check, "nodes with a changed provider", event.nodes, due.nodes)
    made = walk.state.findings[walk.reverify_from :]
    walk.same(check, "findings made again", event.findings, tuple(finding.id for finding in made))
    rejected = tuple(finding.id for finding in made if finding.verdict == "reject")
    walk.same(check, "findings that reject", event.rejected, rejected)
    again = [name for name in walk.checked_again if name]
    walk.same(check, "nodes whose local checks ran again", again, list(due.checked))
    walk.same(check, "calls were recorded again", "" in walk.checked_again, bool(due.monitored))
    walk.forget_evidence()


def finished(walk: Walk, event: RunFinished) -> None:
    """V19, V20. The run ends with the active program, its rank and the reason, and not before it must."""
    program, check = walk.state.program, AuditCheck.FINISH
    if program is None or program.report is None:
        raise RecordError("the run has no program")
    rank = _rank(walk)
    walk.same(check, "candidate", event.candidate, program.index)
    walk.same(check, "program", event.program, program.assembly.digest)
    walk.same(check, "rank", event.rank, rank)
    if walk.rival:
        _ranked_so_far(walk)
        methods.finished(walk, event, rank, program.report)
        return
    cut = walk.spending.spent if _cut(walk, rank) else ""
    reason = finish_reason(rank, walk.checks, program.report, walk.ended or cut)
    walk.same(check, "reason", event.reason, reason)
    _reverified(walk)
    if not cut:
        _exhausted(walk, rank)


def _cut(walk: Walk, rank: Rank) -> bool:
    """Return whether the run would have gone on: then only a spent budget of requests can have ended it."""
    if rank.full_pass or walk.ended or not walk.state.attempts:
        return False
    tried = whole.constructions(walk)
    unwritten = not walk.state.transactions and not walk.rounds.made and tried - 1 not in walk.state.results
    last = walk.state.workspaces.get(len(walk.state.attempts) - 1)
    resorted = last is not None and last.plan is not None and last.plan.fallback == walk.spending.spent != ""
    short = not walk.state.transactions and tried < len(ladder(walk.started.config.granularity, _weak(walk)))
    more = budget_of(walk.started.config).allows(walk.passed or [passed_checks(rank)])
    return unwritten or resorted or short or more or whole.open_round(walk)


def _exhausted(walk: Walk, rank: Rank) -> None:
    whole.close_round(walk, rank)
    config = walk.started.config
    more = budget_of(config).allows(walk.passed or [passed_checks(rank)])
    stopped = rank.full_pass or bool(walk.ended) or not more
    walk.holds(AuditCheck.BUDGET, stopped, "the budget allowed another repair", recorded=walk.passed)
    if not walk.state.transactions and not walk.rounds.made:
        _constructed(walk, rank)


def attempted(walk: Walk, event: AttemptStarted) -> None:
    """V15. Every candidate of the attempts before is ranked."""
    _ranked_so_far(walk)


def _constructed(walk: Walk, rank: Rank) -> None:
    """V15, V19. Before repairs every rung was tried, unless all checks pass, and every candidate is ranked."""
    if walk.state.transactions:
        return
    rungs = len(ladder(walk.started.config.granularity, _weak(walk)))
    tried = rank.full_pass or len(walk.state.attempts) == rungs
    walk.holds(AuditCheck.BUDGET, tried, "every plan attempt was made", recorded=len(walk.state.attempts))
    _ranked_so_far(walk)


def _ranked_so_far(walk: Walk) -> None:
    unranked = [number for number, candidate in walk.state.candidates.items() if candidate.rank is None]
    walk.same(AuditCheck.RANK, "candidates without a rank", unranked, [])


def _reverified(walk: Walk) -> None:
    walk.holds(AuditCheck.REVERIFICATION, walk.reverify is None, "an accepted repair is followed by re-verification")
    walk.reverify = None


def _weak(walk: Walk) -> bool:
    facts = dict(walk.started.models).get("generator")
    return facts is None or facts.strength == "weak"


def _rank(walk: Walk) -> Rank:
    """Return the rank of the active program, from its results."""
    program = walk.state.program
    if program is None or program.report is None:
        raise RecordError("there is no program that was run")
    ran_on = program.frozen.checks if program.frozen else ()  # a rival may have frozen others since
    return rank_of(program.report, ran_on)


def repair_confirmed(walk: Walk, event: RepairEnded) -> None:
    """V9. The results that a repair is decided on are confirmed ones where that is due."""
    if walk.repair and walk.repair.candidate is not None:
        confirmed(walk, walk.repair.candidate)


RULES: tuple[Rule, ...] = (
    rule(AuditCheck.RANK, AttemptStarted, attempted),
    rule(AuditCheck.RANK, CandidateRanked, ranked),
    rule(AuditCheck.BUDGET, RepairStarted, began),
    rule(AuditCheck.BUDGET, RoundStarted, round_began),
    rule(AuditCheck.BUDGET, ModelCalled, methods.called),
    rule(AuditCheck.REVERIFICATION, LocalChecksRun, evidence),
    rule(AuditCheck.REVERIFICATION, CallsRecorded, evidence),
    rule(AuditCheck.REVERIFICATION, NodesReverified, reverified),
    rule(AuditCheck.EXECUTION, RepairEnded, repair_confirmed),
    rule(AuditCheck.FINISH, RunFinished, finished),
)
