"""V4, V15, V19, V20 of rival methods: their checks, their update rule, their rounds, and why they ended."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.walk import Walk
from auditcoder.core.ending import finish_reason
from auditcoder.core.method_ends import ends_of, goes_on_solved, own_limit, round_kinds
from auditcoder.core.method_rules import reacts_to_latest, replaces, update_rule
from auditcoder.core.rank import passed_checks, rank_of
from auditcoder.core.suites import OWN_CHECKS, Tried, examples_in_q, freezes_again
from auditcoder.errors import RecordError
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    ChecksFrozen,
    ModelCalled,
    RoundStarted,
    RunFinished,
)
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.transaction import Rank

_PLAN, _BUDGET = AuditCheck.PLAN, AuditCheck.BUDGET


def frozen(walk: Walk, event: ChecksFrozen) -> None:
    """V4. Q is the task's examples, unless the method leaves them out, and then its own checks, if it writes any."""
    config, task = walk.started.config, walk.started.task
    examples = task.examples if examples_in_q(config) else ()
    walk.same(_PLAN, "examples at the head of Q", event.checks[: len(examples)], examples)
    own = event.checks[len(examples) :]
    walk.holds(_PLAN, not own or config.method in OWN_CHECKS, "only some methods have checks of their own")
    walk.same(_PLAN, "admission policy", event.admission, "method")
    walk.same(_PLAN, "checks with a source", [name for name, _ in event.derivations], [check.id for check in own])
    walk.holds(_PLAN, all(check.origin == "internal" for check in own), "further checks are the method's own")
    walk.holds(_PLAN, len({check.id for check in event.checks}) == len(event.checks), "check ids are unique")


def attempted(walk: Walk, event: AttemptStarted) -> None:
    """V4. A rival method has one attempt, with one owner of everything."""
    told = (event.index, event.granularity, event.reason)
    walk.same(_PLAN, "attempt of a rival method", told, (0, "single", f"method {walk.started.config.method}"))


def ranked(walk: Walk, event: CandidateRanked) -> None:
    """V15. The rank is that of the results; the candidate takes over exactly when the method's update rule says so."""
    report = walk.candidate(event.candidate).report
    if report is None:
        raise RecordError("the candidate was not run")
    walk.same(AuditCheck.RANK, "rank", event.rank, rank_of(report, walk.checks))
    program = walk.state.program
    before = None
    if program is not None and program.rank is not None and program.report is not None:
        before = Tried(program.rank, program.report, walk.rounds.taken)
    new = Tried(event.rank, report, walk.rounds.made)
    better = replaces(update_rule(walk.started.config), before, new, walk.checks)
    walk.same(AuditCheck.RANK, "active", event.active, better)
    if event.active:
        walk.rounds.taken = walk.rounds.made
    walk.rounds.ranked(passed_checks(event.rank))


def began(walk: Walk, event: RoundStarted) -> None:
    """V19. A round begins while a check fails and the budget and the method allow it; it reacts to the program then."""
    config = walk.started.config
    walk.holds(_BUDGET, bool(walk.checks), "no round without checks")
    walk.holds(_BUDGET, event.how in round_kinds(config), "a kind of round that the method has", recorded=event.how)
    limit = own_limit(config)
    walk.holds(_BUDGET, limit is None or walk.rounds.made < limit, "the method's own limit allows another round")
    active = walk.state.program
    passed = active is not None and active.rank is not None and active.rank.full_pass
    walk.holds(_BUDGET, not passed or goes_on_solved(config), "no round behind a full pass")
    walk.holds(_BUDGET, walk.rounds.allows(event.how), "the budget allows another round", recorded=walk.rounds.passed)
    program = walk.state.program
    if reacts_to_latest(config, event.how):
        program = max((each for each in walk.state.candidates.values() if each.rank), key=lambda each: each.index)
    walk.same(_BUDGET, "candidate that is reacted to", event.candidate, program.index if program else None)
    walk.rounds.begin(event.how)
    walk.refreeze = freezes_again(config)


def called(walk: Walk, event: ModelCalled) -> None:
    """V19. A request is made only while the budget of calls and tokens is not used up."""
    config = walk.started.config
    if config.max_calls is None and config.max_tokens is None:
        return
    walk.holds(_BUDGET, not walk.spending.spent, "the budget allows another request", recorded=walk.spending.spent)


def finished(walk: Walk, event: RunFinished, rank: Rank, report: ExecutionReport) -> None:
    """V20. The reason is a full pass, a budget that is really used up, or a rule of the method's own."""
    config = walk.started.config
    ends = [walk.spending.spent] if walk.spending.spent else []
    ends += [] if rank.full_pass else ends_of(config, walk.rounds, report, walk.checks)
    ends += [""] if rank.full_pass or not walk.rounds.allows() else []
    told = [finish_reason(rank, walk.checks, report, end) for end in ends]
    walk.holds(AuditCheck.FINISH, event.reason in told, "the reason is one that holds", recorded=event.reason,
               wanted="; ".join(dict.fromkeys(told)))  # fmt: skip
