"""What a comparison of two runs, or of two states of one, found. Records, so that `--json` is their own form."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record
from auditcoder.records.transaction import Decision, Rank

Section = Literal[
    "task", "settings", "plan", "program", "checks", "rank", "findings", "repairs", "usage", "ending", "events"
]


class FieldChange(Record):
    """A field that differs: where first, what is there, and how many further places there are."""

    path: str
    one: str
    """Short."""
    other: str
    """Short."""
    more: int = 0


class NodeChange(Record):
    """A node that only one plan has, or that the plans describe differently."""

    node: str
    change: Literal["only in one", "only in other", "changed"]
    fields: tuple[FieldChange, ...] = ()


class UnitChange(Record):
    """A code unit that differs in text or owner; `<program>` when only text between units does."""

    unit: str
    change: Literal["only in one", "only in other", "changed", "other owner"]
    owner_one: str = ""
    owner_other: str = ""
    diff: tuple[str, ...] = ()
    """Lines of a unified diff, without file names."""


class CheckPair(Record):
    """The verdicts on one check, by check id."""

    check: str
    one: str
    """Outcome and detail; empty where there is no such check or no result."""
    other: str
    same: bool
    """Whether definition, outcome, detail and observed value are equal; times and messages are not compared."""
    defined: Literal["same", "differently", "only in one", "only in other"] = "same"


class FindingCount(Record):
    """How many findings of one kind there are."""

    kind: str
    evidence: str
    verdict: str
    one: int
    other: int


class RepairFacts(Record):
    """One transaction, in what decides about it."""

    localization: str
    """Anchor, failure, rule, class and grade; or why it abstained."""
    action: str
    nodes: tuple[str, ...]
    expansions: tuple[str, ...]
    decision: Decision
    before: Rank | None
    after: Rank | None


class RepairPair(Record):
    """The transactions of one number."""

    index: int
    one: RepairFacts | None
    other: RepairFacts | None


class UsagePair(Record):
    """Model calls of one role; seconds, cost and what came from a cache are no differences."""

    role: str
    calls: tuple[int, int]
    failed: tuple[int, int]
    prompt_tokens: tuple[int, int]
    completion_tokens: tuple[int, int]


class Parting(Record):
    """The first event that differs between two ledgers of the same task and configuration."""

    event_one: int | None
    """Its number; None when that ledger has ended."""
    event_other: int | None
    kind_one: str
    kind_other: str
    path: str
    """The first field that differs; empty when one ledger has ended or the kinds differ."""
    one: str
    other: str
    more: int = 0


class Comparison(Record):
    """Two runs side by side. Times, seconds, memory, cache hits and ids of answers are no differences."""

    different: tuple[Section, ...]
    """The sections that differ; none means that the runs are the same."""
    task: tuple[FieldChange, ...]
    settings: tuple[FieldChange, ...]
    """Configuration, backbones by role, version of auditcoder and of the format, isolation."""
    plan: tuple[FieldChange, ...]
    """Order and planning decisions."""
    nodes: tuple[NodeChange, ...]
    program: tuple[UnitChange, ...]
    checks: tuple[CheckPair, ...]
    """All of them, in the order of Q."""
    rank_one: Rank | None
    rank_other: Rank | None
    findings: tuple[FindingCount, ...]
    """All kinds that there are."""
    repairs: tuple[RepairPair, ...]
    """All of them."""
    usage: tuple[UsagePair, ...]
    """All roles that were asked, then the total."""
    ending: tuple[FieldChange, ...]
    """Status and reason."""
    aligned: bool
    """Whether the events were compared: only ledgers of one task and configuration can be aligned."""
    parting: Parting | None
    """None when no event differs, or when the events were not compared."""

    @property
    def same(self) -> bool:
        """Return whether nothing differs."""
        return not self.different
