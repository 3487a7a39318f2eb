"""One fault in one program: chosen by seed among all places, and seen to fail with the outcome that it aims at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from auditcoder.core.anchor import find_anchor
from auditcoder.core.protocols import Executor
from auditcoder.core.versions import Active
from auditcoder.errors import AssemblyError
from auditcoder.eval.containment.mutators.catalogue import mutators_for
from auditcoder.eval.containment.mutators.edit import Aim, Edit, applied, parse_function
from auditcoder.eval.containment.screening import LIMITS
from auditcoder.eval.containment.subject import Part, Subject
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.task import Check

ATTEMPTS = 30
INTENDED: dict[Aim, tuple[str, ...]] = {
    "wrong-answer": ("WA",),
    "exception": ("RE",),
    "interface": ("WA", "RE"),
    "timeout": ("TLE",),
    "memory": ("MLE",),
}
"""Failure types of the first failing check that an aim accepts."""


class Candidate(NamedTuple):
    """A fault that could be injected."""

    part: Part
    mutator: str
    edit: Edit


class Fault(NamedTuple):
    """An injected fault, and the run of all checks under it."""

    subject: Subject
    part: Part
    """As it was."""
    mutator: str
    aim: Aim
    active: Active
    checks: tuple[Check, ...]
    report: ExecutionReport


def inject(subject: Subject, aim: Aim, seed: int, executor: Executor) -> Fault | None:
    """Return the first fault in the order of the seed whose first failing check fails as intended, or None.

    Raises:
        SandboxError: the isolation failed.
    """
    for candidate in islice(candidates(subject, aim, seed), ATTEMPTS):
        active = _mutant(subject, candidate)
        found = _run(subject, active, aim, executor) if active else None
        if active is not None and found is not None:
            return Fault(subject, candidate.part, candidate.mutator, aim, active, *found)
    return None


def candidates(subject: Subject, aim: Aim, seed: int) -> Iterator[Candidate]:
    """Yield every possible fault; units take turns, and in a unit the mutators do, so that large ones do not rule."""
    random = Random(f"{seed}/{subject.id}/{aim}")
    names = frozenset(part.plain for part in subject.parts)
    turns: list[list[Candidate]] = []
    for part in subject.parts:
        function = parse_function(part.text)
        groups = [[Candidate(part, mutator.name, edit) for edit in mutator.edits(function, names)]
                  for mutator in mutators_for(aim)]  # fmt: skip
        for group in groups:
            random.shuffle(group)
        random.shuffle(groups)
        turns.append(list(_by_turns(groups)))
    random.shuffle(turns)
    yield from _by_turns(turns)


def _by_turns(groups: Sequence[Sequence[Candidate]]) -> Iterator[Candidate]:
    for place in range(max((len(group) for group in groups), default=0)):
        yield from (group[place] for group in groups if place < len(group))


def _mutant(subject: Subject, candidate: Candidate) -> Active | None:
    """Return the program with the fault; None when it means the same text or does not link."""
    try:
        text = applied(candidate.part.text, candidate.edit)
        if text == candidate.part.text:
            return None
        return subject.active(subject.with_part(candidate.part._replace(text=text)))
    except (SyntaxError, ValueError, AssemblyError):
        return None


class _Ran(NamedTuple):
    checks: tuple[Check, ...]
    report: ExecutionReport


def _run(subject: Subject, active: Active, aim: Aim, executor: Executor) -> _Ran | None:
    """Return Q and its results; None where everything passes or the first failure is another one than intended.

    Where a limit was hit the rest of Q is not run, and is left out of it: nothing is read from it, and it would take
    that long once more for every check.
    """
    first = _until_failure(subject.checks, subject, active, executor)
    checks = subject.checks
    if all(result.outcome == "pass" for result in first.report.results):
        later = _until_failure(subject.reserve, subject, active, executor)
        checks = (*subject.checks, *subject.reserve)
        results = (*first.report.results, *later.report.results)
        first = _Ran((*first.checks, *later.checks), first.report.model_copy(update={"results": results}))
    anchor = find_anchor(first.report, first.checks)
    if anchor is None or anchor.failure not in INTENDED[aim]:
        return None
    if anchor.failure in ("TLE", "MLE"):
        return first
    report = executor.run(active.assembly.program, subject.entry, checks, LIMITS)
    again = find_anchor(report, checks)
    return _Ran(checks, report) if again is not None and again.failure == anchor.failure else None


def _until_failure(checks: Sequence[Check], subject: Subject, active: Active, executor: Executor) -> _Ran:
    """Return the checks up to the first that does not pass, with their results."""
    program = active.assembly.program
    done: list[CheckResult] = []
    for check in checks:
        done += executor.run(program, subject.entry, [check], LIMITS).results
        if done[-1].outcome != "pass":
            break
    return _Ran(tuple(checks[: len(done)]), ExecutionReport(program=active.assembly.digest, results=tuple(done)))
