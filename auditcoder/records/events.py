"""Ledger events: every model call, every execution, every decision (core.md section 7).

An *effect* is an event whose content came from outside the deterministic code (a model, the sandbox). It carries
the `key` of its request, so that a resumed run takes the recorded answer instead of paying again.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, TypeAdapter

from auditcoder.records.base import GrownRecord, Record
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.config import Feedback, ModelFacts, Role, RunConfig
from auditcoder.records.execution import ExecutionReport, IsolationReport, Measurement, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Granularity, TaskGraph
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import Check, EntryPoint, Task
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.records.transaction import Rank, Transaction

MOST = 10**12
"""Bound of amounts that are added up: no sum of what a ledger can hold leaves the finite numbers."""


class RunStarted(Record):
    """First event of every ledger."""

    kind: Literal["run.started"] = "run.started"
    format: str
    """Record format version."""
    version: str
    """Version of auditcoder."""
    task: Task
    config: RunConfig
    config_hash: str
    models: tuple[tuple[Role, ModelFacts], ...]
    isolation: IsolationReport


class ModelCalled(GrownRecord):
    """Effect: one request that reached a backbone (or its cache), with the answer or the error."""

    later: ClassVar[frozenset[str]] = frozenset({"agent"})

    kind: Literal["model.called"] = "model.called"
    key: str
    """Hash of role, model identity and canonical request."""
    role: Role
    node: str = ""
    agent: str = ""
    """The agent of a rival method, such as `debugger`; its role says whose model it is. Since 1.2."""
    model: str
    model_hash: str = ""
    prompt_hash: str
    """SHA-256 of the canonical request."""
    sampling: tuple[tuple[str, str], ...] = ()
    request: str
    """Canonical JSON of the request, as sent."""
    response: str = ""
    """Canonical JSON of the response as received; empty when the call raised."""
    finish: str = ""
    prompt_tokens: int = Field(default=0, ge=0, le=MOST)
    completion_tokens: int = Field(default=0, ge=0, le=MOST)
    seconds: float = Field(default=0.0, ge=0, le=MOST)
    cached: bool = False
    error: str = ""
    """`code: message` of the error that the call raised."""


class ChecksFrozen(Record):
    """The ordered checks Q, before any code exists."""

    kind: Literal["checks.frozen"] = "checks.frozen"
    checks: tuple[Check, ...]
    hash: str
    admission: str
    derivations: tuple[tuple[str, str], ...] = ()
    """(check id, how its expected value was confirmed or why it is input-only)."""


class AttemptStarted(Record):
    """A plan attempt at one granularity; more than one only under `auto`, or when a plan was unusable."""

    kind: Literal["attempt.started"] = "attempt.started"
    index: int
    granularity: Granularity
    reason: str


class PlanReviewed(Record):
    """Complaints about a proposed plan; none means that it passed."""

    kind: Literal["plan.reviewed"] = "plan.reviewed"
    attempt: int
    round: int
    reviewer: Literal["deterministic", "model", "parser"]
    complaints: tuple[str, ...] = ()


class PlanAccepted(Record):
    """The graph that code is written for."""

    kind: Literal["plan.accepted"] = "plan.accepted"
    attempt: int
    granularity: Granularity
    graph: TaskGraph
    fallback: str = ""
    """Why it is not the plan that the planner proposed first; empty when it is."""


class CodeWritten(Record):
    """The source of one node: from a model answer, or made by code.

    computed: pure linking of the plan's functions, nothing to decide. fallback: no usable answer came. merged: parts of
    several answers were put together (MGDebugger); since 1.2.
    """

    kind: Literal["code.written"] = "code.written"
    attempt: int
    code: NodeCode
    how: Literal["generated", "regenerated", "computed", "fallback", "merged"]
    notes: tuple[str, ...] = ()
    """What was stripped from the answer or added to it (imports), and why."""


class CodeRejected(Record):
    """A model answer that was unusable as the code of its node."""

    kind: Literal["code.rejected"] = "code.rejected"
    node: str
    reason: str
    digest: str
    """SHA-256 of the answer text."""


class ProgramAssembled(Record):
    """A candidate program."""

    kind: Literal["program.assembled"] = "program.assembled"
    candidate: int
    """0, 1, ... over the run."""
    attempt: int
    assembly: Assembly
    gate: tuple[str, ...] = ()
    """What the static policy gate found: `line N: rule: message`; labels, never isolation."""


class ChecksRun(Record):
    """Effect: a candidate was run on Q."""

    kind: Literal["checks.run"] = "checks.run"
    key: str
    candidate: int
    report: ExecutionReport


class CallsRecorded(Record):
    """Effect: a recording run on one check."""

    kind: Literal["calls.recorded"] = "calls.recorded"
    key: str
    candidate: int
    recording: Recording


class CostsMeasured(Record):
    """Effect: an advisory measurement run on one check."""

    kind: Literal["costs.measured"] = "costs.measured"
    key: str
    candidate: int
    measurement: Measurement


class LocalChecksRun(Record):
    """Effect: the executable local checks of one node were run on its own units and those that they need. Since 1.1."""

    kind: Literal["local.checked"] = "local.checked"
    key: str
    candidate: int
    node: str
    report: ExecutionReport
    """`program` is the digest of the excerpt that ran; line numbers are those of the candidate."""


FindingSource = Literal["", "checks", "monitors", "local-checks", "measurement", "suspects", "verifier"]


class FindingsAdded(GrownRecord):
    """Versioned findings, appended; nothing is overwritten."""

    later: ClassVar[frozenset[str]] = frozenset({"source", "unevaluated"})

    kind: Literal["findings.added"] = "findings.added"
    findings: tuple[Finding, ...]
    source: FindingSource = ""
    """What the findings were made from: the last event of that kind. Empty in ledgers of format 1.0."""
    unevaluated: tuple[str, ...] = ()
    """monitors: `NODE.PREDICATE: reason` of every predicate that could not be evaluated on some call. Since 1.1."""


class CandidateRanked(Record):
    """The rank of a candidate of a plan attempt, and whether it is the active program now."""

    kind: Literal["candidate.ranked"] = "candidate.ranked"
    candidate: int
    rank: Rank
    active: bool


class RepairStarted(Record):
    """A transaction was opened: what was found, what may change, what is frozen."""

    kind: Literal["repair.started"] = "repair.started"
    index: int
    localization: Localization
    scope: Scope
    snapshot: str


class ScopeDeclared(Record):
    """The final scope of the open transaction, before any of it is regenerated. Since 1.1."""

    kind: Literal["scope.declared"] = "scope.declared"
    index: int
    scope: Scope
    """The selected scope with its declared expansions."""
    frozen: tuple[tuple[str, str], ...]
    """(unit, digest) of every unit outside the final scope."""
    graph: TaskGraph | None = None
    """The plan as the repair changes it; None when it stays as it is."""


class RepairEnded(Record):
    """A transaction was decided."""

    kind: Literal["repair.ended"] = "repair.ended"
    transaction: Transaction


class NodesReverified(Record):
    """Frozen nodes whose provider an accepted repair changed had their executed evidence made again. Since 1.1."""

    kind: Literal["nodes.reverified"] = "nodes.reverified"
    index: int
    """The transaction."""
    nodes: tuple[str, ...]
    """Frozen nodes whose provider changed, in id order."""
    findings: tuple[str, ...] = ()
    """Ids of the executed findings on them, made between the decision and this event."""
    rejected: tuple[str, ...] = ()
    """Those of them that reject."""


class RoundStarted(Record):
    """A reaction to a failure begins: what the budget K counts, outside of bounded transactions. Since 1.2."""

    kind: Literal["round.started"] = "round.started"
    index: int
    """0, 1, ... over the run."""
    how: Literal["feedback", "retry"]
    """feedback: a prompt of the round holds a result of an earlier candidate. retry: none does."""
    candidate: int
    """The candidate that is reacted to."""


class TraceRecorded(Record):
    """Effect: a traced run of a candidate on one check; advisory. Since 1.2."""

    kind: Literal["trace.recorded"] = "trace.recorded"
    key: str
    candidate: int
    plan: TracePlan
    trace: Trace


class ProgramProbed(Record):
    """Effect: a program that is no candidate was run, as a method's own step asks for. Since 1.2."""

    kind: Literal["program.probed"] = "program.probed"
    key: str
    what: str
    """What it is run for, such as `tree` or the name of a function."""
    program: str
    """The program text."""
    entry: EntryPoint
    checks: tuple[Check, ...]
    report: ExecutionReport


class MethodNoted(Record):
    """A step of a rival method that decides something without a result: a score, a pick, a drop. Since 1.2."""

    kind: Literal["method.noted"] = "method.noted"
    what: str
    """Kind of note, such as `plan-confidence`."""
    item: str
    """What is noted about, such as `plan 2`."""
    score: float | None = None
    """A score that the model gave itself."""
    kept: bool | None = None
    """Whether the item goes on; None where that is not the question."""
    detail: str = ""


class FeedbackChosen(Record):
    """What the repair or round that has begun shows to the model. Since 1.2."""

    kind: Literal["feedback.chosen"] = "feedback.chosen"
    index: int
    """The repair or round."""
    policy: Feedback
    shown: Literal["error", "trace", "all-traces", "resample"]
    reason: str


class RunResumed(Record):
    """Written by the ledger: the run had stopped at a call that failed, and that call is made again now."""

    kind: Literal["run.resumed"] = "run.resumed"
    failed: int
    """Number of the event of the call that failed."""


class RunFinished(Record):
    """Last event of a finished run."""

    kind: Literal["run.finished"] = "run.finished"
    candidate: int
    """The candidate that is the program."""
    program: str
    """SHA-256 of the program text."""
    rank: Rank
    reason: str
    """Why the run ended here."""


Event = Annotated[
    RunStarted | ModelCalled | ChecksFrozen | AttemptStarted | PlanReviewed | PlanAccepted | CodeWritten
    | CodeRejected | ProgramAssembled | ChecksRun | CallsRecorded | CostsMeasured | LocalChecksRun | FindingsAdded
    | CandidateRanked | RepairStarted | ScopeDeclared | RepairEnded | NodesReverified | RoundStarted | TraceRecorded
    | ProgramProbed | MethodNoted | FeedbackChosen | RunResumed | RunFinished,
    Field(discriminator="kind"),
]  # fmt: skip
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
Effect = ModelCalled | ChecksRun | CallsRecorded | CostsMeasured | LocalChecksRun | TraceRecorded | ProgramProbed
