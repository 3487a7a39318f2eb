"""Monitors, excerpts, local admission and re-verification over generated programs, recordings and texts."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.core.assembly import assemble
from auditcoder.core.local_admission import read_call, read_value, same_value
from auditcoder.core.local_checks import excerpt
from auditcoder.core.monitors import ACCEPTS, Monitored, monitor
from auditcoder.core.reverification import reverification
from auditcoder.core.versions import Active, is_current
from auditcoder.core.witness import bind, call_witness
from auditcoder.errors import PredicateError, RecordError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.graph import TASK, Contract, Node, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Scope
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task
from auditcoder.records.values import decode, encode
from auditcoder.sandbox.predicates import MeteredEvaluator

quick = settings(max_examples=45, deadline=None)
NAMES = ("S1", "S2", "S3", "S4")
BEFORE = ("x > 0", "x != 3", "x % 2 == 0", "x[0] == 1")
AFTER = ("result >= x", "result != 0", "result / x > 1", "unknown > 0", "True")
ENTRY = FunctionSignature(name="solve", parameters=(Parameter(name="x"),))
TASK_RECORD = Task(id="t", statement="s", entry=EntryPoint(kind="function", name="solve", signature=ENTRY))


def predicates(kind: str, expressions: Sequence[str], slot: str) -> tuple[Predicate, ...]:
    return tuple(
        Predicate(id=f"{kind}{n}", text=expression, slots=(slot,), expression=expression)
        for n, expression in enumerate(expressions, start=1)
    )


@st.composite
def programs(draw: st.DrawFn) -> Active:
    """Return an assembled program of a root and up to four steps that provide for and call each other."""
    names = NAMES[: draw(st.integers(1, 4))]
    nodes, codes = [], {}
    for place, name in enumerate(names):
        provider = draw(st.sampled_from([TASK, *names[:place]]))
        pre = draw(st.lists(st.sampled_from(BEFORE), max_size=2, unique=True))
        post = draw(st.lists(st.sampled_from(AFTER), max_size=3, unique=True))
        inv = draw(st.lists(st.sampled_from(BEFORE), max_size=1))
        nodes.append(
            Node(
                id=name,
                parent="S0",
                goal="g",
                executor="simulation",
                kind="leaf",
                contract=Contract(
                    signatures=(FunctionSignature(name=f"f{name}", parameters=(Parameter(name="x"),)),),
                    preconditions=predicates("pre", pre, "x"),
                    postconditions=predicates("post", post, f"out{name}"),
                    invariants=predicates("inv", inv, "x"),
                ),
                inputs=(Slot(name="x"),),
                outputs=(Slot(name=f"out{name}"),),
                provenance=(Provider(slot="x", node=provider, output="x" if provider == TASK else f"out{provider}"),),
                depends_on=() if provider == TASK else (provider,),
            )
        )
        called = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
        body = " + ".join(["x", *(f"f{other}(x - 1)" for other in called)])
        source = f"import math\n\nLIMIT = {place}\n\ndef f{name}(x):\n    '''Text.\n\n    More.'''\n    return {body}\n"
        codes[name] = NodeCode(node=name, source=source, digest=sha256_text(source))
    root = Node(
        id="S0",
        goal="g",
        executor="orchestration",
        kind="orchestrator",
        contract=Contract(signatures=(ENTRY,)),
        depends_on=names,
    )
    source = f"def solve(x):\n    return f{names[-1]}(x)\n"
    codes["S0"] = NodeCode(node="S0", source=source, digest=sha256_text(source))
    graph = TaskGraph(nodes=(root, *nodes), order=names)
    return Active(graph, codes, assemble(graph, codes, TASK_RECORD))


recorded = st.lists(
    st.builds(
        RecordedCall,
        unit=st.sampled_from([*(f"f{name}" for name in NAMES), "solve", "unknown"]),
        args=st.integers(-3, 6).map(lambda n: (n,)) | st.just(({"t": "opaque", "v": "Tree"},)) | st.just(()),
        result=st.integers(-3, 6) | st.none(),
        exception=st.sampled_from(["", "", "", "ValueError", "<unfinished>"]),
    ),
    max_size=14,
).map(tuple)


def watch(active: Active, calls: tuple[RecordedCall, ...], *, complete: bool = True, start: int = 0) -> Monitored:
    return monitor(Recording(check="E1", calls=calls, complete=complete), active, MeteredEvaluator(), start=start)


def kinds(found: Monitored) -> set[tuple[str, str, str]]:
    return {(f.owners[-1], f.obligation.predicate, f.verdict) for f in found.findings}


@quick
@given(programs(), recorded, st.randoms(use_true_random=False))
def test_the_order_of_calls_changes_no_verdict(active: Active, calls: tuple[RecordedCall, ...], chance: object) -> None:
    shuffled = list(calls)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = watch(active, calls), watch(active, tuple(shuffled))
    assert kinds(one) == kinds(other)
    assert one.evaluated == other.evaluated
    assert len(one.unevaluated) == len(other.unevaluated)


@quick
@given(programs(), recorded, st.booleans(), st.integers(0, 9))
def test_findings_are_numbered_current_and_accounted_for(
    active: Active, calls: tuple[RecordedCall, ...], complete: bool, start: int
) -> None:
    found = watch(active, calls, complete=complete, start=start)
    assert [f.id for f in found.findings] == [f"F{start + n}" for n in range(1, len(found.findings) + 1)]
    witnesses = [call_witness(call) for call in calls]
    per: dict[tuple[str, str], list[str]] = {}
    for f in found.findings:
        assert is_current(f, active.graph, active.codes)
        assert (f.evidence, f.check) == ("exec", "E1")
        assert f.witness in witnesses or (f.witness is None and f.verdict == "accept" and complete)
        kind = f"{f.verdict}{' run' if f.witness is None else ''}"
        per.setdefault((f.owners[-1], f.obligation.predicate), []).append(kind)
    assert found.evaluated == len(per)
    for verdicts in per.values():
        assert verdicts == ["accept run"] or (verdicts.count("reject") <= 1 and "accept run" not in verdicts)
        assert verdicts.count("accept") <= ACCEPTS
        assert "reject" not in verdicts[1:]
    assert len({line.partition(":")[0] for line in found.unevaluated}) == len(found.unevaluated)


@quick
@given(programs(), recorded)
def test_a_complete_recording_on_which_all_holds_gives_one_accept_a_predicate(
    active: Active, calls: tuple[RecordedCall, ...]
) -> None:
    """Keep the calls on which every predicate can be evaluated and holds, found without the monitors' own code."""
    evaluator = MeteredEvaluator()
    contracts = {f"f{node.id}": node.contract for node in active.graph.nodes if node.id != "S0"}

    def good(call: RecordedCall) -> bool:
        contract = contracts.get(call.unit)
        if contract is None or call.exception or not call.args or isinstance(call.args[0], dict):
            return False
        values = {**bind(call, contract.signatures[0]), "result": decode(call.result)}
        for predicate in contract.predicates():
            try:
                if not evaluator.holds(predicate.expression, values):
                    return False
            except PredicateError:
                return False
        return True

    kept = tuple(call for call in calls if good(call))
    called = {call.unit for call in kept}
    expected = sum(len(contract.predicates()) for unit, contract in contracts.items() if unit in called)
    found = watch(active, kept)
    assert [(f.verdict, f.witness) for f in found.findings] == [("accept", None)] * expected
    assert (found.evaluated, found.unevaluated) == (expected, ())


@quick
@given(programs(), recorded, recorded)
def test_more_calls_never_take_a_rejection_back(
    active: Active, calls: tuple[RecordedCall, ...], more: tuple[RecordedCall, ...]
) -> None:
    rejected = {kind for kind in kinds(watch(active, calls)) if kind[2] == "reject"}
    assert rejected <= kinds(watch(active, (*calls, *more)))


@quick
@given(programs(), recorded, st.sets(st.sampled_from(NAMES)))
def test_some_nodes_are_all_nodes_without_the_others(
    active: Active, calls: tuple[RecordedCall, ...], nodes: set[str]
) -> None:
    recording = Recording(check="E1", calls=calls)
    part = monitor(recording, active, MeteredEvaluator(), start=0, nodes=nodes)
    whole = watch(active, calls)
    wanted = [f.model_copy(update={"id": ""}) for f in whole.findings if f.owners[-1] in nodes]
    assert [f.model_copy(update={"id": ""}) for f in part.findings] == wanted
    assert part.unevaluated == tuple(line for line in whole.unevaluated if line.partition(".")[0] in nodes)


@quick
@given(programs(), st.data())
def test_an_excerpt_is_closed_compiles_and_moves_no_line(active: Active, draw: st.DataObject) -> None:
    name = draw.draw(st.sampled_from([node.id for node in active.graph.nodes]))
    part = excerpt(active.assembly, active.graph, name)
    compile(part.program, "<excerpt>", "exec")
    whole, shown = active.assembly.program.split("\n"), part.program.split("\n")
    assert len(whole) == len(shown)
    assert all(after in ("", before) for before, after in zip(whole, shown, strict=True))
    for owner in part.owners:
        node = active.graph.node(owner)
        assert {p.node for p in node.provenance} - {TASK} <= set(part.owners)
        assert set(node.depends_on) <= set(part.owners)
        source = active.codes[owner].source
        assert {other for other in NAMES if f"f{other}(" in source} <= set(part.owners)
    for line in active.assembly.lines:
        if line.unit != "<imports>":
            kept = line.owner in part.owners
            assert shown[line.first - 1 : line.last] == (
                whole[line.first - 1 : line.last] if kept else [""] * (line.last - line.first + 1)
            )


@quick
@given(programs(), st.sets(st.sampled_from(["S0", *NAMES])), st.sets(st.sampled_from(["S0", *NAMES])))
def test_only_frozen_consumers_of_what_changed_are_verified_again(
    before: Active, changed: set[str], scope: set[str]
) -> None:
    codes = {
        name: NodeCode(node=name, source=code.source + "\n", digest=sha256_text(code.source + "\n"))
        if name in changed
        else code
        for name, code in before.codes.items()
    }
    after = before._replace(codes=codes)
    found = reverification(before, after, Scope(nodes=tuple(sorted(scope))))
    consumers = {
        node.id
        for node in before.graph.nodes
        if node.id not in scope and ({p.node for p in node.provenance} | set(node.depends_on)) & changed
    }
    assert found.nodes == tuple(sorted(consumers))
    assert set(found.monitored) | set(found.checked) <= set(found.nodes)
    assert reverification(before, before, Scope(nodes=tuple(sorted(scope)))).nodes == ()


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
literal = plain.map(repr)
rubbish = st.text(st.sampled_from("[](){}'\"0123456789,.:-+*eE jnul\\xtrfas\n\x00\u202e"), max_size=60) | st.text(
    max_size=30
)


@quick
@given(plain)
def test_a_literal_is_read_as_what_it_is(value: object) -> None:
    text = repr(value)
    if len(text) <= 400:
        assert same_value(read_value(text), encode(value))


@quick
@given(rubbish | literal, rubbish | literal, st.sampled_from(["Any", "int", "list[int]", "tuple[int, str]", "(("]))
def test_whatever_is_proposed_is_a_call_of_the_signature_or_refused(
    arguments: str, result: str, annotation: str
) -> None:
    signature = FunctionSignature(name="f", parameters=(Parameter(name="x", type=annotation),), returns=annotation)
    contract = Contract(signatures=(signature,), preconditions=predicates("pre", ["x == x"], "x"))
    node = Node(id="S1", goal="g", executor="simulation", kind="leaf", contract=contract)
    for given_arguments in (arguments, f"[{arguments}]"):
        try:
            call = read_call(node, given_arguments, result, MeteredEvaluator())
        except RecordError:
            continue
        assert len(call.args) == 1
        decode(call.args[0])
