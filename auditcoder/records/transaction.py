"""Bounded repair transactions `H` (paper 3.4, core.md section 6)."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record
from auditcoder.records.localization import Localization, Scope

Decision = Literal["accepted", "rolled-back", "rejected-at-border", "abstained"]


class Rank(Record):
    """(full pass, external passes, internal passes, clean exits), compared lexicographically."""

    full_pass: bool
    external: int
    internal: int
    clean: int

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Return the comparison key; a candidate is better only when its key is strictly greater."""
        return (int(self.full_pass), self.external, self.internal, self.clean)


class BorderViolation(Record):
    """A unit outside the final scope that a candidate changed, added or removed."""

    unit: str
    owner: str
    change: Literal["changed", "added", "removed"]


class Transaction(Record):
    """One attempted repair, from snapshot to decision."""

    index: int
    localization: Localization
    scope: Scope
    snapshot: str
    """State hash before."""
    frozen: tuple[tuple[str, str], ...] = ()
    """(unit, digest) of every unit outside the final scope."""
    before: Rank | None = None
    after: Rank | None = None
    violations: tuple[BorderViolation, ...] = ()
    decision: Decision
    restored: str = ""
    """State hash after a rollback; must equal `snapshot`."""
    reason: str = ""
