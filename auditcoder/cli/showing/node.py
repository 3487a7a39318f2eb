"""One node: what it promises, where its inputs come from, what it owns, and what happened to it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.table import Table

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.evidence import local_check_text, observed
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.part import Part, hanging
from auditcoder.cli.showing.support import found, rests_on
from auditcoder.cli.showing.words import evidence_word
from auditcoder.cli.text import clean, one_line
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.run import RunRecord
from auditcoder.records.transaction import Transaction

WIDTH = 110
LABEL = 13
"""Columns before what a line says."""


def node_part(record: RunRecord, named: str, facts: Facts) -> Part:
    """Return one node; its id may be written in capitals or not.

    Raises:
        ConfigError: the plan has no such node.
    """
    node = find(record.graph, named)
    if node is None:
        raise usage_error(f"the plan has no node {one_line(named)}", elsewhere(record, named, facts))
    owned = next((one for one in record.responsibilities if one.node == node.id), None)
    first, *rest = promise(node, facts)
    head = hanging([(f"{node.id}  ", clean(first.removeprefix(f"{node.id}  ")))], len(node.id) + 2)
    text: list[RenderableType] = [head, indented((*rest, *history(record, node.id, facts)))]
    if owned is not None and owned.code is not None:
        text += ["", Syntax(clean(owned.code.source), "python", theme="ansi_dark", background_color="default")]
    data = {
        "node": node.model_dump(mode="json"),
        "responsibility": owned.model_dump(mode="json") if owned else None,
        **history_data(record, node.id, facts),
    }
    return Part(tuple(text), data)


def find(graph: TaskGraph | None, named: str) -> Node | None:
    """Return the node with this id, else the one whose id differs only in capitals, else None."""
    nodes = graph.nodes if graph else ()
    folded = [node for node in nodes if node.id.casefold() == named.casefold()]
    return next((node for node in folded if node.id == named), folded[0] if folded else None)


def elsewhere(record: RunRecord, named: str, facts: Facts) -> str:
    """Return where a node that the plan lacks is found: in other candidates, or which nodes there are."""
    holders = [(one.index, node.id) for one in facts.candidates.values() if (node := find(one.graph, named))]
    nodes = ", ".join(node.id for node in record.graph.nodes) if record.graph else ""
    there = f"Nodes: {nodes}." if nodes else f"Nodes: none yet{f' ({facts.moment})' if facts.moment else ''}."
    if not holders:
        return there
    number, node_id = holders[-1]
    numbers = ", ".join(str(index) for index, _ in holders)
    which = f"candidate {numbers}" if len(holders) == 1 else f"candidates {numbers}"
    return f"{there} {node_id} is in {which}: show RUN {node_id} --candidate {number}"


def indented(lines: Iterable[str]) -> Table:
    """Return lines whose label takes the first 13 columns; what does not fit goes on beside the label."""
    return hanging([(clean(line[:LABEL]), clean(line[LABEL:])) for line in lines], LABEL)


def promise(node: Node, facts: Facts) -> list[str]:
    """Return goal, contract, inputs, outputs and executable local checks with their last results, one line each."""
    contract = node.contract
    lines = [f"{node.id}  {facts.cut(node.goal, WIDTH)}", f"  category   {node.kind}, {node.executor}"]
    lines += [f"  signature  {signature.render()}" for signature in contract.signatures]
    kinds = (
        ("requires", contract.preconditions), ("ensures", contract.postconditions), ("keeps", contract.invariants),
    )  # fmt: skip
    for name, predicates in kinds:
        for predicate in predicates:
            executable = f"   `{facts.cut(predicate.expression, WIDTH)}`" if predicate.expression else ""
            lines.append(f"  {name:9}  {facts.cut(predicate.text, WIDTH)}{executable}")
    lines += [f"  input      {one.slot} from {one.node}.{one.output}" for one in node.provenance]
    lines += [f"  output     {slot.name}: {slot.type}" for slot in node.outputs]
    lines += [
        f"  check      {node.id}:{check.id} "
        + facts.cut(local_check_text(check, facts.local.get(f"{node.id}:{check.id}")), WIDTH)
        for check in node.local_checks
        if check.has_expected
    ]
    return lines + ([f"  budget     {node.budget.time}"] if node.budget.time else [])


def history(record: RunRecord, node_id: str, facts: Facts) -> list[str]:
    """Return versions, findings and repairs of a node, one line each."""
    lines = [f"  version    {version_text(record, node_id, digest, facts)}" for digest in versions(record, node_id)]
    lines += [f"  finding    {finding_text(one, facts)}" for one in findings_of(record, node_id)]
    for done in repairs_of(record, node_id):
        units = [expansion.unit for expansion in done.scope.expansions if expansion.owner == node_id]
        expanded = f", expanded to {', '.join(units)}" if units else ""
        why = f"rests on {rests_on(done, record.findings)}"
        lines.append(f"  {f'repair {done.index + 1}':9}  {found(done)}{expanded}: {done.decision}; {why}")
    for event in facts.reverified.values():
        if node_id in event.nodes:
            lines.append(f"  again      looked at behind repair {event.index + 1}, which left it as it was")
    return lines


def history_data(record: RunRecord, node_id: str, facts: Facts) -> dict[str, object]:
    """Return what the lines of `history` say as plain JSON."""
    current = active_digest(record, node_id)
    return {
        "candidate": record.candidate,
        "versions": [
            {"digest": digest, "candidates": holders(node_id, digest, facts), "current": digest == current}
            for digest in versions(record, node_id)
        ],
        "findings": [facts.finding_data(finding) for finding in findings_of(record, node_id)],
        "repairs": [{"repair": done.index + 1, **done.model_dump(mode="json")} for done in repairs_of(record, node_id)],
        "looked_at_again": [index for index, event in facts.reverified.items() if node_id in event.nodes],
    }


def versions(record: RunRecord, node_id: str) -> tuple[str, ...]:
    """Return the digests of a node's sources that were active, and of the one that is looked at, oldest first."""
    owned = next((one for one in record.responsibilities if one.node == node_id), None)
    here = active_digest(record, node_id)
    past = owned.versions if owned else ()
    return past if not here or here in past else (*past, here)


def active_digest(record: RunRecord, node_id: str) -> str:
    """Return the digest of the source that is looked at; empty when the node has none."""
    owned = next((one for one in record.responsibilities if one.node == node_id), None)
    return owned.code.digest if owned is not None and owned.code is not None else ""


def holders(node_id: str, digest: str, facts: Facts) -> list[int]:
    """Return the candidates in which a node has this source."""
    return [
        one.index for one in facts.candidates.values() if node_id in one.codes and one.codes[node_id].digest == digest
    ]


def version_text(record: RunRecord, node_id: str, digest: str, facts: Facts) -> str:
    """Return a version of a node's source: digest, candidates that have it, whether it is the one that is looked at."""
    numbers = holders(node_id, digest, facts)
    where = f"  candidate{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}" if numbers else ""
    return f"{digest[:16]}{where}{', current' if digest == active_digest(record, node_id) else ''}"


def findings_of(record: RunRecord, node_id: str) -> list[Finding]:
    """Return the findings on a node, oldest first."""
    return [finding for finding in record.findings if node_id in finding.owners]


def repairs_of(record: RunRecord, node_id: str) -> list[Transaction]:
    """Return the repairs that a node was in the scope of, or a unit of its declared."""
    return [
        done for done in record.transactions
        if node_id in done.scope.nodes or any(one.owner == node_id for one in done.scope.expansions)
    ]  # fmt: skip


def finding_text(finding: Finding, facts: Facts) -> str:
    """Return one finding in one line: verdict, obligation, evidence, what it judged, what was observed, and why."""
    source = facts.sources.get(finding.id, "")
    made = f" by {source}" if source else ""
    where = f" at {finding.check}" if finding.check else ""
    seen = f" on {call}" if source == "monitors" and (call := observed(finding.witness, WIDTH)) else ""
    reason = facts.cut(finding.reason, WIDTH)
    told = f"{finding.id} {finding.verdict}s {finding.obligation.kind}, {evidence_word(finding)}{made}{where}{seen}"
    return f"{told} ({facts.about(finding)}): {reason}"
