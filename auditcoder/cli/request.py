"""What the user asked `solve` for, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a run as given by options; None means: not given, so the file or the default holds."""

    model: str | None = None
    roles: tuple[str, ...] = ()
    """`role=profile` each."""
    k: int | None = None
    adaptive: bool | None = None
    granularity: str | None = None
    seed: int | None = None
    gate: str | None = None
    locate: str | None = None
    local_checks: str | None = None
    evidence: str | None = None
    agents: str | None = None
    repair: str | None = None
    feedback: str | None = None
    method: str | None = None
    """A method, or a variant of AuditCoder."""
    max_calls: int | None = None
    max_tokens: int | None = None
    file: Path | None = None
    overrides: tuple[str, ...] = ()
    """`key=value` each, in order."""


@dataclass(frozen=True, kw_only=True)
class SolveRequest:
    """One call of `auditcoder solve`."""

    tasks: tuple[str, ...]
    settings: Settings
    resume: bool
    dry_run: bool
    out: Path
    data: Path | None
    weak: bool
    cache: bool
    json: bool
    quiet: bool
