"""A run's row, from its ledger and the verdicts of its programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from auditcoder.audit.metrics.loading import load
from auditcoder.audit.metrics.regions import region_size
from auditcoder.eval.metrics.course import Course, course_of
from auditcoder.eval.metrics.row import Cell, OutcomeKind, Point, RepairFact, RunRow, Scores, TaskFacts
from auditcoder.eval.metrics.spending import kept_calls, spent_by
from auditcoder.eval.metrics.verdicts import Verdict, Verdicts
from auditcoder.ledger.fold import replay
from auditcoder.ledger.method_result import method_result
from auditcoder.ledger.state import FoldState
from auditcoder.records.events import CodeWritten, Event
from auditcoder.records.execution import Outcome
from auditcoder.records.method import MadeProgram, MethodResult

UNUSABLE_ERRORS = ("unusable-answer", "context-overflow")
"""Codes of errors that say that the model gave nothing that can be used; any other is a fault of the harness."""
NO_LEDGER = "there is no ledger"
UNFINISHED = "the run did not come to its end"
_KINDS: dict[Outcome, OutcomeKind] = {
    "wrong-answer": "wrong-answer",
    "runtime-error": "crash",
    "timeout": "timeout",
    "memory": "limit",
    "output-limit": "limit",
    "policy-reject": "limit",
    "harness-error": "harness-fault",
}


def row_of(
    cell: Cell,
    seed: int,
    facts: TaskFacts,
    events: Sequence[Event],
    verdicts: Verdicts,
    *,
    error: str = "",
    wall_seconds: float | None = None,
) -> RunRow:
    """Return the row of a run. One that did not end returned nothing: its final program failed, whatever it was.

    Args:
        cell: What it is compared as.
        seed: Of the run.
        facts: Its task.
        events: Its ledger; without one the row is invalid.
        verdicts: Of its programs: of the first, the initial and the final one at least.
        error: Code of the error that ended it.
        wall_seconds: What its ledger lines say.

    Raises:
        RecordError: the first event is not `run.started`.
        ValueError: a program that the row needs was not judged.
    """
    if not events:
        return missing_row(cell, seed, facts, error=error)
    state, result, course = replay(events), method_result(events), course_of(events)
    finished = state.finished is not None
    final = result.final if finished else None
    cost, invalid = spent_by(events, wall_seconds)
    initial = _verdict(verdicts, course.initial.assembly.digest) if course.initial else None
    first = _verdict(verdicts, result.first_candidate.digest) if result.first_candidate else None
    last = _verdict(verdicts, final.digest) if final else None
    judged = [verdicts.get(made.digest) for made in result.candidates]
    own = next((one for one in (last, first) if one is not None), None)
    return RunRow(
        **cell._asdict(), task=facts.task, seed=seed, difficulty=facts.difficulty, problem_type=facts.problem_type,
        kind=_kind(last, error, stand_in=_is_stand_in(state, events)), error="" if finished else error,
        primary=None if own is not None and own.passes is None else _scores(first, initial, last, judged, primary=True),
        all_tests=_scores(first, initial, last, judged, primary=False),
        several_answers=bool(own and own.several_answers),
        checked=bool(state.frozen and state.frozen.checks),
        first_visible=_full(result.first_candidate),
        initial_visible=bool(course.initial and course.initial.rank and course.initial.rank.full_pass),
        final_visible=_full(final),
        cost=cost, repairs=_repairs(events, result, verdicts) if finished else (), curve=_curve(course, verdicts),
        requests=tuple((call.prompt_tokens, call.completion_tokens) for call in kept_calls(events)),
        invalid=invalid if finished else (*invalid, UNFINISHED),
    )  # fmt: skip


def missing_row(cell: Cell, seed: int, facts: TaskFacts, *, error: str = "") -> RunRow:
    """Return the row of a run of the frozen list that left no ledger: it failed, and its cost is unknown."""
    return RunRow(
        **cell._asdict(), task=facts.task, seed=seed, difficulty=facts.difficulty, problem_type=facts.problem_type,
        kind=_failed_kind(error), error=error, primary=Scores(), invalid=(NO_LEDGER,),
    )  # fmt: skip


def needed_programs(events: Sequence[Event]) -> tuple[MadeProgram, ...]:
    """Return every program of a run, for `verdicts.judged`: the oracle asks for all of them."""
    return method_result(events).candidates


def _verdict(verdicts: Verdicts, program: str) -> Verdict:
    if program not in verdicts:
        raise ValueError(f"the program {program[:12]} was not judged")
    return verdicts[program]


def _scores(
    first: Verdict | None, initial: Verdict | None, last: Verdict | None, judged: Sequence[Verdict | None], *,
    primary: bool,
) -> Scores:  # fmt: skip
    def passed(verdict: Verdict | None) -> bool:
        return verdict is not None and bool(verdict.passes if primary else verdict.passes_all)

    some = any(passed(verdict) for verdict in judged)
    known = None not in judged
    return Scores(
        first=passed(first),
        initial=passed(initial),
        selected=passed(last),
        oracle=some if some or known else None,
    )


def _kind(last: Verdict | None, error: str, *, stand_in: bool) -> OutcomeKind:
    if last is None:
        return _failed_kind(error)
    if last.fault:
        return "harness-fault"
    if last.passes_all:
        return "passed"
    if stand_in:
        return "unusable"
    failure = last.first_failure
    return _KINDS[failure] if failure else "harness-fault"


def _failed_kind(error: str) -> OutcomeKind:
    if not error:
        return "not-run"
    return "unusable" if error in UNUSABLE_ERRORS else "harness-fault"


def _is_stand_in(state: FoldState, events: Sequence[Event]) -> bool:
    """Return whether the active program holds code that only fails when it is called: no answer could be used."""
    made = {(event.code.node, event.code.digest) for event in events if _is_fallback(event)}
    codes = state.program.codes.values() if state.program else ()
    return any((code.node, code.digest) in made for code in codes)


def _is_fallback(event: Event) -> TypeGuard[CodeWritten]:
    return isinstance(event, CodeWritten) and event.how == "fallback"


def _full(made: MadeProgram | None) -> bool:
    return bool(made and made.rank and made.rank.full_pass)


def _curve(course: Course, verdicts: Verdicts) -> tuple[Point, ...]:
    known = [(step.calls, verdicts[step.program]) for step in course.steps if step.program in verdicts]
    return tuple(Point(calls=calls, primary=verdict.passes, all_tests=verdict.passes_all) for calls, verdict in known)


def _repairs(events: Sequence[Event], result: MethodResult, verdicts: Verdicts) -> tuple[RepairFact, ...]:
    """Return the transactions of a run; rivals have none."""
    if result.method != "auditcoder" or result.final is None:
        return ()
    run = load("", events)
    sizes = iter(region_size(run))
    facts = []
    for repair in run.repairs:
        size = next(sizes) if repair.localized else None
        verdict = verdicts.get(repair.after.assembly.digest)
        facts.append(
            RepairFact(
                decision=repair.transaction.decision,
                rule=(repair.transaction.localization.rule or "") if size else "",
                scope_nodes=size.numerator if size else 0,
                graph_nodes=size.denominator if size else 0,
                passed_after=bool(verdict and (verdict.passes_all if verdict.passes is None else verdict.passes)),
            )
        )
    return tuple(facts)
