"""From an accepted graph to a candidate: code for every owner, assembly, one run on Q."""

from __future__ import annotations

from auditcoder.core.answers import Written
from auditcoder.core.graph import in_writing_order
from auditcoder.core.linking import last_resort, linked_root
from auditcoder.core.plan import single_owner_graph
from auditcoder.errors import AssemblyError
from auditcoder.programs.evaluation import evaluate
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import NodeGenerator
from auditcoder.programs.orchestrator import Orchestrator
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.writing import write_node
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.events import CodeRejected, CodeWritten, PlanAccepted
from auditcoder.records.graph import ROOT, Node, TaskGraph


class Construction(TypedModule["Candidate | None"]):
    """Writes the owners in order, leaves first, the root last."""

    def __init__(self, generator: NodeGenerator, orchestrator: Orchestrator) -> None:
        super().__init__()
        self.generator, self.orchestrator = generator, orchestrator

    def forward(self, session: Session, attempt: int, graph: TaskGraph) -> Candidate | None:
        """Return the candidate of a graph, or None when a node could not be written or the units do not link."""
        codes: dict[str, NodeCode] = {}
        for node in in_writing_order(graph):
            written = self._write(session, graph, node)
            if written is None:
                return None
            codes[node.id] = self._keep(session, attempt, written, self._how(session, node))
        try:
            return evaluate(session, attempt, graph, codes)
        except AssemblyError as error:
            session.journal.emit(CodeRejected(node=ROOT, reason=error.message[:500], digest=""))
            return None

    def single(self, session: Session, attempt: int, why: str) -> Candidate:
        """Return a candidate whose root owns everything; the program of last resort when no answer is usable."""
        graph = single_owner_graph(session.task)
        session.accept_plan(PlanAccepted(attempt=attempt, granularity="single", graph=graph, fallback=why))
        return self.forward(session, attempt, graph) or self._fallback(session, attempt, graph)

    def last(self, session: Session, attempt: int, why: str) -> Candidate:
        """Return the candidate of the program of last resort, for which no model is asked."""
        graph = single_owner_graph(session.task)
        session.accept_plan(PlanAccepted(attempt=attempt, granularity="single", graph=graph, fallback=why))
        return self._fallback(session, attempt, graph)

    def _fallback(self, session: Session, attempt: int, graph: TaskGraph) -> Candidate:
        source = last_resort(session.task)
        written = Written(NodeCode(node=ROOT, source=source, digest=sha256_text(source)))
        session.journal.emit(CodeWritten(attempt=attempt, code=written.code, how="fallback"))
        return evaluate(session, attempt, graph, {ROOT: written.code})

    def _write(self, session: Session, graph: TaskGraph, node: Node) -> Written | None:
        if node.kind == "leaf":
            return write_node(session, graph, node, lambda refused: self.generator(session.task, node, refused))
        if _links(session, node):
            return write_node(session, graph, node, lambda refused: linked_root(session.task, graph))
        return write_node(
            session, graph, node, lambda refused: self.orchestrator(session.task, graph, node.id, refused)
        )

    def _how(self, session: Session, node: Node) -> str:
        return "computed" if node.kind == "orchestrator" and _links(session, node) else "generated"

    def _keep(self, session: Session, attempt: int, written: Written, how: str) -> NodeCode:
        event = {"attempt": attempt, "code": written.code, "how": how, "notes": written.notes}
        session.journal.emit(CodeWritten.model_validate(event))
        return written.code


def _links(session: Session, node: Node) -> bool:
    """Return whether the root is pure linking that a weak backbone should not be asked for (core.linking)."""
    return session.weak and node.id == ROOT and session.task.entry.kind == "function"
