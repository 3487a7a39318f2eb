"""The construction trace `A = (G, S, E, H)` of one run: a fold over its ledger and nothing else."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.config import ModelFacts, Role, RunConfig
from auditcoder.records.execution import ExecutionReport, IsolationReport
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Granularity, TaskGraph
from auditcoder.records.task import Check, Task
from auditcoder.records.transaction import Rank, Transaction


class Usage(Record):
    """Model calls of one role, and in total."""

    role: Role | Literal["total"]
    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0


class ResponsibilityRecord(Record):
    """Record `S_i` of one node: what it owns, and what happened to it."""

    node: str
    code: NodeCode | None = None
    """The active source; None for structural nodes."""
    units: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """Finding ids, oldest first; superseded ones stay."""
    transactions: tuple[int, ...] = ()
    versions: tuple[str, ...] = ()
    """Digests of every source that was ever active, oldest first."""


class AttemptRecord(Record):
    """One plan attempt and what came of it."""

    index: int
    granularity: Granularity
    reason: str
    nodes: int = 0
    fallback: str = ""
    candidate: int | None = None
    rank: Rank | None = None


class RunRecord(Record):
    """`record.json`: everything a reviewer needs, without a model."""

    format: str
    version: str
    status: Literal["running", "finished"]
    task: Task
    config: RunConfig
    config_hash: str
    models: tuple[tuple[Role, ModelFacts], ...]
    isolation: IsolationReport
    checks: tuple[Check, ...] = ()
    checks_hash: str = ""
    graph: TaskGraph | None = None
    """G of the active program."""
    responsibilities: tuple[ResponsibilityRecord, ...] = ()
    """S, in node order."""
    findings: tuple[Finding, ...] = ()
    """E, oldest first."""
    transactions: tuple[Transaction, ...] = ()
    """H, oldest first."""
    attempts: tuple[AttemptRecord, ...] = ()
    assembly: Assembly | None = None
    """The active program."""
    candidate: int | None = None
    report: ExecutionReport | None = None
    """The active program on Q."""
    rank: Rank | None = None
    usage: tuple[Usage, ...] = ()
    """Per role, then total."""
    reason: str = ""
    ledger_head: str = ""
    """Hash of the last event that was folded."""
    events: int = 0
