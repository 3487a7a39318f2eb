"""One node: what it promises, where its inputs come from, what it owns, and what happened to it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.text import Text

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.evidence import local_check_text, observed
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.part import Part
from auditcoder.cli.showing.run import found
from auditcoder.cli.text import clean, one_line
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Node
from auditcoder.records.run import RunRecord

WIDTH = 110


def node_part(record: RunRecord, node_id: str, facts: Facts) -> Part:
    """Return one node.

    Raises:
        ConfigError: the run's plan has no such node.
    """
    nodes = record.graph.nodes if record.graph else ()
    node = next((node for node in nodes if node.id == node_id), None)
    if node is None:
        raise usage_error(
            f"the plan has no node {node_id}", f"Nodes: {', '.join(node.id for node in nodes) or 'none yet'}."
        )
    owned = next((one for one in record.responsibilities if one.node == node_id), None)
    text: list[RenderableType] = [
        Text("\n").join(Text(clean(line)) for line in (*promise(node, facts), *history(record, node_id, facts)))
    ]
    if owned is not None and owned.code is not None:
        text += ["", Syntax(clean(owned.code.source), "python", theme="ansi_dark", background_color="default")]
    data = {"node": node.model_dump(mode="json"), "responsibility": owned.model_dump(mode="json") if owned else None}
    return Part(tuple(text), data)


def promise(node: Node, facts: Facts) -> list[str]:
    """Return goal, contract, inputs, outputs and executable local checks with their last results, one line each."""
    contract = node.contract
    lines = [f"{node.id}  {one_line(node.goal, WIDTH)}", f"  {node.kind}, {node.executor}"]
    lines += [f"  signature  {signature.render()}" for signature in contract.signatures]
    kinds = (
        ("requires", contract.preconditions), ("ensures", contract.postconditions), ("keeps", contract.invariants),
    )  # fmt: skip
    for name, predicates in kinds:
        for predicate in predicates:
            executable = f"   `{one_line(predicate.expression, WIDTH)}`" if predicate.expression else ""
            lines.append(f"  {name:9}  {one_line(predicate.text, WIDTH)}{executable}")
    lines += [f"  input      {one.slot} from {one.node}.{one.output}" for one in node.provenance]
    lines += [f"  output     {slot.name}: {slot.type}" for slot in node.outputs]
    lines += [
        f"  check      {node.id}:{check.id} "
        + one_line(local_check_text(check, facts.local.get(f"{node.id}:{check.id}")), WIDTH)
        for check in node.local_checks
        if check.has_expected
    ]
    return lines + ([f"  budget     {node.budget.time}"] if node.budget.time else [])


def history(record: RunRecord, node_id: str, facts: Facts) -> list[str]:
    """Return versions, findings and repairs of a node, one line each."""
    owned = next((one for one in record.responsibilities if one.node == node_id), None)
    lines = [f"  version    {digest[:16]}" for digest in (owned.versions if owned else ())]
    lines += [
        f"  finding    {finding_text(one, facts.sources.get(one.id, ''))}"
        for one in record.findings
        if node_id in one.owners
    ]
    for done in record.transactions:
        units = [expansion.unit for expansion in done.scope.expansions if expansion.owner == node_id]
        if node_id in done.scope.nodes or units:
            expanded = f", expanded to {', '.join(units)}" if units else ""
            lines.append(f"  repair {done.index + 1}   {found(done)}{expanded}: {done.decision}")
    for event in facts.reverified.values():
        if node_id in event.nodes:
            lines.append(f"  again      looked at behind repair {event.index + 1}, which left it as it was")
    return lines


def finding_text(finding: Finding, source: str = "") -> str:
    """Return one finding in one line: verdict, obligation, evidence, what was observed, and why."""
    evidence = "executed" if finding.evidence == "exec" else "judged"
    made = f" by {source}" if source else ""
    where = f" at {finding.check}" if finding.check else ""
    seen = f" on {call}" if source == "monitors" and (call := observed(finding.witness, WIDTH)) else ""
    reason = one_line(finding.reason, WIDTH)
    return f"{finding.id} {finding.verdict}s {finding.obligation.kind}, {evidence}{made}{where}{seen}: {reason}"
