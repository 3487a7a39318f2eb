"""The whole deterministic path on a program with one owner: evidence, localization, scope, border."""

from __future__ import annotations

import pytest

from auditcoder.core.assembly import assemble
from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.case import LocateInputs
from auditcoder.core.evidence import findings_from_checks
from auditcoder.core.locate import locate
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.scope import select_scope
from auditcoder.core.state import RunState, in_node_order
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame, Outcome
from auditcoder.records.localization import Policy
from auditcoder.records.task import (
    Check,
    EntryKind,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Parameter,
    Task,
    checks_hash,
)
from auditcoder.sandbox.predicates import MeteredEvaluator

PUT = FunctionSignature(name="put", parameters=(Parameter(name="x"),))
ENTRIES: dict[EntryKind, tuple[EntryPoint, str]] = {
    "function": (
        EntryPoint(kind="function", name="f", signature=FunctionSignature(name="f", parameters=(Parameter(name="x"),))),
        "import math\n\nLIMIT = 3\n\n\ndef f(x):\n    return math.floor(x) + LIMIT\n",
    ),
    "class": (
        EntryPoint(kind="class", name="Box", methods=(PUT,)),
        "class Box:\n    def put(self, x):\n        return x\n",
    ),
    "program": (EntryPoint(kind="program"), "import sys\n\n\ndef main():\n    print(sys.stdin.read())\n"),
    "script": (EntryPoint(kind="script", outputs=("out.txt",)), "def main():\n    open('out.txt', 'w').write('1')\n"),
}  # fmt: skip
CHECKS = tuple(Check(id=f"E{i}", input=FunctionInput(), expected=Expected(has_value=True)) for i in range(3))


def state(kind: EntryKind, outcome: Outcome, frames: tuple[int, ...] = ()) -> RunState:
    entry, source = ENTRIES[kind]
    graph = single_owner_graph(Task(id="t", statement="s", entry=entry))
    codes = {"S0": NodeCode(node="S0", source=source, digest=sha256_text(source))}
    assembly = assemble(graph, codes, Task(id="t", statement="s", entry=entry))
    lines = tuple(Frame(line=line, function="f") for line in frames)
    results = (
        CheckResult(check="E0", outcome="pass"),
        CheckResult(check="E1", outcome=outcome, frames=lines),
        CheckResult(check="E2", outcome="wrong-answer"),
    )
    return RunState(
        graph=graph,
        codes=in_node_order(codes),
        assembly=assembly,
        report=ExecutionReport(program=assembly.digest, results=results),
        checks_hash=checks_hash(CHECKS),
    )


def inputs(given: RunState, policy: Policy = "executed-first") -> LocateInputs:
    findings = findings_from_checks(given, CHECKS, start=0)
    return LocateInputs(active=given.active, report=given.report, checks=CHECKS, findings=findings, policy=policy)


@pytest.mark.parametrize("policy", ["paper", "executed-first"])
@pytest.mark.parametrize("outcome", ["wrong-answer", "runtime-error", "timeout", "memory", "output-limit"])
@pytest.mark.parametrize("kind", ENTRIES)
def test_the_owner_of_the_whole_program_answers_for_every_failure(
    kind: EntryKind, outcome: Outcome, policy: Policy
) -> None:
    given = state(kind, outcome)
    found = locate(inputs(given, policy), MeteredEvaluator())
    assert (found.anchor, found.rule, found.implicated) == ("E1", "Local", ("S0",))
    assert (found.defect, found.grade) == ("Impl", "medium")
    assert [(item.finding, item.applicability) for item in found.supporting] == [("F2", "observed")]
    scope = select_scope(found, given.graph, given.assembly, ())
    assert scope.units == tuple(unit.name for unit in given.assembly.units)
    assert frozen_complement(given.assembly, scope) == ()
    assert border_violations(given.assembly, state("function", "pass").assembly, scope) == ()


def test_a_frame_makes_it_high() -> None:
    found = locate(inputs(state("function", "runtime-error", (7,))), MeteredEvaluator())
    assert (found.rule, found.implicated, found.grade) == ("Trace", ("S0",), "high")
    assert [item.finding for item in found.supporting] == ["F2", "F3"]


def test_a_sandbox_failure_is_nobodys_fault() -> None:
    found = locate(inputs(state("function", "harness-error")), MeteredEvaluator())
    assert (found.abstained, found.implicated) == ("harness-error", ())
