"""Which candidate of a rival method is its program: each method's own update rule (methods, README table)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from auditcoder.core.rank import passed_checks
from auditcoder.core.suites import Tried, resamples, suites_passed
from auditcoder.records.config import RunConfig
from auditcoder.records.task import Check
from auditcoder.records.transaction import Rank

UpdateRule = Literal["latest", "most-passed", "most-passed-latest", "most-suites"]


def update_rule(config: RunConfig) -> UpdateRule:
    """Return the update rule of a rival method.

    latest: every candidate takes over. most-passed: one that passes more checks; ties stay with the earlier one.
    most-passed-latest: one that passes at least as many. most-suites: the first one of a round, then one that passes
    more suites of checks whole.
    """
    if resamples(config):
        return "most-suites"
    if config.method == "mgdebugger":
        return "most-passed-latest"
    return "most-passed" if config.method in ("codecor", "fresh-start") else "latest"


def reacts_to_latest(config: RunConfig, how: str) -> bool:
    """Return whether a round reacts to the newest program where another one would be returned: a fix between draws."""
    return config.method == "fresh-start" and how == "feedback"


def takes_over(rule: UpdateRule, active: Rank | None, new: Rank) -> bool:
    """Return whether a new candidate becomes the program."""
    if active is None or rule == "latest":
        return True
    gained = passed_checks(new) - passed_checks(active)
    return gained > 0 or (gained == 0 and rule == "most-passed-latest")


def replaces(rule: UpdateRule, active: Tried | None, new: Tried, checks: Sequence[Check]) -> bool:
    """Return whether a new candidate becomes the program, under any rule; `checks` are those that it was run on."""
    if rule != "most-suites":
        return takes_over(rule, active.rank if active else None, new.rank)
    if active is None or active.round < new.round:
        return True
    return suites_passed(new.report, checks) > suites_passed(active.report, checks)
