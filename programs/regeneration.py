"""New code for the nodes of a final scope, in writing order: the scope's own, then the declared call sites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from auditcoder.core.answers import Written
from auditcoder.core.graph import in_writing_order, subtree
from auditcoder.core.linking import is_linked, linked_branch, linked_root
from auditcoder.core.no_candidate import SAME_CODE, is_lone, no_code
from auditcoder.core.transaction import OpenTransaction
from auditcoder.programs.ask import Sampling
from auditcoder.programs.investigation import Evidence
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import NodeGenerator
from auditcoder.programs.orchestrator import Orchestrator
from auditcoder.programs.regenerator import RESAMPLE_TEMPERATURE, Regenerator
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.writing import write_node
from auditcoder.records.code import NodeCode
from auditcoder.records.events import CodeWritten
from auditcoder.records.graph import ROOT, Node

RESAMPLES = 1000
"""Apart from all round numbers, so that no round repeats the sample of another one."""
FRESH = 2 * RESAMPLES
"""Where the seeds of fresh samples begin, apart from those of corrections."""
How = Literal["generated", "regenerated", "computed"]


class Rewritten(NamedTuple):
    """The codes of the candidate, or why there is none."""

    codes: Mapping[str, NodeCode]
    refused: str = ""


class _Work(NamedTuple):
    session: Session
    active: Candidate
    opened: OpenTransaction
    evidence: Evidence


class Regeneration(TypedModule["Rewritten"]):
    """Writes the nodes of a final scope under the plan as declared; everything else keeps its code."""

    def __init__(self, regenerator: Regenerator, generator: NodeGenerator, orchestrator: Orchestrator) -> None:
        super().__init__()
        self.regenerator, self.generator, self.orchestrator = regenerator, generator, orchestrator

    def forward(self, session: Session, active: Candidate, opened: OpenTransaction, evidence: Evidence) -> Rewritten:
        """Return the codes of every owner of the declared plan; what was written is recorded.

        Raises:
            BackboneError: a backbone cannot be used at all.
        """
        work = _Work(session, active, opened, evidence)
        old = opened.state.code_map
        codes = {node.id: old[node.id] for node in opened.graph.owners if node.id in old}
        for node in _rewritten(opened):
            written, how = self._write(work, node)
            if written is None:
                return Rewritten({}, no_code(opened.scope, node.id))
            if node.id in old and written.code.digest == old[node.id].digest:
                continue
            codes[node.id] = written.code
            event = CodeWritten(attempt=active.attempt, code=written.code, how=how, notes=written.notes)
            session.journal.emit(event)
        return Rewritten({}, SAME_CODE) if codes == old else Rewritten(codes)

    def _write(self, work: _Work, node: Node) -> tuple[Written | None, How]:
        opened, task, fresh = work.opened, work.session.task, work.evidence.blind
        if opened.scope.action == "replan" and node.id in subtree(opened.graph, opened.scope.branch):
            return self._plan_anew(work, node, fresh_draws(work.session, opened.index)[0] if fresh else None)
        if node.id not in opened.scope.nodes:
            source = opened.state.code_map[node.id].source
            if is_linked(task, opened.state.graph, node, source):
                return self._link(work, node), "computed"
            return self._rewrite(work, node, _followed(opened, node)), "regenerated"
        if fresh:
            return self._sample(work, node), "generated"
        return self._rewrite(work, node, work.evidence.text(work.session, work.active, node)), "regenerated"

    def _plan_anew(self, work: _Work, node: Node, sampling: Sampling | None) -> tuple[Written | None, How]:
        if node.kind != "leaf" and node.contract.signatures:
            return self._link(work, node), "computed"
        return self._generate(work, node, sampling), "generated"

    def _sample(self, work: _Work, node: Node) -> Written | None:
        """Return code that was written as if for the first time; one that repeats the old is drawn once more."""
        opened = work.opened
        first, second = fresh_draws(work.session, opened.index)
        written = self._generate(work, node, first)
        old = opened.state.code_map[node.id].digest
        if written is not None and written.code.digest == old and is_lone(opened.scope):
            written = self._generate(work, node, second)
        return written

    def _generate(self, work: _Work, node: Node, sampling: Sampling | None) -> Written | None:
        task, graph = work.session.task, work.opened.graph

        def ask(refused: str) -> str:
            if node.kind == "leaf":
                return self.generator(task, node, refused, sampling)
            return self.orchestrator(task, graph, node.id, refused, sampling)

        return write_node(work.session, graph, node, ask)

    def _link(self, work: _Work, node: Node) -> Written | None:
        task, graph = work.session.task, work.opened.graph
        source = linked_root(task, graph) if node.id == ROOT else linked_branch(graph, node)
        return write_node(work.session, graph, node, lambda refused: source)

    def _rewrite(self, work: _Work, node: Node, evidence: str) -> Written | None:
        """Return new code; an answer that repeats the old one is asked for once more, sampled differently."""
        session, opened = work.session, work.opened
        old, seeds = opened.state.code_map[node.id], seeds_of(session, opened.index)

        def ask(refused: str) -> str:
            note = f"\nAn earlier answer was refused: {refused}" if refused else ""
            return self.regenerator(session.task, node, old.source, evidence + note, seeds[0])

        written = write_node(session, opened.graph, node, ask)
        if written is not None and written.code.digest == old.digest and is_lone(opened.scope):
            seeds.pop(0)
            written = write_node(session, opened.graph, node, ask)
        return written


def seeds_of(session: Session, index: int) -> list[int | None]:
    """Return the seed of a round's answer, then that of a second one; the first round begins without sampling.

    After a rollback the evidence is the same again, so later rounds are sampled from the start.
    """
    sampled = session.config.seed + index + 1
    return [None, sampled] if index == 0 else [sampled, sampled + RESAMPLES]


def fresh_draws(session: Session, index: int) -> tuple[Sampling, Sampling]:
    """Return the sampling of a round's fresh draw, then that of a second one."""
    seed = session.config.seed + FRESH + index + 1
    first: Sampling = {"temperature": RESAMPLE_TEMPERATURE, "seed": seed}
    return first, {**first, "seed": seed + RESAMPLES}


def _rewritten(opened: OpenTransaction) -> tuple[Node, ...]:
    """Return the nodes to write, providers first; of a replanned branch all that the new plan has there."""
    scope = opened.scope
    inside = subtree(opened.graph, scope.branch) if scope.action == "replan" else scope.nodes
    named = {*inside, *(expansion.owner for expansion in scope.expansions)}
    return tuple(node for node in in_writing_order(opened.graph) if node.id in named)


def _followed(opened: OpenTransaction, node: Node) -> str:
    """Return the evidence that the owner of a call site is shown: what changed, and what alone may change here."""
    own = [expansion for expansion in opened.scope.expansions if expansion.owner == node.id]
    reasons = [f"- `{expansion.unit}`: {expansion.reason}" for expansion in own]
    heads = [
        f"- def {signature.render()}:"
        for inner in opened.graph.nodes
        if inner.id in opened.scope.nodes
        for signature in inner.contract.signatures
    ]
    return "\n".join(("Only these may change, everything else must stay exactly as it is:", *reasons,
                      "The functions are from now on:", *heads))  # fmt: skip
