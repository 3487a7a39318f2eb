"""Localization does not depend on order, names or chance; whatever it answers can be recomputed and accounted for."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.core.case import LocateInputs
from auditcoder.core.locate import locate
from auditcoder.core.versions import Active, Codes, versions_of
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame, Outcome, RecordedCall, Recording
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Contract, Node, PlanningDecision, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Localization
from auditcoder.records.task import Check, Expected, FunctionSignature, Parameter, ProgramInput
from auditcoder.sandbox.predicates import MeteredEvaluator

NODES = ("S0", "S1", "S2", "S3")
PROVIDERS = {"S0": "S3", "S1": "task", "S2": "S1", "S3": "S2"}
CHECKS = tuple(Check(id=f"Q{i}", input=ProgramInput(stdin=""), expected=Expected(stdout="1")) for i in (1, 2))

OUTCOMES: tuple[Outcome, ...] = ("wrong-answer", "runtime-error", "timeout", "memory")


def node(name: str) -> Node:
    signature = FunctionSignature(name=f"f{name}", parameters=(Parameter(name="x"),))
    return Node(
        id=name,
        parent="" if name == "S0" else "S0",
        goal="g",
        executor="simulation",
        kind="orchestrator" if name == "S0" else "leaf",
        contract=Contract(signatures=(signature,), postconditions=(Predicate(id="goal", text="g", slots=("out",)),)),
        inputs=(Slot(name="in"),),
        outputs=(Slot(name="out"),),
        provenance=(Provider(slot="in", node=PROVIDERS[name], output="out"),),
    )


GRAPH = TaskGraph(
    nodes=tuple(node(name) for name in NODES),
    order=NODES[1:],
    decisions=(
        PlanningDecision(id="D1", node="S0", statement="s"),
        PlanningDecision(id="D2", node="S2", statement="s"),
    ),
)
CODES: Codes = {name: NodeCode(node=name, source=name, digest=sha256_text(name)) for name in NODES}
UNITS = tuple(CodeUnit(name=f"f{n}", kind="function", owner=n, text=n, digest=sha256_text(n)) for n in NODES)
LINES = tuple(LineOwner(first=i + 1, last=i + 1, unit=u.name, owner=u.owner) for i, u in enumerate(UNITS))
ACTIVE = Active(GRAPH, CODES, Assembly(program="p", digest="d", units=UNITS, lines=LINES))

owners = st.lists(st.sampled_from(NODES), min_size=1, max_size=2, unique=True).map(tuple)
obligations = st.one_of(
    st.sampled_from(["goal", "contract", "nothing"]).map(lambda p: Obligation(kind="semantic", predicate=p)),
    st.sampled_from(["D1", "D2", "D9"]).map(lambda d: Obligation(kind="commitment", decision=d)),
    st.sampled_from([("S1", "S2"), ("S2", "S3"), ("S3", "S1")]).map(
        lambda pair: Obligation(kind="interface", provider=pair[0], consumer=pair[1])
    ),
    st.just(Obligation(kind="resource")),
)


@st.composite
def findings(draw: st.DrawFn) -> tuple[Finding, ...]:
    found = []
    for number in range(1, draw(st.integers(0, 6)) + 1):
        names = draw(owners)
        fresh = draw(st.sampled_from([True, True, True, False]))
        found.append(
            Finding(
                id=f"F{number}",
                owners=names,
                verdict=draw(st.sampled_from(["reject", "reject", "reject", "accept"])),
                obligation=draw(obligations),
                evidence=draw(st.sampled_from(["exec", "judg"])),
                versions=tuple(versions_of(GRAPH, CODES if fresh else {}, name) for name in names),
                check=draw(st.sampled_from(["", "Q1", "Q2"])),
                condition=draw(st.sampled_from(["", "x > 0", "x > 5", "y", "no python"])),
                witness=draw(st.sampled_from([None, 1])),
            )
        )
    return tuple(found)


@st.composite
def worlds(draw: st.DrawFn) -> LocateInputs:
    outcome = draw(st.sampled_from(OUTCOMES))
    frames = tuple(Frame(line=line, function="f") for line in draw(st.lists(st.integers(1, 9), max_size=2)))
    calls = tuple(
        RecordedCall(unit=f"f{name}", args=(value,))
        for name, value in draw(st.lists(st.tuples(st.sampled_from(NODES), st.integers(0, 9)), max_size=4))
    )
    return LocateInputs(
        active=ACTIVE,
        report=ExecutionReport(
            program="d",
            results=(
                CheckResult(check="Q1", outcome=outcome, frames=frames),
                CheckResult(check="Q2", outcome="wrong-answer"),
            ),
        ),
        checks=CHECKS,
        findings=draw(findings()),
        recording=draw(st.one_of(st.none(), st.just(Recording(check="Q1", calls=calls, complete=True)))),
        policy=draw(st.sampled_from(["paper", "executed-first"])),
        evidence=draw(st.sampled_from(["anchor", "all-checks"])),
    )


def run(inputs: LocateInputs) -> Localization:
    return locate(inputs, MeteredEvaluator())


def changed(inputs: LocateInputs, **fields: Any) -> LocateInputs:
    return LocateInputs(**{**vars(inputs), **fields})


@settings(max_examples=150, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(inputs: LocateInputs, random: Any) -> None:
    shuffled = list(inputs.findings)
    random.shuffle(shuffled)
    assert run(changed(inputs, findings=tuple(shuffled))) == run(inputs)


@settings(max_examples=150, deadline=None)
@given(worlds(), st.permutations(range(1, 7)))
def test_ids_of_findings_do_not_matter(inputs: LocateInputs, numbers: list[int]) -> None:
    names = {f"F{i}": f"F{number * 7}" for i, number in enumerate(numbers, start=1)}
    renamed = tuple(item.model_copy(update={"id": names[item.id]}) for item in inputs.findings)
    before, after = run(inputs), run(changed(inputs, findings=renamed))
    fixed = {"rule", "implicated", "defect", "grade", "failure", "anchor", "abstained", "notes"}
    assert after.model_dump(include=fixed) == before.model_dump(include=fixed)
    assert {(item.finding, item.applicability) for item in after.supporting} == {
        (names[item.finding], item.applicability) for item in before.supporting
    }
    assert {(item.finding, item.clause) for item in after.turned_away} == {
        (names[item.finding], item.clause) for item in before.turned_away
    }


@settings(max_examples=200, deadline=None)
@given(worlds())
def test_every_finding_is_used_or_turned_away_exactly_once(inputs: LocateInputs) -> None:
    found = run(inputs)
    named = [item.finding for item in found.supporting] + [item.finding for item in found.turned_away]
    assert sorted(named) == sorted(item.id for item in inputs.findings)
    assert all(item.reason for item in found.turned_away)


@settings(max_examples=200, deadline=None)
@given(worlds())
def test_a_localization_names_owners_or_abstains_never_both(inputs: LocateInputs) -> None:
    found = run(inputs)
    assert bool(found.implicated) != bool(found.abstained)
    assert (found.grade is None) == (found.defect is None) == (found.rule is None) == bool(found.abstained)
    by_id = {item.id: item for item in inputs.findings}
    supporters = [by_id[item.finding] for item in found.supporting]
    assert all(item.verdict == "reject" and set(item.owners) <= set(found.implicated) for item in supporters)
    if found.rule == "Local":
        assert {owner for item in supporters for owner in item.owners} == set(found.implicated)


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_findings_that_do_not_support_can_be_left_out(inputs: LocateInputs) -> None:
    """Competing explanations aside, what was turned away for a reason of its own has no part in the answer."""
    found = run(inputs)
    accepts = {item.id for item in inputs.findings if item.verdict == "accept"}  # they may contradict others
    idle = {item.finding for item in found.turned_away if item.clause not in ("preference", "coherence")} - accepts
    kept = tuple(item for item in inputs.findings if item.id not in idle)
    again = run(changed(inputs, findings=kept))
    assert (again.rule, again.implicated, again.defect, again.grade, again.supporting, again.abstained) == (
        found.rule, found.implicated, found.defect, found.grade, found.supporting, found.abstained,
    )  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(worlds(), st.permutations(range(1, 10)))
def test_ids_of_nodes_do_not_matter(inputs: LocateInputs, numbers: list[int]) -> None:
    names = {"S0": "S0", **{f"S{i}": f"S{numbers[i - 1]}" for i in (1, 2, 3)}}
    before, after = run(inputs), run(renamed_nodes(inputs, names))
    assert set(after.implicated) == {names[name] for name in before.implicated}
    fixed = {"rule", "defect", "grade", "failure", "anchor", "abstained", "supporting"}
    assert after.model_dump(include=fixed) == before.model_dump(include=fixed)
    assert [(item.finding, item.clause) for item in after.turned_away] == [
        (item.finding, item.clause) for item in before.turned_away
    ]


def renamed_nodes(inputs: LocateInputs, names: dict[str, str]) -> LocateInputs:
    """Return the same world under other node ids; function names stay, as they do in a program."""

    def node_renamed(item: Node) -> Node:
        sources = tuple(p.model_copy(update={"node": names.get(p.node, p.node)}) for p in item.provenance)
        above = names.get(item.parent, "")
        return item.model_copy(update={"id": names[item.id], "parent": above, "provenance": sources})

    def finding_renamed(item: Finding) -> Finding:
        ends = {side: names.get(getattr(item.obligation, side), "") for side in ("provider", "consumer")}
        fresh = item.versions[0] == versions_of(GRAPH, CODES, item.owners[0])
        new = tuple(names[owner] for owner in item.owners)
        return item.model_copy(
            update={
                "owners": new,
                "obligation": item.obligation.model_copy(update=ends),
                "versions": tuple(versions_of(graph, codes if fresh else {}, owner) for owner in new),
            }
        )

    graph = GRAPH.model_copy(
        update={
            "nodes": tuple(node_renamed(item) for item in GRAPH.nodes),
            "order": tuple(names[item] for item in GRAPH.order),
            "decisions": tuple(d.model_copy(update={"node": names[d.node]}) for d in GRAPH.decisions),
        }
    )
    codes = {names[name]: code.model_copy(update={"node": names[name]}) for name, code in CODES.items()}
    units = tuple(unit.model_copy(update={"owner": names[unit.owner]}) for unit in UNITS)
    lines = tuple(line.model_copy(update={"owner": names[line.owner]}) for line in LINES)
    active = Active(graph, codes, ACTIVE.assembly.model_copy(update={"units": units, "lines": lines}))
    return changed(inputs, active=active, findings=tuple(finding_renamed(item) for item in inputs.findings))
