"""The course of a run: which program it would have returned, when, and before any reaction to a failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    Event,
    ModelCalled,
    RepairStarted,
    RoundStarted,
    RunResumed,
)


class Step(NamedTuple):
    """A moment at which another program became the active one."""

    calls: int
    """Requests so far."""
    program: str
    """SHA-256 of its text."""


class Course(NamedTuple):
    """What a run would have returned at any time."""

    initial: Candidate | None
    """The active program when the run first reacted to a failure; the final one when it never did."""
    steps: tuple[Step, ...]


def course_of(events: Sequence[Event]) -> Course:
    """Return the course of a run after these events.

    A reaction begins with a round of a rival, a repair of AuditCoder, or a further plan attempt behind a program that
    failed: what comes before it is planning, drafting and selecting (methods/README, the two protocols).
    """
    state, steps = FoldState(), list[Step]()
    initial: Candidate | None = None
    reacted = ranked = False
    calls = 0
    for event in events:
        match event:
            case ModelCalled():
                calls += 1
            case RunResumed():  # the failed request is made again
                calls -= 1
            case RoundStarted() | RepairStarted():
                reacted = True
            case AttemptStarted():
                reacted = reacted or ranked
            case CandidateRanked():
                ranked = True
        if reacted and initial is None:
            initial = state.program
        state.apply(event)
        program = state.program
        if program is not None and (not steps or steps[-1].program != program.assembly.digest):
            steps.append(Step(calls, program.assembly.digest))
    return Course(initial or state.program, tuple(steps))
