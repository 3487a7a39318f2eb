"""Executable local checks of a node: what can be run, the excerpt that runs, and what the results say."""

from __future__ import annotations

import pytest

from auditcoder.core.assembly import assemble
from auditcoder.core.local_checks import (
    checked_nodes,
    excerpt,
    executable_checks,
    findings_from_local_checks,
    local_entry,
)
from auditcoder.core.obligations import WHOLE_CONTRACT
from auditcoder.core.versions import Active, is_current
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame, Outcome
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TASK, Contract, LocalCheck, Node, Provider, Slot, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionInput, FunctionSignature, Limits, Parameter, Task
from auditcoder.records.values import decode
from auditcoder.sandbox.executor import SandboxExecutor

INT = FunctionSignature(name="total", parameters=(Parameter(name="n", type="int"),), returns="int")
PRELUDE = "import math\n\nUNIT = 2\n\ndef scaled(x):\n    return x * UNIT\n"
SOURCES = {
    "S1": "import json\n\nBASE = 1\n\ndef first(n):\n    return scaled(n) + BASE\n",
    "S2": 'def second(a):\n    """Text\n\n    over a blank line."""\n    return shared(a) - 1\n',
    "S3": "def third(n):\n    return n // 0\n",
    "S4": "def shared(a):\n    return a * 10\n",
    "S0": "def total(n):\n    return second(first(n)) + third(n)\n",
}


def checks(*pairs: tuple[int, int]) -> tuple[LocalCheck, ...]:
    prose = LocalCheck(id="L1", text="keeps its contract")
    made = (
        LocalCheck(id=f"L{n}", text="one call", args=(a,), expected=b, has_expected=True, derivation="confirmed")
        for n, (a, b) in enumerate(pairs, start=2)
    )
    return (prose, *made)


def node(name: str, function: str, parameter: str, provider: str, *local: LocalCheck, parent: str = "S0") -> Node:
    return Node(
        id=name,
        parent=parent,
        goal=name,
        executor="simulation" if name != "S0" else "orchestration",
        kind="leaf" if name != "S0" else "orchestrator",
        contract=Contract(
            signatures=(FunctionSignature(name=function, parameters=(Parameter(name=parameter),)),)
        ),
        inputs=(Slot(name=parameter),),
        outputs=(Slot(name=f"out_{function}"),),
        provenance=(Provider(slot=parameter, node=provider, output=parameter if provider == TASK else "out_first"),),
        depends_on=() if provider == TASK else (provider,),
        local_checks=local,
    )  # fmt: skip


NODES = (
    node("S0", "total", "n", TASK, *checks((1, 1)), parent=""),
    node("S1", "first", "n", TASK, *checks((3, 7), (4, 0))),
    node("S2", "second", "a", "S1", *checks((2, 19))),
    node("S3", "third", "n", TASK, *checks((1, 1))),
    node("S4", "shared", "a", TASK),
)
TASK_RECORD = Task(
    id="t", statement="s", entry=EntryPoint(kind="function", name="total", signature=INT), prelude=PRELUDE
)


def program(*nodes: Node, **sources: str) -> Active:
    given = nodes or NODES
    graph = TaskGraph(nodes=given, order=tuple(each.id for each in given if each.kind == "leaf"))
    texts = {**SOURCES, **sources}
    codes = {
        each.id: NodeCode(node=each.id, source=texts[each.id], digest=sha256_text(texts[each.id])) for each in given
    }
    return Active(graph, codes, assemble(graph, codes, TASK_RECORD))


def test_checks_with_a_value_can_be_run_and_carry_the_nodes_id() -> None:
    active = program()
    found = executable_checks(active.graph.node("S1"), active.assembly)
    assert [(check.id, check.origin, check.input, check.expected.value, check.note) for check in found] == [
        ("S1:L2", "internal", FunctionInput(args=(3,)), 7, "confirmed"),
        ("S1:L3", "internal", FunctionInput(args=(4,)), 0, "confirmed"),
    ]
    assert executable_checks(active.graph.node("S4"), active.assembly) == ()
    assert [each.id for each in checked_nodes(active)] == ["S0", "S1", "S2", "S3"]
    entry = local_entry(active.graph.node("S1"), active.assembly)
    assert entry is not None
    assert (entry.kind, entry.name) == ("function", "first")


def test_other_arities_and_other_than_single_functions_cannot_be_run() -> None:
    active = program()
    one = active.graph.node("S1")
    wide = one.model_copy(update={"local_checks": (one.local_checks[1].model_copy(update={"args": (1, 2)}),)})
    assert executable_checks(wide, active.assembly) == ()
    two = one.model_copy(update={"contract": Contract(signatures=(*one.contract.signatures, INT))})
    method = one.model_copy(update={"contract": Contract(signatures=(FunctionSignature(name="absent"),))})
    for other in (two, method):
        assert local_entry(other, active.assembly) is None
        assert executable_checks(other, active.assembly) == ()


KEPT: dict[str, tuple[str, tuple[str, ...]]] = {
    "alone": ("S1", ("S1",)),
    "provider-and-what-it-calls": ("S2", ("S1", "S2", "S4")),
    "nothing-else": ("S3", ("S3",)),
    "root-with-all-that-it-calls": ("S0", ("S0", "S1", "S2", "S3", "S4")),
}


@pytest.mark.parametrize(("name", "owners"), KEPT.values(), ids=KEPT.keys())
def test_an_excerpt_keeps_lines_in_place_and_only_what_the_node_needs(name: str, owners: tuple[str, ...]) -> None:
    active = program()
    found = excerpt(active.assembly, active.graph, name)
    assert found.owners == owners
    assert found.digest == sha256_text(found.program)
    whole, part = active.assembly.program.split("\n"), found.program.split("\n")
    assert len(whole) == len(part)
    compile(found.program, "<excerpt>", "exec")
    for number, (before, after) in enumerate(zip(whole, part, strict=True), start=1):
        owner = active.assembly.owner_of_line(number)
        shared = number <= whole.index("    return x * UNIT") + 1
        assert after == (before if owner is not None and (shared or owner.owner in owners) else "")


def test_what_starts_the_program_is_never_kept() -> None:
    task = Task(id="t", statement="s", entry=EntryPoint(kind="program"))
    root = NODES[0].model_copy(update={"contract": Contract(), "provenance": (), "depends_on": ("S3",)})
    graph = TaskGraph(nodes=(root, NODES[3]), order=("S3",))
    texts = {"S0": "def main():\n    print(third(1))\n\nmain()\n", "S3": SOURCES["S3"]}
    codes = {name: NodeCode(node=name, source=text, digest=sha256_text(text)) for name, text in texts.items()}
    assembly = assemble(graph, codes, task)
    assert "\nmain()\n" in assembly.program
    for name in ("S0", "S3"):
        assert "\nmain()\n" not in excerpt(assembly, graph, name).program
    assert "def main" in excerpt(assembly, graph, "S0").program


def test_run_in_the_sandbox_only_the_nodes_own_code_is_judged(executor: SandboxExecutor) -> None:
    active = program()
    made: list[Finding] = []
    for each in checked_nodes(active):
        part = excerpt(active.assembly, active.graph, each.id)
        entry = local_entry(each, active.assembly)
        assert entry is not None
        report = executor.run(part.program, entry, executable_checks(each, active.assembly), Limits())
        assert report.program == part.digest
        made += findings_from_local_checks(active, each.id, report, start=len(made))
    assert [(f.id, f.owners, f.check, f.verdict, f.obligation.slot) for f in made] == [
        ("F1", ("S1",), "S1:L2", "accept", "out_first"),
        ("F2", ("S1",), "S1:L3", "reject", "out_first"),
        ("F3", ("S2",), "S2:L2", "accept", "out_second"),
        ("F4", ("S3",), "S3:L2", "reject", "out_third"),
    ]  # the root's check dies in S3: no finding on the root
    assert all(is_current(f, active.graph, active.codes) for f in made)
    assert decode(made[1].witness) == {"outcome": "wrong-answer", "detail": "", "observed": "9"}


def line_of(active: Active, text: str) -> int:
    return active.assembly.program.split("\n").index(text) + 1


def reported(active: Active, name: str, outcome: Outcome, *lines: str) -> list[str]:
    frames = tuple(Frame(line=line_of(active, line), function="f") for line in lines)
    result = CheckResult(check=f"{name}:L2", outcome=outcome, frames=frames)
    found = findings_from_local_checks(active, name, ExecutionReport(program="d", results=(result,)), start=0)
    return [f"{f.verdict} {f.obligation.kind} {f.obligation.predicate}".strip() for f in found]


OWN, PROVIDER = "    return shared(a) - 1", "    return a * 10"
RESULTS: dict[str, tuple[str, Outcome, tuple[str, ...], list[str]]] = {
    "pass": ("S2", "pass", (), [f"accept semantic {WHOLE_CONTRACT}"]),
    "wrong": ("S2", "wrong-answer", (), [f"reject semantic {WHOLE_CONTRACT}"]),
    "output-limit": ("S2", "output-limit", (), [f"reject semantic {WHOLE_CONTRACT}"]),
    "error-in-own-code": ("S2", "runtime-error", (OWN,), [f"reject semantic {WHOLE_CONTRACT}"]),
    "error-in-a-provider": ("S2", "runtime-error", (OWN, PROVIDER), []),
    "error-in-the-prelude": ("S1", "runtime-error", ("    return scaled(n) + BASE", "    return x * UNIT"), []),
    "error-in-the-imports": ("S1", "runtime-error", ("import json",), []),
    "error-without-frames-among-others": ("S2", "runtime-error", (), []),
    "error-without-frames-alone": ("S1", "runtime-error", (), [f"reject semantic {WHOLE_CONTRACT}"]),
    "timeout": ("S2", "timeout", (), ["reject resource"]),
    "memory": ("S2", "memory", (), ["reject resource"]),
    "timeout-in-a-provider": ("S2", "timeout", (OWN, PROVIDER), []),
    "refused-by-the-gate": ("S1", "policy-reject", (), []),
    "sandbox-failure": ("S1", "harness-error", (), []),
}


@pytest.mark.parametrize(("name", "outcome", "lines", "expected"), RESULTS.values(), ids=RESULTS.keys())
def test_what_a_result_says(name: str, outcome: Outcome, lines: tuple[str, ...], expected: list[str]) -> None:
    assert reported(program(), name, outcome, *lines) == expected


def test_results_of_unknown_checks_say_nothing() -> None:
    report = ExecutionReport(program="d", results=(CheckResult(check="S2:L2", outcome="pass"),))
    assert findings_from_local_checks(program(), "S1", report, start=0) == ()


@pytest.mark.parametrize("observed", ["x" * 9000, {"t": "int", "v": hex(10**5000)}, {"t": "set", "v": [[1]]}, "\ud800"])
def test_no_observed_value_makes_the_witness_fail_or_grow(observed: object) -> None:
    result = CheckResult(check="S1:L2", outcome="wrong-answer").model_copy(
        update={"observed": observed, "has_observed": True}
    )
    (found,) = findings_from_local_checks(program(), "S1", ExecutionReport(program="d", results=(result,)), start=0)
    assert len(decode(found.witness)["observed"]) <= 400
