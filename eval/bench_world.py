"""Generated plans with code, findings and a failing check, of any size, for benchmarks of the core.

Shape: a root, branches of ten leaves, each leaf one function that calls its providers. Within a branch the leaves form
a chain with a side input from three leaves before; each branch takes the result of the one before. So the slot graph
is as deep as the plan is large, and the last branch feeds the failing observable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from auditcoder.core.assembly import assemble
from auditcoder.core.case import LocateInputs
from auditcoder.core.versions import Active, versions_of
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, RecordedCall, Recording
from auditcoder.records.finding import EvidenceKind, Finding, Obligation, Verdict, Versions
from auditcoder.records.graph import (
    ROOT,
    TASK,
    Contract,
    Node,
    PlanningDecision,
    Predicate,
    Provider,
    Slot,
    TaskGraph,
)
from auditcoder.records.localization import Policy
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Parameter,
    Task,
)

BRANCH = 10
"""Leaves of a branch."""
ANCHOR = "Q1"
_STALE = Versions(code="old", contract="old")


class World(NamedTuple):
    """A plan with its program and the evidence on one failing check."""

    active: Active
    report: ExecutionReport
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    recording: Recording

    def inputs(self, policy: Policy) -> LocateInputs:
        """Return what a localization reads."""
        active, report, checks, findings, recording = self
        return LocateInputs(
            active=active, report=report, checks=checks, findings=findings, recording=recording, policy=policy
        )


def make_world(nodes: int, findings: int) -> World:
    """Return a plan of about `nodes` nodes with `findings` findings; same sizes, same world."""
    graph = _graph(max(1, round((nodes - 1) / (BRANCH + 1))))
    codes = {node.id: _code(node, graph) for node in graph.owners}
    active = Active(graph, codes, assemble(graph, codes, _TASK))
    report = ExecutionReport(
        program=active.assembly.digest, results=(CheckResult(check=ANCHOR, outcome="wrong-answer"),)
    )
    leaves = [node.id for node in graph.nodes if node.kind == "leaf"]
    calls = tuple(RecordedCall(unit=_function(leaf), args=(1, 2), result=3) for leaf in leaves)
    check = Check(id=ANCHOR, input=FunctionInput(args=(1, 2)), expected=Expected(value=4, has_value=True))
    return World(
        active, report, (check,), tuple(_findings(active, leaves, findings)), Recording(check=ANCHOR, calls=calls)
    )


_TASK = Task(
    id="benchmark",
    statement="Add.",
    entry=EntryPoint(
        kind="function",
        name="solve",
        signature=FunctionSignature(name="solve", parameters=(Parameter(name="x"), Parameter(name="y"))),
    ),
)


def _function(node: str) -> str:
    return f"step_{node.lower()}"


def _graph(branches: int) -> TaskGraph:
    nodes: list[Node] = []
    before = ""
    for number in range(1, branches + 1):
        branch = f"S{number}"
        leaves = [_leaf(branch, index, before) for index in range(1, BRANCH + 1)]
        nodes += [_branch(branch, before), *leaves]
        before = branch
    root = _node(ROOT, "", "orchestrator", [("x", TASK, "x"), ("y", TASK, "y"), ("last", before, "out")], "solve")
    root = root.model_copy(update={"outputs": (Slot(name="result"),)})
    decisions = tuple(
        PlanningDecision(id=f"D{number}", node=f"S{number}", statement="s") for number in range(1, branches + 1)
    )
    order = tuple(node.id for node in nodes if node.kind == "leaf")
    return TaskGraph(nodes=(root, *nodes), order=order, decisions=decisions)


def _branch(name: str, before: str) -> Node:
    node, slot = (before, "out") if before else (TASK, "x")
    return _node(name, ROOT, "orchestrator", [("x", node, slot)], _function(name))


def _leaf(branch: str, index: int, before: str) -> Node:
    """The first leaf takes the branch's own input; the last gives what the branch hands on."""
    first = (branch, "x") if index == 1 else (f"{branch}_S{index - 1}", "out")
    side = (branch, "x") if index <= 3 else (f"{branch}_S{index - 3}", "out")
    name = f"{branch}_S{index}"
    return _node(name, branch, "leaf", [("x", first[0], first[1]), ("y", side[0], side[1])], _function(name))


def _node(name: str, parent: str, kind: str, inputs: list[tuple[str, str, str]], function: str) -> Node:
    names = [slot for slot, _, _ in inputs if slot in ("x", "y")]
    signature = FunctionSignature(name=function, parameters=tuple(Parameter(name=slot) for slot in names))
    return Node.model_validate(
        {
            "id": name,
            "parent": parent,
            "goal": "Add.",
            "executor": "simulation",
            "kind": kind,
            "contract": Contract(
                signatures=(signature,), postconditions=(Predicate(id="goal", text="a sum", slots=("out",)),)
            ),
            "inputs": tuple(Slot(name=slot) for slot, _, _ in inputs),
            "outputs": (Slot(name="out"),),
            "provenance": tuple(Provider(slot=slot, node=node, output=output) for slot, node, output in inputs),
        }
    )


def _code(node: Node, graph: TaskGraph) -> NodeCode:
    signature = node.contract.signatures[0]
    children = [child for child in graph.nodes if child.parent == node.id]
    source = f"def {signature.render()}:\n" + "".join(f"    {line}\n" for line in _body(node, children))
    return NodeCode(node=node.id, source=source, digest=sha256_text(source))


def _body(node: Node, children: list[Node]) -> Iterator[str]:
    """An orchestrator calls its children in order; a leaf adds."""
    if not children:
        yield "return x + y"
        return
    names = {provider.slot: provider.slot for provider in node.provenance}
    values: dict[tuple[str, str], str] = {(node.id, name): name for name in names}
    last = "x"
    for number, child in enumerate(children, start=1):
        given = [values.get((p.node, p.output), "x") for p in child.provenance if p.slot in ("x", "y")]
        last = f"v{number}"
        values[child.id, "out"] = last
        yield f"{last} = {child.contract.signatures[0].name}({', '.join(given)})"
    yield f"return {last}"


def _findings(active: Active, leaves: list[str], count: int) -> Iterator[Finding]:
    """A chain of executed interface violations in the last branch, seen in the failing run, among everything else.

    Of ten findings three are executed accepts, two are stale, one is about time, three are judged under a condition
    (which no recorded call satisfies) and one is judged without one.
    """
    made = {leaf: versions_of(active.graph, active.codes, leaf) for leaf in leaves}
    chain = leaves[-BRANCH:][:3]
    for number in range(1, count + 1):
        leaf = leaves[(number * 7919) % len(leaves)]
        if number <= 2:
            provider, consumer = chain[number - 1 : number + 1]
            slots = Obligation(kind="interface", slot="x", provider=provider, consumer=consumer)
            yield _finding(number, (provider, consumer), "reject", slots, "exec", made, check=ANCHOR, witness=number)
        elif number % 10 < 3:
            yield _finding(number, (leaf,), "accept", _GOAL, "exec", made, check=f"Q{number % 5 + 2}", witness=number)
        elif number % 10 < 5:
            yield _finding(number, (leaf,), "reject", _GOAL, "judg", {leaf: _STALE})
        elif number % 10 == 5:
            yield _finding(number, (leaf,), "reject", Obligation(kind="resource"), "judg", made)
        elif number % 10 < 9:
            yield _finding(number, (leaf,), "reject", _GOAL, "judg", made, condition=f"x > {number}")
        else:
            yield _finding(number, (leaf,), "reject", _GOAL, "judg", made)


_GOAL = Obligation(kind="semantic", predicate="goal", slot="out")


def _finding(
    number: int,
    owners: tuple[str, ...],
    verdict: Verdict,
    obligation: Obligation,
    evidence: EvidenceKind,
    made: dict[str, Versions],
    *,
    check: str = "",
    condition: str = "",
    witness: int | None = None,
) -> Finding:
    return Finding(
        id=f"F{number}",
        owners=owners,
        verdict=verdict,
        obligation=obligation,
        evidence=evidence,
        versions=tuple(made[owner] for owner in owners),
        check=check,
        condition=condition,
        witness=witness,
    )
