"""The numbered checks of `verify`, as docs/guide/verify.md lists them (core.md section 7)."""

from __future__ import annotations

from enum import StrEnum


class AuditCheck(StrEnum):
    """One check of the audit; the value is its number, `compares` says what is compared."""

    CHAIN = "V1"
    ORDER = "V2"
    HASHES = "V3"
    PLAN = "V4"
    CODE = "V5"
    ASSEMBLY = "V6"
    OWNERSHIP = "V7"
    GATE = "V8"
    EXECUTION = "V9"
    FINDINGS = "V10"
    LOCALIZATION = "V11"
    SCOPE = "V12"
    DECLARED = "V13"
    BORDER = "V14"
    RANK = "V15"
    DECISION = "V16"
    ROLLBACK = "V17"
    REVERIFICATION = "V18"
    BUDGET = "V19"
    FINISH = "V20"
    OUTPUTS = "V21"
    EXECUTED = "V22"
    REPLAYED = "V23"

    @property
    def compares(self) -> str:
        """Return what the check compares."""
        return _COMPARES[self]


_COMPARES = {
    AuditCheck.CHAIN: "bytes, order and hashes of the chain",
    AuditCheck.ORDER: "order of events, numbering and references",
    AuditCheck.HASHES: "recorded hashes and effect keys",
    AuditCheck.PLAN: "integrity and review of plans",
    AuditCheck.CODE: "acceptance of each node's code",
    AuditCheck.ASSEMBLY: "assembled programs, byte for byte",
    AuditCheck.OWNERSHIP: "one owner for every line and unit",
    AuditCheck.GATE: "findings of the static gate",
    AuditCheck.EXECUTION: "execution reports and recordings",
    AuditCheck.FINDINGS: "findings and their versions",
    AuditCheck.LOCALIZATION: "localizations",
    AuditCheck.SCOPE: "selected scopes",
    AuditCheck.DECLARED: "declared scopes, frozen complement, revised plans",
    AuditCheck.BORDER: "border violations",
    AuditCheck.RANK: "ranks and the choice between candidates",
    AuditCheck.DECISION: "decisions of repairs",
    AuditCheck.ROLLBACK: "snapshots and restored states",
    AuditCheck.REVERIFICATION: "re-verification of frozen nodes",
    AuditCheck.BUDGET: "repair budget",
    AuditCheck.FINISH: "how the run ended",
    AuditCheck.OUTPUTS: "record.json and program.py",
    AuditCheck.EXECUTED: "programs run again in the sandbox (--execute)",
    AuditCheck.REPLAYED: "the pipeline itself run over the record (--replay)",
}
