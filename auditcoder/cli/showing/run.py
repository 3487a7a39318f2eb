"""A whole run: task, plan and owners, checks, plan attempts, repairs, evidence, usage."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from auditcoder.cli.showing.evidence import evidence
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.part import Part, table
from auditcoder.cli.text import UNCHECKED, counted, one_line
from auditcoder.records.graph import Node
from auditcoder.records.run import ResponsibilityRecord, RunRecord
from auditcoder.records.transaction import Rank, Transaction

WIDTH = 70


def run_part(record: RunRecord, facts: Facts) -> Part:
    """Return the whole run; its data are the record, and under `facts` what only the ledger tells."""
    parts: list[RenderableType] = [head(record)]
    if record.graph is not None:
        parts += ["", nodes(record)]
    parts += ["", checks(record)] if record.checks else []
    parts += ["", attempts(record)] if len(record.attempts) > 1 else []
    parts += ["", repairs(record)] if record.transactions else []
    for section in evidence(record, facts):
        parts += ["", section]
    return Part((*parts, "", usage(record)), {**record.model_dump(mode="json"), "facts": facts.data()})


def head(record: RunRecord) -> Text:
    """Return what was asked, how it stands, and with what it was made."""
    models = sorted({f"{facts.profile} ({facts.model})" for _, facts in record.models})
    rows = [
        ("task", f"{record.task.id} ({record.task.entry.kind}): {one_line(record.task.statement, WIDTH)}"),
        ("status", status(record)),
        ("models", ", ".join(models) or "none"),
        ("isolation", f"{record.isolation.rung} (level {record.isolation.level})"),
        ("ledger", f"{record.events} events, head {record.ledger_head[:16]}"),
    ]
    return Text("\n").join(Text.assemble((f"{name:10}", "dim"), text) for name, text in rows)


def status(record: RunRecord) -> str:
    """Return how the run stands: the program's verdict and why there is no other."""
    if record.report is not None and not record.checks and record.reason:
        return UNCHECKED
    return f"{verdict(record)}; {one_line(record.reason, 200) or 'stopped before its end; go on with --resume'}"


def verdict(record: RunRecord) -> str:
    """Return how many checks the program passes, in words."""
    if record.report is None:
        return "no program yet"
    if not record.checks:
        return UNCHECKED
    passed = sum(result.outcome == "pass" for result in record.report.results)
    return f"{passed} of {len(record.report.results)} checks pass"


def nodes(record: RunRecord) -> Tree:
    """Return the tree of nodes with what each owns."""
    root = Tree(Text("plan", style="bold"))
    branches: dict[str, Tree] = {}
    owned = {one.node: one for one in record.responsibilities}
    for node in sorted(record.graph.nodes if record.graph else (), key=lambda node: node.id.count("_")):
        branches[node.id] = branches.get(node.parent, root).add(node_line(node, owned.get(node.id)))
    return root


def node_line(node: Node, owned: ResponsibilityRecord | None) -> Text:
    """Return one node: id, category, goal, units, findings and repairs."""
    facts: list[str] = [node.executor if node.kind != "structural" else "structural"]
    if owned is not None and owned.code is not None:
        facts.append(counted(len(owned.code.source.splitlines()), "line"))
        facts.append(f"owns {', '.join(owned.units)}" if owned.units else "owns nothing yet")
    facts += [counted(len(owned.findings), "finding")] if owned and owned.findings else []
    facts += [f"repairs {', '.join(str(t + 1) for t in owned.transactions)}"] if owned and owned.transactions else []
    return Text.assemble((node.id, "bold"), f"  {one_line(node.goal, WIDTH)}  ", (f"[{'; '.join(facts)}]", "dim"))


def checks(record: RunRecord) -> Table:
    """Return the checks in the order of Q with the active program's verdicts."""
    results = {result.check: result for result in record.report.results} if record.report else {}
    shown = table("check", "origin", "verdict", ">CPU s", "what happened", title="checks")
    for check in record.checks:
        result = results.get(check.id)
        if result is None:
            shown.add_row(check.id, check.origin, "not run", "", "")
            continue
        detail = one_line(f"{result.detail} {result.message}", WIDTH)
        style = "green" if result.outcome == "pass" else "red"
        outcome = Text(result.outcome, style=style)
        shown.add_row(check.id, check.origin, outcome, f"{result.cpu_seconds:.3f}", Text(detail))
    return shown


def attempts(record: RunRecord) -> Table:
    """Return the plan attempts and what came of each."""
    shown = table(">attempt", "granularity", ">nodes", "rank", "why", title="plan attempts")
    for attempt in record.attempts:
        why = one_line("; ".join(text for text in (attempt.reason, attempt.fallback) if text), WIDTH)
        shown.add_row(
            str(attempt.index + 1), attempt.granularity, str(attempt.nodes), rank_text(attempt.rank), Text(why)
        )
    return shown


def repairs(record: RunRecord) -> Table:
    """Return the transactions, oldest first."""
    shown = table(">repair", "found", "scope", "before -> after", "decision", "why", title="repairs")
    for done in record.transactions:
        scope = ", ".join(done.scope.nodes) or "none"
        ranks = f"{rank_text(done.before)} -> {rank_text(done.after)}"
        why = one_line(done.reason, WIDTH)
        shown.add_row(str(done.index + 1), found(done), scope, ranks, done.decision, Text(why))
    return shown


def found(done: Transaction) -> str:
    """Return what the localization says, in a few words."""
    where = done.localization
    if where.abstained:
        return f"abstained: {one_line(where.abstained, WIDTH)}"
    return f"{where.failure} at {where.anchor}: {where.rule}, {where.defect}, {where.grade}"


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
