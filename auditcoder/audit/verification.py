"""What an audit found: every difference, and whether the run is verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from auditcoder.audit.numbers import AuditCheck
from auditcoder.errors import AuditCoderError, UnsupportedFormatError

UNREADABLE = 3
"""Exit code of the errors on what is no ledger, or cannot be read; damage inside a ledger has another."""


class Difference(NamedTuple):
    """One recorded fact that is not what its evidence gives."""

    event: int
    """Number of the event; for what is missing at the end, the number that would come next."""
    check: AuditCheck
    what: str
    recorded: str
    """Short."""
    recomputed: str
    """Short."""


class Explained(NamedTuple):
    """A difference of a second execution that the record itself accounts for; no failure."""

    event: int
    what: str
    reason: str


@dataclass(frozen=True)
class Verification:
    """The result of one audit."""

    format: str
    """Record format version of the ledger; empty when its first event could not be read."""
    events: int
    """Events that the chain holds up to its end or its break."""
    finished: bool
    """Whether the run came to its end."""
    differences: tuple[Difference, ...]
    """In the order of events."""
    comparisons: Mapping[AuditCheck, int] = field(default_factory=dict)
    """How many facts each check compared; a check that the run gave no occasion for is missing."""
    explained: tuple[Explained, ...] = ()
    """--execute: differences that recorded nondeterminism accounts for."""
    executions: int = 0
    """--execute: how many programs were run again."""
    notes: tuple[str, ...] = ()
    """What a reader should know and what is no difference, such as another isolation level."""
    broken: bool = False
    """Whether the chain breaks before its end: what stands behind the break was not read."""

    @property
    def verified(self) -> bool:
        """Return whether the run is finished and every fact is what its evidence gives."""
        return self.finished and not self.differences

    @property
    def status(self) -> str:
        """Return `verified`, `different`, or `unfinished` (nothing differs so far, but the run has not ended)."""
        if self.differences:
            return "different"
        return "verified" if self.finished else "unfinished"

    @property
    def compared(self) -> int:
        """Return how many facts were compared in all."""
        return sum(self.comparisons.values())

    @property
    def failed(self) -> tuple[AuditCheck, ...]:
        """Return the numbers of the checks that found a difference, in order."""
        found = {difference.check for difference in self.differences}
        return tuple(check for check in AuditCheck if check in found)


def unreadable_status(error: AuditCoderError) -> str:
    """Return the word for a ledger that cannot be read at all; empty for one that is only damaged."""
    if isinstance(error, UnsupportedFormatError):
        return "unsupported format"
    return "unreadable" if error.exit_code == UNREADABLE else ""
