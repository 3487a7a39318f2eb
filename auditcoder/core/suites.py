"""Checks that a rival method writes itself: which methods do, what Q then holds, and suites as units (AgentCoder)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.records.config import RunConfig
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.task import Check
from auditcoder.records.transaction import Rank

OWN_CHECKS: tuple[str, ...] = ("agentcoder", "codecor")
"""Methods that freeze checks of their own."""
BAR = 3
"""Suites that a program must pass whole, in AgentCoder's resampling, unless the option `bar` says otherwise."""


class Tried(NamedTuple):
    """A candidate that was run: its rank, its results, and the round that made it (0 before the first)."""

    rank: Rank
    report: ExecutionReport
    round: int


def resamples(config: RunConfig) -> bool:
    """Return whether a run makes new candidates from new suites, as AgentCoder's repository does."""
    return config.method == "agentcoder" and dict(config.options).get("mode") == "resample"


def freezes_again(config: RunConfig) -> bool:
    """Return whether each round of a run freezes suites of its own.

    An adaptive run keeps the first ones: otherwise its count of passed checks would lose its meaning.
    """
    return resamples(config) and not config.adaptive


def examples_in_q(config: RunConfig) -> bool:
    """Return whether the task's examples stand at the head of Q; only a method with checks of its own leaves them out.

    AgentCoder runs its own suite alone unless `include_examples` is set, CodeCoR the examples too unless it is unset.
    """
    if config.method not in OWN_CHECKS:
        return True
    return bool(dict(config.options).get("include_examples", config.method != "agentcoder"))


def bar_of(config: RunConfig) -> int:
    """Return how many suites a program must pass whole."""
    return int(dict(config.options).get("bar", BAR))


def suites_passed(report: ExecutionReport, checks: Sequence[Check]) -> int:
    """Return how many suites pass whole; a suite is the checks that carry the same note, the examples are one."""
    passed = {result.check for result in report.results if result.outcome == "pass"}
    suites = {check.note: True for check in checks}
    for check in checks:
        suites[check.note] = suites[check.note] and check.id in passed
    return sum(suites.values())
