"""Everything that a rollback restores (paper 3.4, core.md section 6)."""

from __future__ import annotations

from auditcoder.core.naming import id_key
from auditcoder.core.versions import Active, Codes
from auditcoder.records.base import Record
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.execution import ExecutionReport
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph


class RunState(Record):
    """The active program with all that speaks about it; contracts are in the graph, ownership is in the assembly.

    The state is a value: a repair builds a new one and a rollback is the old one. Currency of findings needs no field
    of its own, because it is computed from the graph and the codes.
    """

    graph: TaskGraph
    codes: tuple[NodeCode, ...]
    """Active source of every code owner, in node order."""
    assembly: Assembly
    report: ExecutionReport
    """Results of the assembly on Q."""
    findings: tuple[Finding, ...] = ()
    """All findings so far, oldest first, superseded ones included."""
    checks_hash: str
    """Hash of the frozen checks Q that the report was made on."""

    @property
    def code_map(self) -> dict[str, NodeCode]:
        """Return the codes by node id."""
        return {code.node: code for code in self.codes}

    @property
    def active(self) -> Active:
        """Return graph, codes by node id, and assembly."""
        return Active(self.graph, self.code_map, self.assembly)

    def state_hash(self) -> str:
        """Return the content hash; equal hashes are the proof that a rollback restored everything."""
        return self.content_hash()


def in_node_order(codes: Codes) -> tuple[NodeCode, ...]:
    """Return codes in the order that `RunState.codes` has."""
    return tuple(codes[node] for node in sorted(codes, key=id_key))
