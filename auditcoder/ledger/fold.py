"""The run record as a fold over events, and nothing else (core.md section 7). Pure; works at any prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from auditcoder.core.state import RunState, in_node_order
from auditcoder.errors import RecordError
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.state import FoldState
from auditcoder.records.code import NodeCode
from auditcoder.records.config import ROLES, ModelFacts, Role
from auditcoder.records.events import AttemptStarted, Event, ModelCalled
from auditcoder.records.graph import TaskGraph
from auditcoder.records.run import AttemptRecord, ResponsibilityRecord, RunRecord, Usage

_MILLION = 1_000_000


def fold(events: Iterable[Event], *, head: str = "") -> RunRecord:
    """Return the record of a run after these events; `head` is the hash of the last one, where it is known.

    Raises:
        RecordError: the first event is not `run.started`.
    """
    return record_of(replay(events), head=head)


def fold_ledger(ledger: Ledger, upto: int | None = None) -> RunRecord:
    """Return the record after the first `upto` events (after all of them without it): any earlier state of the run.

    Raises:
        RecordError: there is no event, or the first one is not `run.started`.
    """
    entries = ledger.entries[:upto]
    return fold((entry.event for entry in entries), head=entries[-1].line.hash if entries else "")


def replay(events: Iterable[Event]) -> FoldState:
    """Return the state after these events."""
    state = FoldState()
    for event in events:
        state.apply(event)
    return state


def core_state(state: FoldState) -> RunState | None:
    """Return the active state as the core hashes it for snapshots and rollbacks; None before a program was run."""
    program = state.program
    if program is None or program.graph is None or program.report is None or state.frozen is None:
        return None
    return RunState(
        graph=program.graph,
        codes=in_node_order(program.codes),
        assembly=program.assembly,
        report=program.report,
        findings=tuple(state.findings),
        checks_hash=state.frozen.hash,
    )


def record_of(state: FoldState, *, head: str = "") -> RunRecord:
    """Return the record of a state. Without an active program it shows the plan and sources of the latest attempt.

    Raises:
        RecordError: the run was never started.
    """
    if state.started is None:
        raise RecordError(
            "the ledger does not begin with run.started",
            hint="The run was stopped before its first event, or this is no ledger of a run; start it again.",
        )
    started, program = state.started, state.program
    frozen = (program.frozen if program else None) or state.frozen
    return RunRecord(
        format=started.format,
        version=started.version,
        task=started.task,
        config=started.config,
        config_hash=started.config_hash,
        models=started.models,
        isolation=started.isolation,
        status="finished" if state.finished else "running",
        checks=frozen.checks if frozen else (),
        checks_hash=frozen.hash if frozen else "",
        graph=_shown_graph(state),
        responsibilities=_responsibilities(state),
        findings=tuple(state.findings),
        transactions=tuple(state.transactions),
        attempts=tuple(_attempt(state, begun) for _, begun in sorted(state.attempts.items())),
        assembly=program.assembly if program else None,
        candidate=state.active,
        report=program.report if program else None,
        rank=program.rank if program else None,
        usage=usage_of(state.calls, dict(started.models)),
        reason=state.finished.reason if state.finished else "",
        ledger_head=head,
        events=state.events,
    )


def usage_of(calls: Sequence[ModelCalled], models: Mapping[Role, ModelFacts]) -> tuple[Usage, ...]:
    """Return usage by role, in the order of `ROLES`, then in total; cached calls count tokens but cost nothing."""
    rows = [_usage(role, [call for call in calls if call.role == role], models) for role in ROLES]
    return (*(row for row in rows if row.calls), _usage("total", calls, models))


def _usage(role: Role | Literal["total"], calls: Sequence[ModelCalled], models: Mapping[Role, ModelFacts]) -> Usage:
    return Usage(
        role=role,
        calls=len(calls),
        cached=sum(call.cached for call in calls),
        failed=sum(bool(call.error) for call in calls),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        seconds=sum(call.seconds for call in calls),
        usd=sum(_usd(call, models.get(call.role)) for call in calls),
    )


def _usd(call: ModelCalled, facts: ModelFacts | None) -> float:
    if facts is None or call.cached:
        return 0.0
    return (call.prompt_tokens * facts.price_in + call.completion_tokens * facts.price_out) / _MILLION


def _shown_graph(state: FoldState) -> TaskGraph | None:
    if state.program:
        return state.program.graph
    return state.attempt.plan.graph if state.attempt.plan else None


def _shown_codes(state: FoldState) -> Mapping[str, NodeCode]:
    return state.program.codes if state.program else state.attempt.codes


def _responsibilities(state: FoldState) -> tuple[ResponsibilityRecord, ...]:
    graph, codes = _shown_graph(state), _shown_codes(state)
    nodes = [node.id for node in graph.nodes] if graph else sorted(codes)
    units = state.program.assembly.units if state.program else ()
    return tuple(
        ResponsibilityRecord(
            node=node,
            code=codes.get(node),
            units=tuple(unit.name for unit in units if unit.owner == node),
            findings=tuple(finding.id for finding in state.findings if node in finding.owners),
            transactions=tuple(done.index for done in state.transactions if node in done.scope.nodes),
            versions=state.versions.get(node, ()),
        )
        for node in nodes
    )


def _attempt(state: FoldState, started: AttemptStarted) -> AttemptRecord:
    """Return what came of a plan attempt; the granularity is that of the plan it ended with."""
    workspace = state.workspaces.get(started.index)
    plan = workspace.plan if workspace else None
    result = state.results.get(started.index)
    return AttemptRecord(
        index=started.index,
        granularity=plan.granularity if plan else started.granularity,
        reason=started.reason,
        nodes=len(plan.graph.nodes) if plan else 0,
        fallback=plan.fallback if plan else "",
        candidate=result.candidate if result else None,
        rank=result.rank if result else None,
    )
