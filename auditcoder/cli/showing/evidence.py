"""The evidence of a run beyond its checks: policy gate, executed findings on nodes, scopes, re-verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.part import hanging, table
from auditcoder.cli.showing.support import support_lines
from auditcoder.cli.text import counted, one_line
from auditcoder.errors import RecordError
from auditcoder.records.base import canonical_json
from auditcoder.records.events import NodesReverified
from auditcoder.records.execution import CheckResult
from auditcoder.records.finding import Finding
from auditcoder.records.graph import LocalCheck
from auditcoder.records.run import RunRecord
from auditcoder.records.transaction import Transaction
from auditcoder.records.values import Value, render

CELL = 48
"""Characters of a cell."""
SHOWN = 20
"""Rows of a list; `show RUN NODE` and `--json` have all."""
ON_NODES = ("monitors", "local-checks")


def evidence(record: RunRecord, facts: Facts) -> Iterator[RenderableType]:
    """Yield the sections that a run has anything for."""
    gate = facts.gates.get(record.candidate, ()) if record.candidate is not None else ()
    if gate:
        yield _lines("policy gate", gate, 0 if facts.full else SHOWN)
    found = [finding for finding in record.findings if facts.sources.get(finding.id) in ON_NODES]
    if found:
        yield executed(found, facts)
    if facts.unevaluated:
        yield _lines("predicates that could not be evaluated", tuple(facts.unevaluated), 0 if facts.full else SHOWN)
    told = [line for done in record.transactions for line in detail_lines(record, done, facts)]
    if told:
        yield _lines("repairs in detail", told, limit=0)


def detail_lines(record: RunRecord, done: Transaction, facts: Facts) -> Iterator[str]:
    """Yield on what a repair rests, and then what it could change."""
    supports = support_lines(done.localization, record.findings)
    away = sum(line.startswith("turned away") for line in supports)
    shown = supports if facts.full else supports[: len(supports) - away]
    yield from (f"repair {done.index + 1}: {line}" for line in shown)
    if away and not facts.full:
        event = "; with clause and reason: --event of its repair.started, or --full"
        yield f"repair {done.index + 1}: {counted(away, 'finding')} turned away{event}"
    yield from scope_lines(done, facts)


def executed(found: Sequence[Finding], facts: Facts) -> RenderableType:
    """Return the rejections of monitors and local checks with what was observed; what they accept is only counted."""
    verdicts = Counter(finding.verdict for finding in found)
    title = f"executed on nodes: {counted(verdicts['reject'], 'rejection')}, {counted(verdicts['accept'], 'accept')}"
    shown = table("finding", "node", "source", "obligation", "observed", "why", title=title)
    rejections = [finding for finding in found if finding.verdict == "reject"]
    if not rejections:
        return Text(title, style="bold")
    limit = len(rejections) if facts.full else SHOWN
    for finding in rejections[:limit]:
        where = f" at {finding.check}" if finding.check else ""
        obligation = " ".join(part for part in (finding.obligation.kind, finding.obligation.predicate) if part)
        source = facts.sources.get(finding.id, "")
        cells = (finding.id, ", ".join(finding.owners), source, f"{obligation}{where}", observed(finding.witness))
        shown.add_row(*(Text(facts.cut(cell, CELL)) for cell in (*cells, finding.reason)))
    if len(rejections) > limit:
        shown.add_row("", "", "", f"and {len(rejections) - limit} more", "", "")
    return shown


def observed(witness: Value, limit: int = 200) -> str:
    """Return what a finding's run showed, as Python writes it; a call as `f(1, 2) -> 3`. Empty without a witness."""
    if witness is None:
        return ""
    call = _call(witness)
    if call is not None:
        unit, args, result = call
        return one_line(f"{unit}({', '.join(shown_value(arg) for arg in args)}) {result}", limit)
    return one_line(shown_value(witness), limit)


def _call(witness: Value) -> tuple[str, list[Value], str] | None:
    """Return the parts of a witness that is a recorded call, or None for another one."""
    pairs = witness.get("v") if isinstance(witness, dict) else None
    if not isinstance(pairs, list):
        return None
    fields = {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2}
    args = fields.get("args")
    if "unit" not in fields or not isinstance(args, list):
        return None
    raised = f"raises {fields.get('exception')}"
    return str(fields["unit"]), args, raised if "exception" in fields else f"-> {shown_value(fields.get('result'))}"


def shown_value(value: Value, limit: int = 80) -> str:
    """Return an encoded value as Python writes it; one that is malformed, as it is stored."""
    try:
        return render(value, limit)
    except (RecordError, ValueError, TypeError, RecursionError):
        return canonical_json(value).decode("ascii")[:limit]


def local_check_text(check: LocalCheck, result: CheckResult | None) -> str:
    """Return what an executable local check says, and what it gave when it was run last."""
    if result is None:
        return f"{check.text}: not run"
    gave = f", gave {shown_value(result.observed)}" if result.has_observed and result.outcome != "pass" else ""
    return f"{check.text}: {' '.join(part for part in (result.outcome, result.detail) if part)}{gave}"


def scope_lines(done: Transaction, facts: Facts) -> Iterator[str]:
    """Yield what a repair could change beyond the code of one node, and what was looked at again behind it."""
    scope, name = done.scope, f"repair {done.index + 1}"
    if scope.branch:
        yield f"{name}: replans the branch below {scope.branch}: {', '.join(scope.nodes)}"
    for slot in scope.open_slots:
        yield f"{name}: open slot {slot.provider}.{slot.output} -> {slot.consumer}.{slot.slot}"
    for expansion in scope.expansions:
        yield f"{name}: expanded to {expansion.unit} of {expansion.owner}: {expansion.reason}"
    yield from (f"{name}: {note}" for note in scope.notes)
    declared = facts.declared.get(done.index)
    if declared is not None and declared.graph is not None:
        yield f"{name}: the plan is revised, {counted(len(declared.frozen), 'unit')} frozen"
    for violation in done.violations:
        yield f"{name}: crossed the border: {violation.unit} of {violation.owner} {violation.change}"
    if done.index in facts.reverified:
        yield from (f"{name}: {line}" for line in reverified_lines(facts.reverified[done.index]))


def reverified_lines(event: NodesReverified) -> Iterator[str]:
    """Yield what the re-verification behind an accepted repair gave; nothing when no frozen node was touched."""
    if not event.nodes:
        return
    rejected = f", rejected: {', '.join(event.rejected)}" if event.rejected else ", all hold"
    found = (
        f"{counted(len(event.findings), 'executed finding')}{rejected}"
        if event.findings
        else "nothing on it can be executed"
    )
    yield f"looked again at frozen {', '.join(event.nodes)}: {found}"


def _lines(title: str, lines: Sequence[str], limit: int = SHOWN) -> RenderableType:
    """Return a title and its lines, as many as `limit` (all when 0); a long one goes on under its own beginning."""
    shown = [Text(one_line(line)) for line in (lines[:limit] if limit else lines)]
    if limit and len(lines) > limit:
        shown.append(Text(f"and {len(lines) - limit} more; --full and --json have all", style="dim"))
    return Group(Text(title, style="bold"), hanging([("", line) for line in shown], 2))
