"""How far a rival method goes by a rule of its own: its limit of rounds, their kinds, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping

from auditcoder.core.rounds import RoundKind, Rounds
from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT
from auditcoder.core.suites import bar_of, resamples, suites_passed
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.task import Check

LIMIT = "the method's own limit is reached"
ONE_PROGRAM = "the method makes one program"
BAR_PASSED = "enough suites pass whole"
REPEATED = "every program repeats its error"
METHOD_ENDS: tuple[str, ...] = (CALLS_SPENT, TOKENS_SPENT, LIMIT, ONE_PROGRAM, BAR_PASSED, REPEATED)
"""Every reason that a rival method may give besides a full pass, no checks, and the repair budget."""
LIMITED_BY: Mapping[str, tuple[str, int]] = {
    "agentcoder": ("rounds", 5),
    "codecor": ("r", 3),
    "ldb": ("rounds", 10),
    "mgdebugger": ("passes", 10),
    "pycapsule": ("fixes", 5),
    "bpd": ("fixes", 5),
}
"""The option that limits the rounds of a method, and its default. MapCoder and CodeSim are limited by plans, too."""
_RESAMPLED_BY = ("epochs", 5)
_DRAWS = ("draws", 6)


def own_limit(config: RunConfig) -> int | None:
    """Return how many rounds the method's own limit allows; None where it has none, or other things limit it, too."""
    if config.adaptive:
        return None
    if config.method == "fresh-start":
        budgeted = config.max_calls is not None or config.max_tokens is not None
        return None if budgeted else _option(config, *_DRAWS) - 1
    if resamples(config):
        return _option(config, *_RESAMPLED_BY)
    return _option(config, *LIMITED_BY[config.method]) if config.method in LIMITED_BY else None


def round_kinds(config: RunConfig) -> tuple[RoundKind, ...]:
    """Return the kinds of rounds that a method has."""
    if resamples(config):
        return ("retry",)
    if config.method in LIMITED_BY:
        return ("feedback",)
    if config.method == "fresh-start" and not _option(config, "restart_after", 0):
        return ("retry",)
    return ("feedback", "retry")


def goes_on_solved(config: RunConfig) -> bool:
    """Return whether a method makes rounds behind a full pass: fresh start in variant A, which makes every draw."""
    single = not config.adaptive and config.k == 1
    return config.method == "fresh-start" and dict(config.options).get("variant") == "A" and not single


def ends_of(config: RunConfig, rounds: Rounds, report: ExecutionReport, checks: tuple[Check, ...]) -> list[str]:
    """Return the reasons of its own that a method may give for ending here, with a program that does not pass all.

    Where the budget allows no further round, that is the reason; so none of these holds then but the method's one
    program. Whether MapCoder and CodeSim have used up their plans follows from their notes and is not asked here.
    """
    if config.method == "direct":
        return [] if rounds.made else [ONE_PROGRAM]
    if resamples(config) and suites_passed(report, checks) >= bar_of(config):
        return [BAR_PASSED]
    if not rounds.allows():
        return []
    limit = own_limit(config)
    planned = config.method in ("mapcoder", "codesim")
    ends = [LIMIT] if planned or limit == rounds.made else []
    return [*ends, REPEATED] if config.method == "codecor" and rounds.made else ends


def _option(config: RunConfig, name: str, default: int) -> int:
    return int(dict(config.options).get(name, default))
