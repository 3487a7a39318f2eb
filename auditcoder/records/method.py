"""What a method made in one run, in the same terms for AuditCoder and every rival."""

from __future__ import annotations

from auditcoder.records.base import Record
from auditcoder.records.config import Method, Role
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.run import Usage
from auditcoder.records.transaction import Rank


class MadeProgram(Record):
    """A complete program of a run."""

    candidate: int
    """Its number in the ledger."""
    digest: str
    """SHA-256 of the program text."""
    program: str
    rank: Rank | None = None
    """None when it was not ranked: the run stopped before."""


class AgentUsage(Record):
    """Model calls of one agent of a method; an agent without a name of its own is its role."""

    agent: str
    role: Role
    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0


class MethodResult(Record):
    """The result that every method returns (methods specifications, shared vocabulary)."""

    method: Method
    final: MadeProgram | None = None
    """The program that is active; None before there is one."""
    first_candidate: MadeProgram | None = None
    """The first complete program, made before any execution result existed."""
    candidates: tuple[MadeProgram, ...] = ()
    """Every complete program, oldest first, taken over or not."""
    reports: tuple[ExecutionReport, ...] = ()
    """Verdicts of the candidates that were run, oldest first."""
    feedback_rounds: int = 0
    """Rounds that showed an execution result to the model and wrote code."""
    triggered_retries: int = 0
    """New programs begun because one failed, without a result in the prompt."""
    usage: tuple[Usage, ...] = ()
    """By role, then in total."""
    agents: tuple[AgentUsage, ...] = ()
    """By agent, in the order of their first calls."""
    reason: str = ""
    """Why the run ended; empty while it goes on."""

    @property
    def total(self) -> Usage:
        """Return the usage of the whole run."""
        return self.usage[-1] if self.usage else Usage(role="total")
