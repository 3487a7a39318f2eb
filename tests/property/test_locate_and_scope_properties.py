"""Locate and SelectScope on generated plans: bounded, accounted for, and the same under other names and orders.

The plans are nested and often unsound; what is claimed holds for all of them. Branch support is compared with an oracle
that knows from the generator, not from the syntax tree, which unit uses which function.

Names: ids of nodes break ties in the *order* of what is recorded, and nowhere else. So under a renaming that keeps the
order the records are equal to the letter, and under any other renaming they are equal up to order. `S0` keeps its name,
because being the root is no accident of naming.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.core.abstention import Abstention
from auditcoder.core.branch import support
from auditcoder.core.case import LocateInputs
from auditcoder.core.graph import ancestors, subtree
from auditcoder.core.locate import locate
from auditcoder.core.naming import id_key
from auditcoder.core.scope import MOST_NODES, select_scope
from auditcoder.core.versions import Active, versions_of
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.execution import (
    CheckResult,
    ExecutionReport,
    Frame,
    Measurement,
    Outcome,
    RecordedCall,
    Recording,
    UnitCost,
)
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import ROOT, TASK, Contract, Node, PlanningDecision, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import Check, Expected, FunctionSignature, Parameter, ProgramInput
from auditcoder.sandbox.predicates import MeteredEvaluator

R = TypeVar("R", Localization, Scope)
CHECKS = tuple(Check(id=f"Q{i}", input=ProgramInput(stdin=""), expected=Expected(stdout="1")) for i in (1, 2))
USES = ("f(a)", "g = f", "print(*map(f, a))", "print(f'{f(a)}')", "[x for x in f(a)]", "f.cache = a")
LOOKALIKES = ("a.f(1)", "'f(a)'", "(lambda f: f)(a)", "[f for f in a]", "print(f=a)", "pass  # f(a)")
ID = re.compile(r"S\d+(?:_S\d+)*")


class Use(NamedTuple):
    """A line of a unit that names a function; `real` says whether it uses it."""

    owner: str
    function: str
    real: bool
    line: str


class World(NamedTuple):
    """A plan with code and evidence; findings are tied to the active versions unless `stale`."""

    nodes: tuple[Node, ...]
    functions: dict[str, str]
    """Function name of every node that owns code."""
    uses: tuple[Use, ...]
    decisions: tuple[PlanningDecision, ...]
    findings: tuple[Finding, ...]
    stale: frozenset[str]
    evidence: dict[str, Any]
    """Fields of `LocateInputs` that name no node."""

    @property
    def active(self) -> Active:
        texts = {name: self._text(name) for name in self.functions}
        units = tuple(
            CodeUnit(name=self.functions[name], kind="function", owner=name, text=text, digest=sha256_text(text))
            for name, text in texts.items()
        )
        lines = tuple(LineOwner(first=i, last=i, unit=u.name, owner=u.owner) for i, u in enumerate(units, start=1))
        codes = {name: NodeCode(node=name, source=text, digest=sha256_text(text)) for name, text in texts.items()}
        order = tuple(node.id for node in self.nodes if node.kind == "leaf")
        graph = TaskGraph(nodes=self.nodes, order=order, decisions=self.decisions)
        return Active(graph, codes, Assembly(program="p", digest="d", units=units, lines=lines))

    def _text(self, owner: str) -> str:
        lines = [use.line for use in self.uses if use.owner == owner]
        return f"def {self.functions[owner]}(a):\n" + "".join(f"    {line}\n" for line in [*lines, "return a"])

    @property
    def inputs(self) -> LocateInputs:
        active = self.active
        codes = {name: {} if name in self.stale else active.codes for name in (each.id for each in self.findings)}
        findings = tuple(
            each.model_copy(
                update={"versions": tuple(versions_of(active.graph, codes[each.id], owner) for owner in each.owners)}
            )
            for each in self.findings
        )
        return LocateInputs(active=active, findings=findings, checks=CHECKS, **self.evidence)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    parents = _tree(draw)
    names = list(parents)
    kinds = {name: _kind(draw, name, parents) for name in names}
    functions = {name: f"fn{i}" for i, name in enumerate(names) if kinds[name] != "structural"}
    nodes = tuple(_node(draw, name, parents, kinds, functions) for name in names)
    uses = _uses(draw, parents, functions)
    decisions = tuple(
        PlanningDecision(id=f"D{i}", node=draw(st.sampled_from(names)), statement="s") for i in range(1, 4)
    )
    findings = tuple(_finding(draw, number, nodes) for number in range(1, draw(st.integers(1, 5)) + 1))
    stale = frozenset(each.id for each in findings if draw(st.integers(0, 9)) == 0)
    return World(nodes, functions, uses, decisions, findings, stale, _evidence(draw, functions))


def _tree(draw: st.DrawFn) -> dict[str, str]:
    parents = {ROOT: ""}
    for _ in range(draw(st.integers(1, 6))):
        parent = draw(st.sampled_from(list(parents)))
        number = sum(each == parent for each in parents.values()) + 1
        parents[f"S{number}" if parent == ROOT else f"{parent}_S{number}"] = parent
    return parents


def _kind(draw: st.DrawFn, name: str, parents: dict[str, str]) -> str:
    if name not in parents.values():
        return "leaf"
    return "orchestrator" if name == ROOT else draw(st.sampled_from(["orchestrator", "orchestrator", "structural"]))


def _node(
    draw: st.DrawFn, name: str, parents: dict[str, str], kinds: dict[str, str], functions: dict[str, str]
) -> Node:
    """Values mostly come from the parent's inputs, from siblings and children; a few from anywhere."""
    near = [other for other in parents if name in (parents[other], other) or parents[other] == parents[name]]
    sources = [parents[name] or TASK, *near, draw(st.sampled_from([TASK, *parents]))]
    taken = [
        Provider(slot=slot, node=source, output="i1" if source in (parents[name], TASK) else draw(OUTPUT))
        for slot in ("i1", "i2")
        if (source := draw(st.sampled_from(sources))) != name
    ]
    below = [functions[other] for other in functions if other == name or parents[other] == name]
    promised = below[:1] if draw(st.integers(0, 6)) else []
    signatures = tuple(FunctionSignature(name=each, parameters=(Parameter(name="a"),)) for each in promised)
    return Node.model_validate(
        {
            "id": name,
            "parent": parents[name],
            "goal": "g",
            "executor": "simulation",
            "kind": kinds[name],
            "contract": Contract(
                signatures=signatures,
                preconditions=(Predicate(id="pre", text="", slots=("i1",)),),
                postconditions=(Predicate(id="post", text="", slots=("o",)),),
            ),
            "inputs": (Slot(name="i1"), Slot(name="i2")),
            "outputs": (Slot(name="o"),),
            "provenance": tuple(taken),
            "depends_on": draw(st.lists(st.sampled_from(near), max_size=1)) if draw(st.integers(0, 5)) == 0 else (),
        }
    )


OUTPUT = st.sampled_from(["o", "o", "o", "o", "hidden"])
OUTCOMES: tuple[Outcome, ...] = ("wrong-answer", "wrong-answer", "wrong-answer", "runtime-error", "timeout", "memory")
OUTCOME = st.sampled_from(OUTCOMES)


def _uses(draw: st.DrawFn, parents: dict[str, str], functions: dict[str, str]) -> tuple[Use, ...]:
    """An orchestrator mostly names its children."""
    found = []
    for owner in functions:
        near = [functions[other] for other in functions if parents[other] == owner]
        for _ in range(draw(st.integers(0, 2))):
            real = draw(st.booleans())
            far = not near or not real or draw(st.integers(0, 4)) == 0
            function = draw(st.sampled_from(list(functions.values()) if far else near))
            form = draw(st.sampled_from(USES if real else LOOKALIKES))
            found.append(Use(owner, function, real, re.sub(r"\bf\b(?!')", function, form)))
    return tuple(found)


def _finding(draw: st.DrawFn, number: int, nodes: tuple[Node, ...]) -> Finding:
    """Mostly about one of the first nodes, so that findings meet; interfaces are ones that the plan has."""
    node = nodes[min(draw(st.integers(0, len(nodes) - 1)) for _ in range(2))]
    owners = [node.id]
    kind = draw(st.sampled_from(["semantic", "interface", "interface", "commitment", "resource"]))
    obligation = Obligation(kind="semantic", predicate="post")
    if kind == "interface" and node.provenance:
        taken = draw(st.sampled_from(node.provenance))
        slot = draw(st.sampled_from([taken.slot, ""]))
        obligation = Obligation(kind="interface", provider=taken.node, consumer=node.id, slot=slot, predicate="pre")
        owners = [taken.node, node.id] if taken.node != TASK and draw(st.booleans()) else owners
    if kind == "commitment":
        obligation = Obligation(kind="commitment", decision=draw(st.sampled_from(["D1", "D2", "D3", "D9"])))
    if kind == "resource":
        obligation = Obligation(kind="resource")
    return Finding(
        id=f"F{number}",
        owners=tuple(owners),
        verdict=draw(st.sampled_from(["reject", "reject", "reject", "reject", "accept"])),
        obligation=obligation,
        evidence=draw(st.sampled_from(["exec", "judg"])),
        versions=(),
        check=draw(st.sampled_from(["Q1", "Q1", "Q2"])),
        condition=draw(st.sampled_from(["", "", "a == 1", "a == 9"])),
        witness=draw(st.sampled_from([None, 1])),
    )


def _evidence(draw: st.DrawFn, functions: dict[str, str]) -> dict[str, Any]:
    outcome = draw(OUTCOME)
    lines = st.lists(st.integers(1, len(functions)), max_size=1)
    frames = tuple(Frame(line=line, function="f") for line in draw(lines))
    called = draw(st.lists(st.sampled_from(sorted(functions.values())), max_size=4))
    calls = tuple(RecordedCall(unit=unit, args=(i % 3,)) for i, unit in enumerate(called))
    unit = draw(st.sampled_from(sorted(functions.values())))
    return {
        "report": ExecutionReport(program="d", results=(CheckResult(check="Q1", outcome=outcome, frames=frames),)),
        "recording": draw(st.sampled_from([None, Recording(check="Q1", calls=calls)])),
        "measurement": draw(
            st.sampled_from(
                [None, None, Measurement(check="Q1", costs=(UnitCost(unit=unit, cpu_seconds=1, peak_mb=1),))]
            )
        ),
        "policy": draw(st.sampled_from(["paper", "executed-first"])),
    }


def run(world: World) -> tuple[Localization, Scope]:
    inputs = world.inputs
    found = locate(inputs, MeteredEvaluator())
    return found, select_scope(found, inputs.active.graph, inputs.active.assembly, inputs.findings)


# --- what a scope may be ---------------------------------------------------------------------------------------------


def supported(world: World, root: Node) -> bool:
    """Return whether the branch of a node is supported, from the generator's own knowledge."""
    parents = {node.id: node.parent for node in world.nodes}
    inside = {name for name in parents if name == root.id or root.id in _above(name, parents)}
    promised = {signature.name for signature in root.contract.signatures}
    handed = {(each.node, each.output) for each in root.provenance}
    feeding = {each.node for each in root.provenance} | set(root.depends_on)
    for node in world.nodes:
        for each in node.provenance:
            outward = each.node in inside and node.id not in inside
            inward = each.node not in inside and node.id in inside
            if (outward and (each.node, each.output) != (root.id, "o")) or (
                inward and (each.node, each.output) not in handed
            ):
                return False
        for other in node.depends_on:
            if other in inside and node.id not in inside and other != root.id:
                return False
            if other not in inside and node.id in inside and node.id != root.id and other not in feeding:
                return False
    inner = {function for owner, function in world.functions.items() if owner in inside} - promised
    return bool(promised) and not any(
        use.real and use.owner not in inside and use.function in inner for use in world.uses
    )


def _above(name: str, parents: dict[str, str]) -> list[str]:
    return [parents[name], *_above(parents[name], parents)] if parents[name] else []


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_branch_support_is_what_the_oracle_says(world: World) -> None:
    active = world.active
    for node in world.nodes:
        assert (support(node.id, active.graph, active.assembly) == "") == supported(world, node)


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_a_scope_is_never_wider_than_specified(world: World) -> None:
    found, scope = run(world)
    graph, assembly = world.active.graph, world.active.assembly
    assert bool(scope.abstained) == (scope.action is None)
    if scope.abstained:
        assert (scope.nodes, scope.units, scope.branch, scope.open_slots) == ((), (), "", ())
        return
    assert set(found.implicated) <= set(scope.nodes)
    assert scope.units == tuple(unit.name for unit in assembly.units if unit.owner in scope.nodes)
    assert (scope.defect, scope.expansions) == (found.defect, ())
    if scope.action == "replan":
        assert scope.nodes == subtree(graph, scope.branch)
        assert supported(world, graph.node(scope.branch))
        assert not scope.open_slots
    elif scope.defect == "Impl":
        assert scope.nodes == found.implicated
        assert len(scope.nodes) == 1
    else:
        assert scope.defect == "Ifc"
        assert len(scope.nodes) <= MOST_NODES
        edges = {(each.node, each.output, node.id, each.slot) for node in graph.nodes for each in node.provenance}
        opened = {(each.provider, each.output, each.consumer, each.slot) for each in scope.open_slots}
        assert opened
        assert opened <= edges
        assert {end for provider, _, consumer, _ in opened for end in (provider, consumer)} == set(scope.nodes)


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_the_class_decides_the_branch(world: World) -> None:
    found, scope = run(world)
    supporting = {each.finding for each in found.supporting}
    named = [each.obligation for each in world.findings if each.id in supporting]
    graph = world.active.graph
    if found.defect == "Cmt":
        decision = next(each.decision for each in named if each.kind == "commitment")
        at = next(each.node for each in graph.decisions if each.id == decision)
        assert scope.branch == (at if supported(world, graph.node(at)) else "")
        assert scope.abstained == ("" if scope.branch else Abstention.UNSUPPORTED_BRANCH)
    elif found.defect == "Ifc":
        ends = {end for each in named if each.kind == "interface" for end in (each.provider, each.consumer)}
        holding = [node for node in graph.nodes if node.id != ROOT and ends <= set(subtree(graph, node.id))]
        smallest = max(holding, key=lambda node: (supported(world, node), len(ancestors(graph, node.id))), default=None)
        fits = smallest is not None and supported(world, smallest)
        assert scope.branch == (smallest.id if smallest and fits else "")
        if not fits and not scope.abstained:
            assert set(scope.nodes) == ends
        if scope.abstained:
            assert scope.abstained == (Abstention.TOO_MANY_NODES if len(ends) > MOST_NODES else Abstention.OWNS_NO_CODE)
    elif found.defect == "Impl":
        owner = graph.node(found.implicated[0])
        assert (scope.action == "regenerate") == (owner.id in world.functions)
        if owner.id not in world.functions:
            assert (scope.branch == owner.id) == supported(world, owner)
    else:
        assert scope.abstained == Abstention.NOT_LOCALIZED


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_every_finding_supports_or_is_turned_away_exactly_once(world: World) -> None:
    found, _ = run(world)
    named = [each.finding for each in found.supporting] + [each.finding for each in found.turned_away]
    assert sorted(named) == sorted(each.id for each in world.findings)
    shifted = [each for each in found.turned_away if each.clause == "shift"]
    assert not shifted or found.defect == "Ifc"


# --- names and order -------------------------------------------------------------------------------------------------


def renamed(world: World, names: dict[str, str]) -> World:
    """Return the same world under other node ids; functions keep their names, as they do in a program."""

    def new(name: str) -> str:
        return names.get(name, name)

    def node(old: Node) -> Node:
        given = tuple(each.model_copy(update={"node": new(each.node)}) for each in old.provenance)
        depends = tuple(new(each) for each in old.depends_on)
        update = {"id": new(old.id), "parent": new(old.parent), "provenance": given, "depends_on": depends}
        return old.model_copy(update=update)

    def finding(old: Finding) -> Finding:
        ends = {"provider": new(old.obligation.provider), "consumer": new(old.obligation.consumer)}
        owners = tuple(new(owner) for owner in old.owners)
        return old.model_copy(update={"owners": owners, "obligation": old.obligation.model_copy(update=ends)})

    return world._replace(
        nodes=tuple(node(each) for each in world.nodes),
        functions={new(name): function for name, function in world.functions.items()},
        uses=tuple(use._replace(owner=new(use.owner)) for use in world.uses),
        decisions=tuple(each.model_copy(update={"node": new(each.node)}) for each in world.decisions),
        findings=tuple(finding(each) for each in world.findings),
    )


def in_other_words(record: R, names: dict[str, str]) -> R:
    """Return a record with every node id replaced, inside texts too."""
    text = ID.sub(lambda match: names.get(match.group(), match.group()), record.model_dump_json())
    return type(record).model_validate(json.loads(text))


def unordered(scope: Scope) -> tuple[Any, ...]:
    opened = {each.model_dump_json() for each in scope.open_slots}
    return scope.action, set(scope.nodes), scope.units, scope.branch, opened, scope.abstained


@settings(max_examples=100, deadline=None)
@given(worlds(), st.lists(st.integers(1, 99), min_size=7, max_size=7, unique=True))
def test_a_renaming_that_keeps_the_order_changes_names_only(world: World, numbers: list[int]) -> None:
    old = sorted((node.id for node in world.nodes if node.id != ROOT), key=id_key)
    names = dict(zip(old, (f"S{number}" for number in sorted(numbers)), strict=False))
    before, after = run(world), run(renamed(world, names))
    assert after == (in_other_words(before[0], names), in_other_words(before[1], names))


@settings(max_examples=100, deadline=None)
@given(worlds(), st.permutations(range(1, 8)))
def test_any_renaming_changes_names_and_order_only(world: World, numbers: list[int]) -> None:
    old = [node.id for node in world.nodes if node.id != ROOT]
    names = dict(zip(old, (f"S{number}" for number in numbers), strict=False))
    (found, scope), (again, after) = run(world), run(renamed(world, names))
    assert unordered(after) == unordered(in_other_words(scope, names))
    assert set(again.implicated) == {names.get(each, each) for each in found.implicated}
    fixed = {"policy", "anchor", "failure", "rule", "defect", "grade", "supporting", "abstained"}
    assert again.model_dump(include=fixed) == found.model_dump(include=fixed)
    clauses = [[(each.finding, each.clause) for each in item.turned_away] for item in (found, again)]
    assert clauses[0] == clauses[1]


@settings(max_examples=100, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_matter(world: World, random: Any) -> None:
    shuffled = list(world.findings)
    random.shuffle(shuffled)
    assert run(world._replace(findings=tuple(shuffled))) == run(world)
