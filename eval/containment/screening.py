"""Checks that the unchanged program fails are no checks: they are left out before anything is injected.

This is the only other use of the reference solution besides injecting: a wrong test or example of a pack, or one that
needs what the sandbox does not give (network, packages), says nothing about a fault.
"""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.protocols import Executor
from auditcoder.eval.containment.subject import Subject
from auditcoder.records.task import Check, Limits

LIMITS = Limits(cpu_seconds=0.3, memory_mb=256)
MEASURING = Limits(cpu_seconds=0.1, memory_mb=256)
"""Of the advisory runs, which the executor raises by 3.3 (time) and 14 (memory): they see as much as the run did."""


class Screened(NamedTuple):
    """A subject whose own program passes all its checks, and how many checks and examples were left out."""

    subject: Subject
    left_out: int


def screened(subject: Subject, executor: Executor) -> Screened:
    """Return the subject without the checks and examples that its own program fails.

    Raises:
        SandboxError: the isolation failed.
    """
    everything = (*subject.checks, *subject.reserve, *subject.examples)
    program = subject.active().assembly.program
    report = executor.run(program, subject.entry, everything, LIMITS)
    passed = {result.check for result in report.results if result.outcome == "pass"}

    def kept(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(check for check in checks if check.id in passed)

    fit = subject._replace(checks=kept(subject.checks), reserve=kept(subject.reserve), examples=kept(subject.examples))
    return Screened(fit, len(everything) - len(passed))
