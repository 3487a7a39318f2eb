"""Versioned findings `E` (paper 3.2, core.md section 1)."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record
from auditcoder.records.values import Value

ObligationKind = Literal["semantic", "interface", "commitment", "resource"]
Verdict = Literal["accept", "reject"]
EvidenceKind = Literal["exec", "judg"]


class Obligation(Record):
    """What a finding says was broken, or held."""

    kind: ObligationKind
    predicate: str = ""
    """semantic: id of the postcondition or invariant; `contract` for the contract as a whole."""
    slot: str = ""
    """The constrained slot of the owner."""
    provider: str = ""
    """interface: providing node."""
    consumer: str = ""
    """interface: consuming node."""
    decision: str = ""
    """commitment: id of the planning decision."""


class Versions(Record):
    """Content hashes that a verdict was made against; a finding is current when they equal the active ones."""

    code: str
    """Digest of the owner's code."""
    contract: str
    """Digest of the owner's contract."""
    providers: str = ""
    """Digest over the contracts of the owner's providers, in id order."""


class Finding(Record):
    """A verdict on one obligation of one or more owners."""

    id: str
    owners: tuple[str, ...]
    verdict: Verdict
    obligation: Obligation
    evidence: EvidenceKind
    versions: tuple[Versions, ...]
    """One entry an owner, in the order of `owners`."""
    check: str = ""
    """The check whose run is the evidence, where there is one."""
    condition: str = ""
    """Witness condition: an expression over the owner's parameter names; empty when none was given."""
    witness: Value = None
    """exec: the values that show it (arguments, result)."""
    reason: str = ""
    """What the verifier or the check says; untrusted text."""
