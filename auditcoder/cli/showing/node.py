"""One node: what it promises, where its inputs come from, what it owns, and what happened to it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.text import Text

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.part import Part
from auditcoder.cli.showing.run import found
from auditcoder.cli.text import clean, one_line
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Node
from auditcoder.records.run import RunRecord

WIDTH = 110


def node_part(record: RunRecord, node_id: str) -> Part:
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
        Text("\n").join(Text(clean(line)) for line in (*promise(node), *history(record, node_id)))
    ]
    if owned is not None and owned.code is not None:
        text += ["", Syntax(clean(owned.code.source), "python", theme="ansi_dark", background_color="default")]
    data = {"node": node.model_dump(mode="json"), "responsibility": owned.model_dump(mode="json") if owned else None}
    return Part(tuple(text), data)


def promise(node: Node) -> list[str]:
    """Return goal, contract, inputs, outputs and executable local checks, one line each."""
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
        f"  check      {node.id}:{check.id} {one_line(check.text, WIDTH)}"
        for check in node.local_checks
        if check.has_expected
    ]
    return lines + ([f"  budget     {node.budget.time}"] if node.budget.time else [])


def history(record: RunRecord, node_id: str) -> list[str]:
    """Return versions, findings and repairs of a node, one line each."""
    owned = next((one for one in record.responsibilities if one.node == node_id), None)
    lines = [f"  version    {digest[:16]}" for digest in (owned.versions if owned else ())]
    lines += [f"  finding    {finding_text(one)}" for one in record.findings if node_id in one.owners]
    for done in record.transactions:
        if node_id in done.scope.nodes:
            lines.append(f"  repair {done.index + 1}   {found(done)}: {done.decision}")
    return lines


def finding_text(finding: Finding) -> str:
    """Return one finding in one line."""
    evidence = "executed" if finding.evidence == "exec" else "judged"
    where = f" at {finding.check}" if finding.check else ""
    reason = one_line(finding.reason, WIDTH)
    return f"{finding.id} {finding.verdict}s {finding.obligation.kind}, {evidence}{where}: {reason}"
