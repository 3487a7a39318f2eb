"""V2, V4, V15, V19 of repairs of the whole program: rounds in one attempt of their own, outside of transactions."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.walk import Walk
from auditcoder.core.anchor import find_anchor
from auditcoder.core.ending import budget_of
from auditcoder.core.rank import passed_checks
from auditcoder.core.wanted import wanted_evidence
from auditcoder.core.whole import WHOLE
from auditcoder.records.events import AttemptStarted, CandidateRanked, PlanAccepted, RoundStarted
from auditcoder.records.transaction import Rank


def attempted(walk: Walk, event: AttemptStarted) -> None:
    """V4. The rounds belong to one attempt with one owner, which begins with the first of them."""
    walk.same(AuditCheck.PLAN, "attempt of whole-program repair", (event.granularity, event.reason), ("single", WHOLE))
    walk.holds(AuditCheck.PLAN, not _begun(walk), "whole-program repair has one attempt")


def accepted(walk: Walk, event: PlanAccepted) -> None:
    """V4. The plan of that attempt says what it is."""
    walk.same(AuditCheck.PLAN, "why the plan has a single owner", event.fallback, WHOLE)


def began(walk: Walk, event: RoundStarted, rank: Rank) -> None:
    """V19. A round begins while a check fails and the budget allows it, on evidence that the failure wants."""
    close_round(walk, rank)
    walk.holds(AuditCheck.BUDGET, not rank.full_pass, "no round behind a full pass")
    walk.passed = walk.passed or [passed_checks(rank)]
    allowed = budget_of(walk.started.config).allows(walk.passed)
    walk.holds(AuditCheck.BUDGET, allowed, "the budget allows another round", recorded=walk.passed)
    walk.same(AuditCheck.BUDGET, "how the program is reacted to", event.how, "feedback")
    walk.same(AuditCheck.BUDGET, "candidate that is reacted to", event.candidate, walk.state.active)
    anchor = find_anchor(walk.state_of(walk.state.program).report, walk.checks)
    wanted = wanted_evidence(anchor.result.outcome) if anchor and anchor.result else "nothing"
    name = anchor.check.id if anchor else ""
    found = "calls" if name in walk.recordings else "costs" if name in walk.measurements else "nothing"
    walk.same(AuditCheck.BUDGET, "evidence on the anchor", found, wanted)
    walk.rounds.begin()
    walk.forget_evidence()


def ranked(walk: Walk, event: CandidateRanked) -> None:
    """V19. The candidate of a round is what the round brought."""
    if open_round(walk):
        walk.passed = [*walk.passed, passed_checks(event.rank)]


def open_round(walk: Walk) -> bool:
    """Return whether a round has begun that has no candidate yet."""
    return walk.whole and walk.rounds.made > max(len(walk.passed) - 1, 0)


def close_round(walk: Walk, rank: Rank) -> None:
    """Count a round that brought no candidate as its program."""
    if open_round(walk):
        walk.passed = [*walk.passed, passed_checks(rank)]


def ways(walk: Walk) -> tuple[str, ...]:
    """Return how the code of a round can come to be."""
    fresh = walk.chosen is not None and walk.chosen.shown == "resample"
    return ("generated",) if fresh else ("regenerated",)


def constructions(walk: Walk) -> int:
    """Return how many plan attempts there are besides that of whole-program repair."""
    return len(walk.state.attempts) - int(_begun(walk))


def _begun(walk: Walk) -> bool:
    return any(attempt.reason == WHOLE for attempt in walk.state.attempts.values())
