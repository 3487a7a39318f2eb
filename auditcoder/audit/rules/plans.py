"""V4: the frozen checks are the task's, the attempts those of the ladder, and every accepted plan is sound."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules import methods, whole
from auditcoder.audit.walk import Walk
from auditcoder.core.admission import admission_of
from auditcoder.core.graph import integrity
from auditcoder.core.ladder import ladder
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.replan import ids_of
from auditcoder.core.review import review_plan
from auditcoder.records.events import AttemptStarted, ChecksFrozen, PlanAccepted, PlanReviewed

_V = AuditCheck.PLAN
_COARSER = {"fine": ("fine", "coarse", "single"), "coarse": ("coarse", "single"), "single": ("single",)}


def frozen(walk: Walk, event: ChecksFrozen) -> None:
    """V4. Q begins with the task's examples; the boundary checks behind them were admitted under the policy."""
    task, config = walk.started.task, walk.started.config
    if walk.rival:
        methods.frozen(walk, event)
        return
    walk.same(_V, "examples at the head of Q", event.checks[: len(task.examples)], task.examples)
    added = event.checks[len(task.examples) :]
    walk.same(_V, "admission policy", event.admission, admission_of(config, weak=weak(walk)))
    walk.same(_V, "checks with a derivation", [name for name, _ in event.derivations], [check.id for check in added])
    walk.holds(_V, all(check.origin == "boundary" for check in added), "further checks are boundary checks")
    walk.holds(_V, len({check.id for check in event.checks}) == len(event.checks), "check ids are unique")
    for check, (_, how) in zip(added, event.derivations, strict=False):
        walk.same(_V, f"{check.id} is input-only", check.expected.input_only, how.startswith("input-only"))


def attempted(walk: Walk, event: AttemptStarted) -> None:
    """V4. An attempt is the next rung of the ladder, and only made while no program passes every check."""
    if walk.rival:
        methods.attempted(walk, event)
        return
    if walk.whole and walk.rounds.made:
        whole.attempted(walk, event)
        return
    rungs = ladder(walk.started.config.granularity, weak(walk))
    rung = rungs[event.index] if 0 <= event.index < len(rungs) else None
    walk.same(_V, "granularity of the attempt", event.granularity, rung.granularity if rung else None)
    walk.same(_V, "reason of the attempt", event.reason, rung.reason if rung else None)
    program = walk.state.program
    solved = program is not None and program.rank is not None and program.rank.full_pass
    walk.holds(_V, not solved, "no further attempt behind a full pass")


def accepted(walk: Walk, event: PlanAccepted) -> None:
    """V4. The accepted plan has integrity and passes the deterministic review; an undivided one is computed."""
    task = walk.started.task
    begun = walk.state.attempts.get(event.attempt)
    allowed = _COARSER.get(begun.granularity if begun else "", ())
    walk.holds(_V, event.granularity in allowed, "the plan is as fine as asked, or coarser", recorded=event.granularity)
    walk.same(_V, "integrity of the plan", [broken.message for broken in integrity(event.graph)], [])
    walk.used_ids.setdefault(event.attempt, set()).update(ids_of(event.graph))
    if walk.whole and walk.rounds.made:
        whole.accepted(walk, event)
    if event.granularity == "single":
        walk.same(_V, "plan of a single owner", event.graph, single_owner_graph(task))
        return
    walk.same(_V, "complaints about the accepted plan", list(review_plan(event.graph, task)), [])
    reviewed = walk.last_review is not None and walk.last_review.attempt == event.attempt
    walk.holds(_V, reviewed, "a divided plan was reviewed in its attempt")


def reviewed(walk: Walk, event: PlanReviewed) -> None:
    """V4. Remembers the last review; what is refused is not in the record, so it cannot be reviewed again."""
    walk.last_review = event


def weak(walk: Walk) -> bool:
    """Return whether the generator's backbone counts as weak."""
    facts = dict(walk.started.models).get("generator")
    return facts is None or facts.strength == "weak"


RULES: tuple[Rule, ...] = (
    rule(_V, ChecksFrozen, frozen),
    rule(_V, AttemptStarted, attempted),
    rule(_V, PlanAccepted, accepted),
    rule(_V, PlanReviewed, reviewed),
)
