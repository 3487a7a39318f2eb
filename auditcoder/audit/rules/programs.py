"""V6, V7, V8: the assembled program, its owners, and what the static gate says of it."""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules.order import plan_of
from auditcoder.audit.walk import Walk
from auditcoder.core.assembly import assemble
from auditcoder.core.ownership import ownership_faults
from auditcoder.errors import RecordError
from auditcoder.records.events import ProgramAssembled
from auditcoder.records.graph import TaskGraph
from auditcoder.sandbox.gate_verdict import gate_findings, gate_labels


def assembled(walk: Walk, event: ProgramAssembled) -> None:
    """V6. The program, its units, line map and renames are what assembly makes of the sources at this moment."""
    graph = _plan(walk)
    sources = walk.state.workspaces[event.attempt].codes
    owners = {node.id for node in graph.owners}
    codes = {node: code for node, code in sources.items() if node in owners}
    before = walk.state.program.assembly if walk.repair and walk.state.program else None
    made = assemble(graph, codes, walk.started.task, before=before)
    walk.same(AuditCheck.ASSEMBLY, "assembly", event.assembly, made)


def owned(walk: Walk, event: ProgramAssembled) -> None:
    """V7. Every unit and every line that is not blank has exactly one owner, a code owner of the plan."""
    walk.same(AuditCheck.OWNERSHIP, "ownership", list(ownership_faults(event.assembly, _plan(walk))), [])


def gated(walk: Walk, event: ProgramAssembled) -> None:
    """V8. The gate finds the same in the program; nothing where it is off."""
    found = gate_labels(gate_findings(event.assembly, walk.started.config.gate))
    walk.same(AuditCheck.GATE, "findings of the gate", event.gate, found)


def _plan(walk: Walk) -> TaskGraph:
    graph = plan_of(walk)
    if graph is None:
        raise RecordError("there is no plan that the program belongs to")
    return graph


RULES: tuple[Rule, ...] = (
    rule(AuditCheck.ASSEMBLY, ProgramAssembled, assembled),
    rule(AuditCheck.OWNERSHIP, ProgramAssembled, owned),
    rule(AuditCheck.GATE, ProgramAssembled, gated),
)
