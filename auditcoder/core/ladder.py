"""The plan attempts of a run: how finely the task is divided, and in which order that is tried."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.records.graph import Granularity


class Rung(NamedTuple):
    """One plan attempt of the granularity ladder."""

    granularity: Granularity
    reason: str


def ladder(granularity: Granularity, weak: bool) -> tuple[Rung, ...]:
    """Return the plan attempts in order; a later one is made only when no earlier program passed every check.

    `auto` starts where the backbone is measured to be strong: a weak one writes a whole small program better than it
    splits one, so it starts undivided, and a plan is the second, differently posed attempt (docs/adr/0006).
    """
    if granularity != "auto":
        return (Rung(granularity, "asked for"),)
    if weak:
        return (
            Rung("single", "auto: a weak backbone starts undivided"),
            Rung("coarse", "auto: the undivided program fails a check"),
        )
    return (
        Rung("fine", "auto: a strong backbone starts with a plan"),
        Rung("single", "auto: the planned program fails a check"),
    )
