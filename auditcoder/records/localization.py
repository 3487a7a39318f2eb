"""Failure-to-responsibility localization (paper 3.3, core.md section 4)."""

from __future__ import annotations

from typing import ClassVar, Literal

from auditcoder.records.base import GrownRecord, Record

FailureType = Literal["WA", "RE", "TLE", "MLE"]
Rule = Literal["Trace", "Resource", "Local"]
DefectClass = Literal["Impl", "Ifc", "Cmt"]
Grade = Literal["high", "medium", "low"]
Applicability = Literal["observed", "asserted", "incompatible"]
Policy = Literal["paper", "executed-first"]


class TurnedAway(Record):
    """A finding that was not used, and the clause that it failed."""

    finding: str
    clause: str
    """One of: current, rejecting, obligation, kind, reach, witness, contradicted, preference,
    coherence, shift."""
    reason: str


class Support(Record):
    """A finding that was used, and whether its applicability was observed or only asserted."""

    finding: str
    applicability: Applicability


class Localization(Record):
    """Anchor, rule, implicated set `W`, defect class and grade; or an abstention with its reason."""

    policy: Policy
    anchor: str
    """Check id of the first failing check in the order of Q; empty when nothing failed."""
    failure: FailureType | None = None
    rule: Rule | None = None
    implicated: tuple[str, ...] = ()
    """W, in id order; empty on abstention."""
    defect: DefectClass | None = None
    grade: Grade | None = None
    supporting: tuple[Support, ...] = ()
    turned_away: tuple[TurnedAway, ...] = ()
    abstained: str = ""
    """Reason of the abstention; empty when localized."""
    notes: tuple[str, ...] = ()
    """Every rule that was tried and what it yielded, in order."""


class Expansion(Record):
    """An integration change outside the scope, declared before regeneration (paper 3.4)."""

    unit: str
    """Qualified name of the unit that may change as well."""
    owner: str
    reason: str


class OpenSlot(Record):
    """A slot whose contract is open to renegotiation: what `provider` gives as `output`, `consumer` takes as `slot`."""

    provider: str
    output: str
    consumer: str
    slot: str


class Scope(GrownRecord):
    """What a repair may change; or an abstention (core.md section 5).

    An interface pair is regenerated with its shared slot open; a branch is replanned below its root, whose own
    contract stays.
    """

    later: ClassVar[frozenset[str]] = frozenset({"branch", "open_slots", "expansions", "notes"})

    defect: DefectClass | None = None
    action: Literal["regenerate", "replan"] | None = None
    nodes: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    """Qualified names of the units inside the scope, in program order."""
    branch: str = ""
    """replan: the root of the branch; its contract and slots stay. Since 1.1."""
    open_slots: tuple[OpenSlot, ...] = ()
    """Ifc pair: the slots between its nodes whose contract may change. Since 1.1."""
    expansions: tuple[Expansion, ...] = ()
    """Declared before regeneration, in program order; empty in the scope as selected. Since 1.1."""
    notes: tuple[str, ...] = ()
    """Branches that were considered and why they are not supported. Since 1.1."""
    abstained: str = ""
