"""One event of a ledger, whole: what was asked and answered, what was written, seen, found and decided."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.text import Text

from auditcoder.audit.restoring import upto
from auditcoder.cli.showing.event import event_text
from auditcoder.cli.showing.evidence import observed, shown_value
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.node import finding_text, indented, promise
from auditcoder.cli.showing.part import Part, hanging, table
from auditcoder.cli.showing.run import rank_text
from auditcoder.cli.showing.support import located, support_lines
from auditcoder.cli.showing.words import abstention
from auditcoder.cli.text import clean, one_line
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.fold import replay
from auditcoder.records import events as ev
from auditcoder.records.base import Record
from auditcoder.records.execution import CheckResult, RecordedCall
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.ledger import LedgerLine
from auditcoder.records.localization import Localization

LINES = 40
"""Lines of one text that are shown; `--full` has all."""
CALLS = 40
LABEL = 44
"""Columns of a field's name at most."""
_DIFF = {"+": "green", "-": "red", "@": "cyan"}


def single_part(ledger: Ledger, number: int, facts: Facts) -> Part:
    """Return one event; its data are the whole line of the ledger.

    Raises:
        ConfigError: the ledger has no such event.
    """
    line = upto(ledger, number).entries[-1].line
    last = ledger.entries[-1].line.seq
    head = [
        Text.assemble((f"event {number} of {last}", "bold"), f"  {line.event.kind}  {line.at}"),
        Text(event_text(line.event)),
    ]
    body = [part for block in _body(ledger, line, facts) for part in ("", block)]
    return Part((*head, *body), line.model_dump(mode="json"))


def _body(ledger: Ledger, line: LedgerLine, facts: Facts) -> Iterator[RenderableType]:
    match line.event:
        case ev.ModelCalled() as event:
            yield from _call(event, full=facts.full)
        case ev.CodeWritten() as event:
            yield from _code(ledger, line.seq, event, full=facts.full)
        case ev.CallsRecorded() as event:
            yield _calls(event.recording.calls, full=facts.full)
        case ev.FindingsAdded() as event:
            yield hanging([row for one in event.findings for row in _finding(one, facts)], 6)
            yield from (Text(clean(f"not evaluated: {one}")) for one in event.unevaluated)
        case ev.RepairStarted() as event:
            yield _repair(ledger, line.seq, event.localization)
            yield fields(_dump(event.scope, set()), full=facts.full, title="scope as selected")
        case ev.RepairEnded(transaction=done):
            ranks = f"{rank_text(done.before)} -> {rank_text(done.after)}"
            told = {"before -> after": ranks, **_dump(done, {"index", "localization", "before", "after"})}
            yield _repair(ledger, line.seq, done.localization)
            yield fields({**told, "reason": abstention(done.reason)}, full=facts.full, title="decision")
        case ev.ProgramAssembled() as event:
            yield _block("program", event.assembly.program, full=facts.full)
            yield fields(_dump(event, {"kind", "assembly"}), full=facts.full)
        case ev.ChecksRun() | ev.LocalChecksRun() as event:
            yield results(event.report.results, facts)
            yield fields(_dump(event, {"kind", "report"}), full=facts.full)
        case ev.PlanAccepted() as event:
            yield from plan(event.graph, facts)
            yield fields(_dump(event, {"kind", "graph"}), full=facts.full)
        case ev.ScopeDeclared() as event:
            yield fields(_dump(event, {"kind", "graph"}), full=facts.full)
            yield from plan(event.graph, facts) if event.graph is not None else ()
        case event:
            yield fields(_told(event, full=facts.full), full=facts.full)


def _dump(record: Record, left_out: set[str]) -> dict[str, object]:
    return record.model_dump(mode="json", exclude=left_out)


def _told(event: ev.Event, *, full: bool) -> dict[str, object]:
    """Return the fields of an event; what is as nearly always is left out, but no setting of a run."""
    told: dict[str, object] = event.model_dump(mode="json", exclude={"kind"}, exclude_defaults=not full)
    if isinstance(event, ev.RunStarted):
        told["config"] = event.config.model_dump(mode="json")
    return told


def plan(graph: TaskGraph, facts: Facts) -> Iterator[RenderableType]:
    """Yield the promise of each node of a plan."""
    for node in graph.nodes:
        first, *rest = promise(node, facts)
        parent = [f"  parent     {node.parent}"] if node.parent else []
        yield Group(Text(clean(first), style="bold"), indented((*parent, *rest)))


def results(found: Sequence[CheckResult], facts: Facts) -> RenderableType:
    """Return what a run on checks gave, check by check."""
    shown = table("check", "verdict", ">CPU s", "observed", "what happened")
    for one in found:
        seen = shown_value(one.observed, 100_000 if facts.full else 80) if one.has_observed else ""
        told = facts.cut(f"{one.detail} {one.message}", 200)
        cells = (Text(one_line(one.check)), one.outcome, f"{one.cpu_seconds:.3f}", Text(one_line(seen)), Text(told))
        shown.add_row(*cells)
    return shown


def _call(event: ev.ModelCalled, *, full: bool) -> Iterator[RenderableType]:
    """Yield role, node, tokens and sampling, each message of the prompt, and the answer, as text."""
    facts = {
        "role": event.role, "node": event.node or "none", "model": event.model,
        "tokens": f"{event.prompt_tokens} in, {event.completion_tokens} out",
        "seconds": f"{event.seconds:.1f}" + (", from the cache" if event.cached else ""),
        "finish": event.finish, "sampling": ", ".join(f"{name} {value}" for name, value in event.sampling),
        "error": event.error,
    }  # fmt: skip
    yield hanging([(Text(name, style="dim"), one_line(text)) for name, text in facts.items() if text], 10)
    for role, text in messages(event.request):
        yield _block(f"prompt: {role}", text, full=full)
    yield _block("answer", answer(event.response), full=full)


def messages(request: str) -> list[tuple[str, str]]:
    """Return role and text of each message of a recorded request; the request as it is when it has none."""
    body = _loaded(request)
    if not isinstance(body, Mapping) or not isinstance(body.get("messages"), list):
        return [("request", request)]
    system = [("system", text)] if (text := _text_of(body.get("system"))) else []
    told = [one for one in body["messages"] if isinstance(one, Mapping)]
    return [*system, *((str(one.get("role", "")), _text_of(one.get("parts", one.get("content")))) for one in told)]


def answer(response: str) -> str:
    """Return the text of a recorded answer; the answer as it is when it has none."""
    body = _loaded(response)
    message = body.get("message") if isinstance(body, Mapping) else None
    return _text_of(message.get("parts", message.get("content"))) if isinstance(message, Mapping) else response


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text_of(parts: object) -> str:
    if isinstance(parts, str):
        return parts
    if isinstance(parts, Mapping):
        return str(parts["text"]) if "text" in parts else json.dumps(parts)
    return "".join(_text_of(part) for part in parts) if isinstance(parts, list) else ""


def _block(title: str, text: str, *, full: bool) -> RenderableType:
    """Return a titled text, indented, without escape codes; cut in its middle, so that beginning and end are seen."""
    lines = clean(text.expandtabs(4)).splitlines()
    if not full and len(lines) > LINES:
        half = LINES // 2
        lines = [*lines[:half], f"… {len(lines) - 2 * half} more lines; --full has all …", *lines[-half:]]
    return Group(Text(title, style="bold"), hanging([("", line) for line in lines], 2))


def _code(ledger: Ledger, number: int, event: ev.CodeWritten, *, full: bool) -> Iterator[RenderableType]:
    """Yield the source, as a difference to the version that the node had in this attempt, where it had one."""
    workspace = replay(upto(ledger, number - 1).events if number else ()).workspaces.get(event.attempt)
    before = workspace.codes.get(event.code.node) if workspace else None
    yield hanging([("node", event.code.node), ("how", event.how), ("digest", event.code.digest)]
                  + [("note", one_line(note)) for note in event.notes], 10)  # fmt: skip
    if before is None:
        yield _block("source", event.code.source, full=full)
    elif before.source == event.code.source:
        yield Text(f"the same source as before, {before.digest[:16]}")
    else:
        old, new = (clean(text).splitlines() for text in (before.source, event.code.source))
        lines = list(difflib.unified_diff(old, new, before.digest[:16], event.code.digest[:16], lineterm="", n=1000))
        yield Text("\n").join(Text(line, style=_DIFF.get(line[:1], "")) for line in lines)


def _calls(calls: Sequence[RecordedCall], *, full: bool) -> RenderableType:
    shown = calls if full else calls[:CALLS]
    limit = 100_000 if full else 80
    rows = [(str(number), call_text(call, limit)) for number, call in enumerate(shown, start=1)]
    if len(shown) < len(calls):
        rows.append(("", f"and {len(calls) - len(shown)} more; --full and --json have all"))
    return hanging(rows, 5) if rows else Text("no call of an owned unit")


def call_text(call: RecordedCall, limit: int = 80) -> str:
    """Return a recorded call as `f(1, 2) -> 3`, or with what it raised."""
    args = ", ".join(shown_value(arg, limit) for arg in call.args)
    end = f"raises {call.exception}" if call.exception else f"-> {shown_value(call.result, limit)}"
    return one_line(f"{call.unit}({args}) {end}")


def _finding(finding: Finding, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield a finding with its whole reason, and what shows it."""
    yield finding.id, clean(finding_text(finding, replace(facts, full=True)).removeprefix(f"{finding.id} "))
    if finding.witness is not None:
        yield "", f"witness {observed(finding.witness)}"


def _repair(ledger: Ledger, number: int, where: Localization) -> RenderableType:
    """Return the localization: rule by rule, then findings used and turned away, each with its reason."""
    findings = tuple(replay(upto(ledger, number).events).findings)
    rows = [("found", located(where, 0)), ("implicated", ", ".join(where.implicated) or "none")]
    rows += [("policy", where.policy)]
    rows += [("tried", one_line(note)) for note in where.notes]
    rows += [("evidence", one) for one in support_lines(where, findings)] or [("evidence", "no finding was weighed")]
    return hanging([(Text(name, style="dim"), text) for name, text in rows], 12)


def fields(values: Mapping[str, object], *, full: bool, title: str = "") -> RenderableType:
    """Return the fields of a record, one line each: nested names joined by a dot, empty fields left out."""
    rows = [row for name, value in values.items() for row in _rows(name, value, full=full)]
    shown = rows if full else rows[: 2 * LINES]
    if len(shown) < len(rows):
        shown.append(("", f"and {len(rows) - len(shown)} more lines; --full and --json have all"))
    width = min(max((len(name) for name, _ in shown), default=0) + 2, LABEL)
    told = hanging([(Text(one_line(name), style="dim"), text) for name, text in shown], width)
    return Group(Text(title, style="bold"), told) if title else told


def _rows(name: str, value: object, *, full: bool) -> Iterator[tuple[str, str]]:
    if value in (None, "", [], {}):
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _rows(f"{name}.{key}", inner, full=full)
    elif isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
        for index, inner in enumerate(value):
            yield from _rows(f"{name}.{index}", inner, full=full)
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield name, clean(text.strip() if full else one_line(text, 400))
