"""The events of a ledger: number, time, kind, and what happened in a few words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from auditcoder.cli.live.lines import call_line, checks_line, repair_line
from auditcoder.cli.showing.part import Part, table
from auditcoder.cli.showing.run import rank_text
from auditcoder.cli.text import counted, one_line
from auditcoder.ledger.canonical import Entry
from auditcoder.records import events as ev
from auditcoder.records.ledger import LedgerLine

WIDTH = 96


def events_part(entries: Sequence[Entry]) -> Part:
    """Return every event of a ledger; the number is what `--event`, `--at`, `restore` and `verify` name.

    Only the time of day is shown, so that a line fits into 80 columns; the data have the date as well.
    """
    shown = table(">event", "time", "kind", "what happened", title="events")
    shown.columns[1].no_wrap = shown.columns[2].no_wrap = True
    data: list[dict[str, object]] = []
    ran: set[int] = set()
    for entry in entries:
        line = entry.line
        text = event_text(line.event, again=isinstance(line.event, ev.ChecksRun) and line.event.candidate in ran)
        if isinstance(line.event, ev.ChecksRun):
            ran.add(line.event.candidate)
        shown.add_row(str(line.seq), line.at[11:19], line.event.kind, Text(text))
        data.append({"seq": line.seq, **event_data(line), "text": text})
    return Part((shown,), data)


def event_data(line: LedgerLine) -> dict[str, object]:
    """Return one event as plain JSON: its place, its kind, and the same few words."""
    return {"event": line.seq, "at": line.at, "kind": line.event.kind, "text": event_text(line.event)}


def event_text(event: ev.Event, *, again: bool = False) -> str:
    """Return what an event says, on one line, cut; `again`: the candidate's checks were run before."""
    if isinstance(event, ev.ChecksRun):
        return one_line(f"candidate {event.candidate}: {_body(checks_line(event.report.results, again=again))}", WIDTH)
    return one_line(_text(event), WIDTH)


def _text(event: ev.Event) -> str:
    match event:
        case ev.RunStarted():
            return f"{event.task.id} ({event.task.entry.kind}), format {event.format}, auditcoder {event.version}"
        case ev.ModelCalled():
            return _body(call_line(event))
        case ev.AttemptStarted():
            return f"attempt {event.index + 1}, {event.granularity}" + (f": {event.reason}" if event.reason else "")
        case ev.PlanReviewed():
            found = "; ".join(event.complaints) or "no complaints"
            return f"attempt {event.attempt + 1}, {event.reviewer} review {event.round + 1}: {found}"
        case ev.PlanAccepted():
            more = f" ({event.fallback})" if event.fallback else ""
            return f"attempt {event.attempt + 1}: {counted(len(event.graph.nodes), 'node')}, {event.granularity}{more}"
        case ev.RunResumed():
            return f"the call of event {event.failed} is made again"
        case ev.RunFinished():
            return f"candidate {event.candidate}, rank {rank_text(event.rank)}: {event.reason}"
        case _:
            return _program_text(event)


def _program_text(event: ev.Event) -> str:
    match event:
        case ev.ChecksFrozen():
            return f"{counted(len(event.checks), 'check')}, admission {event.admission}"
        case ev.CodeWritten():
            notes = f" ({'; '.join(event.notes)})" if event.notes else ""
            return f"{event.code.node}: {counted(len(event.code.source.splitlines()), 'line')}, {event.how}{notes}"
        case ev.CodeRejected():
            return f"{event.node}: unusable answer: {event.reason}"
        case ev.ProgramAssembled():
            gate = f"; policy: {'; '.join(event.gate)}" if event.gate else ""
            lines = counted(len(event.assembly.program.splitlines()), "line")
            return f"candidate {event.candidate}: {lines}, {counted(len(event.assembly.units), 'unit')}{gate}"
        case ev.CandidateRanked():
            active = "active now" if event.active else "not better"
            return f"candidate {event.candidate}: rank {rank_text(event.rank)}, {active}"
        case _:
            return _evidence_text(event)


def _evidence_text(event: ev.Event) -> str:
    match event:
        case ev.CallsRecorded():
            cut = "" if event.recording.complete else ", cut"
            calls = counted(len(event.recording.calls), "call")
            return f"candidate {event.candidate} on {event.recording.check}: {calls}{cut}"
        case ev.CostsMeasured():
            measured = counted(len(event.measurement.costs), "unit")
            return f"candidate {event.candidate} on {event.measurement.check}: {measured}"
        case ev.LocalChecksRun():
            return f"candidate {event.candidate}, {event.node}: {_body(checks_line(event.report.results))}"
        case ev.FindingsAdded():
            rejects = sum(finding.verdict == "reject" for finding in event.findings)
            source = f" from {event.source}" if event.source else ""
            missed = f", {counted(len(event.unevaluated), 'predicate')} not evaluated" if event.unevaluated else ""
            return f"{counted(len(event.findings), 'finding')}{source}, {counted(rejects, 'rejection')}{missed}"
        case _:
            return _repair_text(event)


def _repair_text(event: ev.Event) -> str:
    match event:
        case ev.RepairStarted():
            return f"repair {_body(repair_line(event))}"
        case ev.ScopeDeclared():
            more = f", {counted(len(event.scope.expansions), 'expansion')}" if event.scope.expansions else ""
            plan = ", plan revised" if event.graph is not None else ""
            nodes, frozen = ", ".join(event.scope.nodes), counted(len(event.frozen), "frozen unit")
            return f"repair {event.index + 1}: {nodes}{more}, {frozen}{plan}"
        case ev.RepairEnded():
            done = event.transaction
            return f"repair {done.index + 1}: {done.decision}: {done.reason}"
        case ev.NodesReverified():
            touched = ", ".join(event.nodes) or "no frozen node"
            found = f"{counted(len(event.findings), 'finding')}, {counted(len(event.rejected), 'rejection')}"
            return f"repair {event.index + 1}: {touched} touched; {found}"
        case _:
            return ""


def _body(line: str) -> str:
    """Return a progress line without its first word."""
    return line.partition(" ")[2].strip()
