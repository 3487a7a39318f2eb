"""A whole run: task, plan and owners, checks, plan attempts, repairs, evidence, usage."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from auditcoder.cli.showing.evidence import evidence
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.part import Part, hanging, table
from auditcoder.cli.showing.support import found, rests_on
from auditcoder.cli.showing.words import abstention
from auditcoder.cli.text import clean, counted, one_line, unchecked
from auditcoder.core.rank import rank_of
from auditcoder.ledger.state import Candidate
from auditcoder.programs.variants import AUDITCODER, made_by
from auditcoder.records.graph import Node
from auditcoder.records.run import ResponsibilityRecord, RunRecord
from auditcoder.records.transaction import Rank

WIDTH = 70


def run_part(record: RunRecord, facts: Facts) -> Part:
    """Return the whole run; its data are the record, and under `facts` what only the ledger tells."""
    parts: list[RenderableType] = [head(record, facts)]
    if record.graph is not None:
        parts += ["", nodes(record, facts)]
    parts += ["", checks(record, facts)] if record.checks else []
    parts += ["", attempts(record, facts)] if len(record.attempts) > 1 else []
    parts += ["", candidates(record, facts)] if len(facts.candidates) > 1 else []
    parts += ["", repairs(record, facts)] if record.transactions else []
    for section in evidence(record, facts):
        parts += ["", section]
    return Part((*parts, "", usage(record)), {**record.model_dump(mode="json"), "facts": facts.data()})


def head(record: RunRecord, facts: Facts) -> Table:
    """Return what was asked, what made the program where that is not AuditCoder as it comes, how it stands."""
    models = sorted({f"{model.profile} ({model.model})" for _, model in record.models})
    maker = made_by(record.config)
    statement = clean(record.task.statement.strip()) if facts.full else one_line(record.task.statement, WIDTH)
    rows = [
        ("task", f"{record.task.id} ({record.task.entry.kind}): {statement}"),
        *([("method", maker)] if maker != AUDITCODER else []),
        ("status", status(record, facts.moment)),
        ("models", one_line(", ".join(models)) or "none"),
        ("isolation", one_line(f"{record.isolation.rung} (level {record.isolation.level})")),
        ("ledger", f"{record.events} events, head {record.ledger_head[:16]}"),
    ]
    return hanging([(Text(name, style="dim"), text) for name, text in rows], 10)


def status(record: RunRecord, moment: str = "") -> str:
    """Return how the run stands: the program's verdict and why there is no other; `moment` names an earlier state."""
    if record.report is not None and not record.checks and record.reason:
        return unchecked(len(record.task.examples))
    unfinished = moment or "stopped before its end; go on with --resume"
    return f"{verdict(record)}; {one_line(record.reason, 200) or unfinished}"


def verdict(record: RunRecord) -> str:
    """Return how many checks the program passes, in words."""
    if record.report is None:
        return "no program yet"
    if not record.checks:
        return unchecked(len(record.task.examples))
    passed = sum(result.outcome == "pass" for result in record.report.results)
    return f"{passed} of {len(record.report.results)} checks pass"


def nodes(record: RunRecord, facts: Facts) -> Tree:
    """Return the tree of nodes with what each owns."""
    root = Tree(Text("plan", style="bold"))
    branches: dict[str, Tree] = {}
    owned = {one.node: one for one in record.responsibilities}
    for node in sorted(record.graph.nodes if record.graph else (), key=lambda node: node.id.count("_")):
        branches[node.id] = branches.get(node.parent, root).add(node_line(node, owned.get(node.id), facts))
    return root


def node_line(node: Node, owned: ResponsibilityRecord | None, known: Facts) -> Text:
    """Return one node: id, category, goal, units, findings and repairs."""
    facts: list[str] = [node.executor if node.kind != "structural" else "structural"]
    if owned is not None and owned.code is not None:
        facts.append(counted(len(owned.code.source.splitlines()), "line"))
        facts.append(f"owns {', '.join(owned.units)}" if owned.units else "owns nothing yet")
    facts += [counted(len(owned.findings), "finding")] if owned and owned.findings else []
    facts += [f"repairs {', '.join(str(t + 1) for t in owned.transactions)}"] if owned and owned.transactions else []
    return Text.assemble((node.id, "bold"), f"  {known.cut(node.goal, WIDTH)}  ", (f"[{'; '.join(facts)}]", "dim"))


def checks(record: RunRecord, facts: Facts) -> Table:
    """Return the checks in the order of Q with the active program's verdicts."""
    results = {result.check: result for result in record.report.results} if record.report else {}
    shown = table("check", "origin", "verdict", ">CPU s", "what happened", title="checks")
    for check in record.checks:
        result = results.get(check.id)
        if result is None:
            shown.add_row(check.id, check.origin, "not run", "", "")
            continue
        detail = facts.cut(f"{result.detail} {result.message}", WIDTH)
        style = "green" if result.outcome == "pass" else "red"
        outcome = Text(result.outcome, style=style)
        shown.add_row(check.id, check.origin, outcome, f"{result.cpu_seconds:.3f}", Text(detail))
    return shown


def attempts(record: RunRecord, facts: Facts) -> Table:
    """Return the plan attempts and what came of each."""
    shown = table(">attempt", "granularity", ">nodes", "rank", "why", title="plan attempts")
    for attempt in record.attempts:
        why = facts.cut("; ".join(text for text in (attempt.reason, attempt.fallback) if text), WIDTH)
        shown.add_row(
            str(attempt.index + 1), attempt.granularity, str(attempt.nodes), rank_text(attempt.rank), Text(why)
        )
    return shown


def candidates(record: RunRecord, facts: Facts) -> Table:
    """Return every program that was assembled, and which of them is the run's; `show RUN --candidate N` has each."""
    shown = table(">candidate", "made by", "checks", "rank", "", title="candidates")
    for one in facts.candidates.values():
        stands = "the program" if one.index == record.candidate else "not the program"
        cells = (facts.origins[one.index], passes(one), rank_text(candidate_rank(one, record)), stands)
        shown.add_row(str(one.index), *cells)
    return shown


def passes(candidate: Candidate) -> str:
    """Return how many checks a candidate passes."""
    if candidate.report is None:
        return "not run"
    results = candidate.report.results
    return f"{sum(result.outcome == 'pass' for result in results)} of {len(results)} pass"


def candidate_rank(candidate: Candidate, record: RunRecord) -> Rank | None:
    """Return a candidate's rank; that of one that a repair turned away is the checks' alone."""
    if candidate.rank is not None or candidate.report is None:
        return candidate.rank
    return rank_of(candidate.report, record.checks)


def repairs(record: RunRecord, facts: Facts) -> Table:
    """Return the transactions, oldest first, each with the evidence that it rests on."""
    shown = table(">repair", "found", "rests on", "scope", "before -> after", "decision", "why", title="repairs")
    shown.columns[4].no_wrap = True
    for done in record.transactions:
        scope = ", ".join(done.scope.nodes) or "none"
        ranks = f"{rank_text(done.before)} -> {rank_text(done.after)}"
        why = facts.cut(abstention(done.reason), WIDTH)
        cells = (
            Text(found(done, 0 if facts.full else WIDTH)),
            Text(rests_on(done, record.findings, brief=True)),
            scope,
            ranks,
        )
        shown.add_row(str(done.index + 1), *cells, done.decision, Text(why))
    return shown


def rank_text(rank: Rank | None) -> str:
    """Return a rank as its comparison key; a dash when there is none."""
    return str(rank.key) if rank else "-"


def usage(record: RunRecord) -> Table:
    """Return calls, tokens, seconds and cost per role."""
    shown = table(
        "role", ">calls", ">cached", ">failed", ">tokens in", ">tokens out", ">seconds", ">USD", title="model calls"
    )
    for row in record.usage:
        tokens = (str(row.prompt_tokens), str(row.completion_tokens))
        counts = (str(row.calls), str(row.cached), str(row.failed))
        shown.add_row(row.role, *counts, *tokens, f"{row.seconds:.1f}", f"{row.usd:.4f}")
    return shown
