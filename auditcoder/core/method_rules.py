"""Which candidate of a rival method is its program: each method's own update rule (methods, README table)."""

from __future__ import annotations

from typing import Literal

from auditcoder.core.rank import passed_checks
from auditcoder.records.config import RunConfig
from auditcoder.records.transaction import Rank

UpdateRule = Literal["latest", "most-passed", "most-passed-latest"]


def update_rule(config: RunConfig) -> UpdateRule:
    """Return the update rule of a rival method.

    latest: every candidate takes over. most-passed: one that passes more checks; ties stay with the earlier one.
    most-passed-latest: one that passes at least as many.
    """
    return "most-passed" if config.method == "fresh-start" else "latest"


def takes_over(rule: UpdateRule, active: Rank | None, new: Rank) -> bool:
    """Return whether a new candidate becomes the program."""
    if active is None or rule == "latest":
        return True
    gained = passed_checks(new) - passed_checks(active)
    return gained > 0 or (gained == 0 and rule == "most-passed-latest")
