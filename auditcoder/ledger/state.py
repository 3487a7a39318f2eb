"""The state of a run after any number of its events: the reducer that the fold, and later the audit, walk along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    ChecksFrozen,
    ChecksRun,
    CodeWritten,
    Event,
    FindingsAdded,
    ModelCalled,
    PlanAccepted,
    ProgramAssembled,
    RepairEnded,
    RepairStarted,
    RunFinished,
    RunStarted,
    ScopeDeclared,
)
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.transaction import Rank, Transaction


@dataclass(frozen=True)
class Workspace:
    """What one plan attempt works on: its accepted plan, and the present source of each node."""

    plan: PlanAccepted | None = None
    codes: Mapping[str, NodeCode] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A program that was assembled, with the plan and the sources that it was assembled from."""

    index: int
    attempt: int
    assembly: Assembly
    graph: TaskGraph | None
    codes: Mapping[str, NodeCode]
    report: ExecutionReport | None = None
    rank: Rank | None = None
    frozen: ChecksFrozen | None = None
    """The checks that it was run on; a rival method may freeze others in a later round."""


@dataclass(frozen=True)
class Snapshot:
    """What a rollback restores: sources, plans, the active candidate, every verdict and rank."""

    workspaces: Mapping[int, Workspace]
    candidates: Mapping[int, Candidate]
    active: int | None
    versions: Mapping[str, tuple[str, ...]]


class FoldState:
    """The state of a run; `apply` takes it one event further.

    The state is total: any order of events is applied without an error, and an event that refers to a candidate
    that does not exist changes nothing. Whether the events make sense is for the audit to say, not for the fold.

    Invariants: `active` names a candidate that exists; sources and plans are replaced, never changed in place, so a
    snapshot costs a few references; after a repair that was not accepted everything in `Snapshot` is as it was when
    the repair was opened, except that the refused candidate stays known by its number.
    """

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.frozen: ChecksFrozen | None = None
        self.attempts: dict[int, AttemptStarted] = {}
        self.results: dict[int, CandidateRanked] = {}
        """By attempt: how its candidate was ranked; of several, the last one that took over."""
        self.workspaces: dict[int, Workspace] = {}
        self.candidates: dict[int, Candidate] = {}
        self.active: int | None = None
        self.versions: dict[str, tuple[str, ...]] = {}
        """By node: digests of the sources that were active, oldest first."""
        self.findings: list[Finding] = []
        self.transactions: list[Transaction] = []
        self.calls: list[ModelCalled] = []
        self.finished: RunFinished | None = None
        self.events = 0
        self.repair: Snapshot | None = None
        """What the open repair would restore; None between repairs."""
        self._proposed: int | None = None

    @property
    def program(self) -> Candidate | None:
        """Return the active candidate."""
        return None if self.active is None else self.candidates[self.active]

    @property
    def attempt(self) -> Workspace:
        """Return the workspace of the attempt that was started last."""
        return self.workspaces.get(max(self.attempts, default=-1), Workspace())

    def snapshot(self) -> Snapshot:
        """Return what a rollback to this moment restores."""
        return Snapshot(dict(self.workspaces), dict(self.candidates), self.active, dict(self.versions))

    def apply(self, event: Event) -> None:
        """Take the state one event further."""
        self.events += 1
        match event:
            case RunStarted():
                self.started = self.started or event
            case ModelCalled():
                self.calls.append(event)
            case ChecksFrozen():
                self.frozen = event
            case AttemptStarted():
                self.attempts[event.index] = event
            case PlanAccepted():
                self.workspaces[event.attempt] = replace(self._workspace(event.attempt), plan=event)
            case CodeWritten():
                self._write(event)
            case ProgramAssembled():
                self._assemble(event)
            case ChecksRun():
                self._run(event)
            case CandidateRanked():
                self._rank(event)
            case FindingsAdded():
                self.findings.extend(event.findings)
            case RepairStarted():
                self.repair, self._proposed = self.snapshot(), None
            case ScopeDeclared():
                self._revise_plan(event)
            case RepairEnded():
                self._end_repair(event.transaction)
            case RunFinished():
                self.finished = event
            case _:  # evidence and refusals: kept in the ledger, no part of the state
                pass

    def _workspace(self, attempt: int) -> Workspace:
        return self.workspaces.get(attempt, Workspace())

    def _write(self, event: CodeWritten) -> None:
        workspace = self._workspace(event.attempt)
        codes = {**workspace.codes, event.code.node: event.code}
        self.workspaces[event.attempt] = replace(workspace, codes=codes)

    def _assemble(self, event: ProgramAssembled) -> None:
        workspace = self._workspace(event.attempt)
        graph = workspace.plan.graph if workspace.plan else None
        known = {node.id for node in graph.nodes} if graph else workspace.codes.keys()
        codes = {node: workspace.codes[node] for node in sorted(workspace.codes) if node in known}
        self.candidates[event.candidate] = Candidate(event.candidate, event.attempt, event.assembly, graph, codes)
        self._proposed = event.candidate

    def _run(self, event: ChecksRun) -> None:
        known = self.candidates.get(event.candidate)
        if known is not None:
            self.candidates[event.candidate] = replace(known, report=event.report, frozen=self.frozen)

    def _update(self, candidate: int, *, rank: Rank | None = None) -> None:
        known = self.candidates.get(candidate)
        if known is not None:
            self.candidates[candidate] = replace(known, rank=rank or known.rank)

    def _rank(self, event: CandidateRanked) -> None:
        self._update(event.candidate, rank=event.rank)
        if event.candidate not in self.candidates:
            return
        attempt = self.candidates[event.candidate].attempt
        if event.active or attempt not in self.results:
            self.results[attempt] = event
        if event.active:
            self._activate(event.candidate)

    def _activate(self, candidate: int) -> None:
        self.active = candidate
        for node, code in self.candidates[candidate].codes.items():
            past = self.versions.get(node, ())
            if past[-1:] != (code.digest,):
                self.versions[node] = (*past, code.digest)

    def _revise_plan(self, event: ScopeDeclared) -> None:
        """Take over the plan of a repair; a rollback restores the one before it."""
        program = self.program
        workspace = self._workspace(program.attempt) if program else Workspace()
        if program is None or event.graph is None or workspace.plan is None:
            return
        plan = workspace.plan.model_copy(update={"graph": event.graph})
        self.workspaces[program.attempt] = replace(workspace, plan=plan)

    def _end_repair(self, transaction: Transaction) -> None:
        """Make the candidate of an accepted repair active; after any other decision restore the snapshot."""
        self.transactions.append(transaction)
        before, proposed = self.repair, self._proposed
        self.repair = self._proposed = None
        if before is None:
            return
        if transaction.decision != "accepted":
            self.workspaces = dict(before.workspaces)
            self.candidates |= before.candidates
            self.active = before.active
            self.versions = dict(before.versions)
        elif proposed is not None:
            self._update(proposed, rank=transaction.after)
            self._activate(proposed)
