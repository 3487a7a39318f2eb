"""Executable predicates on recorded calls: one row per rule of core/monitors.py."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from auditcoder.core.monitors import ACCEPTS, MOST_CALLS, Monitored, monitor
from auditcoder.core.versions import Active, is_current
from auditcoder.core.witness import call_witness
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.graph import TASK, Contract, Node, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.task import FunctionSignature, Parameter
from auditcoder.records.values import Value
from auditcoder.sandbox.predicates import MeteredEvaluator


def predicate(name: str, expression: str, *slots: str) -> Predicate:
    return Predicate(id=name, text=expression or "prose", slots=slots, expression=expression)


def node(
    name: str,
    *,
    takes: dict[str, str] | None = None,
    gives: tuple[str, ...] = ("out",),
    functions: tuple[FunctionSignature, ...] = (),
    pre: tuple[Predicate, ...] = (),
    post: tuple[Predicate, ...] = (),
    inv: tuple[Predicate, ...] = (),
) -> Node:
    """Return a node; `takes` maps its inputs to their providers."""
    inputs = {"x": TASK} if takes is None else takes
    own = FunctionSignature(name=f"f_{name}", parameters=tuple(Parameter(name=slot) for slot in inputs))
    return Node(
        id=name,
        parent="" if name == "S0" else "S0",
        goal=name,
        executor="simulation",
        kind="leaf",
        contract=Contract(signatures=functions or (own,), preconditions=pre, postconditions=post, invariants=inv),
        inputs=tuple(Slot(name=slot) for slot in inputs),
        outputs=tuple(Slot(name=slot) for slot in gives),
        provenance=tuple(Provider(slot=slot, node=source, output="out") for slot, source in inputs.items() if source),
    )


def program(*nodes: Node) -> Active:
    codes = {each.id: NodeCode(node=each.id, source=each.id, digest=sha256_text(each.id)) for each in nodes}
    units = tuple(
        CodeUnit(name=signature.name, kind="function", owner=each.id, text="", digest="")
        for each in nodes
        for signature in each.contract.signatures
    )
    graph = TaskGraph(nodes=nodes, order=tuple(each.id for each in nodes))
    return Active(graph, codes, Assembly(program="", digest="", units=units, lines=()))


def call(args: Value | tuple[Value, ...], result: Value = None, *, of: str = "f_S1", raised: str = "") -> RecordedCall:
    given: tuple[Value, ...] = args if isinstance(args, tuple) else (args,)
    return RecordedCall(unit=of, args=given, result=result, exception=raised)


def watch(active: Active, *calls: RecordedCall, complete: bool = True, **options: object) -> Monitored:
    recording = Recording(check="E1", calls=calls, complete=complete)
    return monitor(recording, active, MeteredEvaluator(), **{"start": 0, **options})  # type: ignore[arg-type]


def shown(found: Monitored) -> list[str]:
    """Return `VERDICT PREDICATE WITNESS` of every finding; the witness by its arguments, or `run`."""
    return [
        f"{f.verdict} {f.obligation.predicate} {f.witness['v'][1][1] if isinstance(f.witness, dict) else 'run'}"  # type: ignore[index]
        for f in found.findings
    ]


POST = (predicate("post1", "result >= x", "out"),)
PRE = (predicate("pre1", "x > 0", "x"),)
INV = (predicate("inv1", "x < 100", "x"),)


class Row(NamedTuple):
    node: Node
    calls: tuple[RecordedCall, ...]
    expected: list[str]
    unevaluated: tuple[str, ...] = ()
    complete: bool = True


ROWS: dict[str, Row] = {
    "held-on-every-call": Row(node("S1", post=POST), (call(1, 1), call(2, 5)), ["accept post1 run"]),
    "held-on-a-cut-recording": Row(
        node("S1", post=POST), (call(1, 1), call(2, 5)), ["accept post1 [1]", "accept post1 [2]"], complete=False
    ),
    "the-same-call-twice-is-one-accept": Row(
        node("S1", post=POST), (call(1, 1), call(1, 1)), ["accept post1 [1]"], complete=False
    ),
    "first-violating-call-is-the-witness": Row(
        node("S1", post=POST), (call(1, 1), call(2, 0), call(3, 0)), ["reject post1 [2]", "accept post1 [1]"]
    ),
    "never-called": Row(node("S1", post=POST), (), []),
    "another-unit": Row(node("S1", post=POST), (call(1, 0, of="helper"),), []),
    "prose-only": Row(node("S1", post=(predicate("goal", ""),)), (call(1, 0),), []),
    "raised": Row(node("S1", post=POST), (call(1, raised="ValueError"),), []),
    "raised-once-so-no-accept-of-the-run": Row(
        node("S1", post=POST), (call(1, 1), call(2, raised="E")), ["accept post1 [1]"]
    ),
    "unfinished": Row(node("S1", post=POST), (call(1, raised="<unfinished>"),), [], complete=False),
    "precondition-of-a-raising-call": Row(node("S1", pre=PRE), (call(-1, raised="E"),), ["reject pre1 [-1]"]),
    "invariant-of-a-raising-call": Row(node("S1", inv=INV), (call(200, raised="E"),), ["reject inv1 [200]"]),
    "invariant-over-the-result-of-a-raising-call": Row(
        node("S1", inv=(predicate("inv1", "result != x"),)), (call(1, raised="E"),), []
    ),
    "violated-precondition-excuses-the-rest": Row(
        node("S1", pre=PRE, post=POST, inv=INV), (call(-5, -9),), ["reject pre1 [-5]"]
    ),
    "only-for-that-call": Row(
        node("S1", pre=PRE, post=POST),
        (call(-5, -9), call(4, 3), call(5, 5)),
        ["reject pre1 [-5]", "accept pre1 [4]", "accept pre1 [5]", "reject post1 [4]", "accept post1 [5]"],
    ),
    "failed-precondition-excuses-nothing": Row(
        node("S1", pre=(predicate("pre1", "x[0] > 0", "x"),), post=POST),
        (call(4, 3),),
        ["reject post1 [4]"],
        ("S1.pre1: TypeError: a int has no items",),
    ),
    "failing-expression": Row(
        node("S1", post=(predicate("post1", "result / x > 0", "out"),)),
        (call(0, 1), call(1, 1), call(0, 2)),
        ["accept post1 [1]"],
        ("S1.post1: ZeroDivisionError: division by zero",),
    ),
    "argument-not-carried-over": Row(
        node("S1", post=POST),
        (call({"t": "opaque", "v": "Tree"}, 1),),
        [],
        ("S1.post1: an argument was not carried over whole",),
    ),
    "malformed-result": Row(
        node("S1", post=POST),
        (call(1, {"t": "int", "v": "zz"}),),
        [],
        ("S1.post1: malformed recorded value with tag 'int': invalid literal for int() with base 16: 'zz'",),
    ),
    "precondition-without-an-input": Row(
        node("S1", pre=(predicate("pre1", "1 > 2"),), post=POST),
        (call(5, 1),),
        [],
        ("S1.pre1: it constrains no input slot of the node",),
    ),
    "order-of-the-contract": Row(
        node("S1", pre=PRE, post=(*POST, predicate("post0", "result < 50")), inv=INV),
        (call(1, 2),),
        ["accept pre1 run", "accept post1 run", "accept post0 run", "accept inv1 run"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_verdicts(row: Row) -> None:
    found = watch(program(row.node), *row.calls, complete=row.complete)
    assert shown(found) == row.expected
    assert found.unevaluated == row.unevaluated


def test_a_finding_carries_ids_versions_and_the_recorded_check() -> None:
    active = program(node("S1", post=POST))
    (found,) = watch(active, call(3, 1), start=7).findings
    assert (found.id, found.owners, found.evidence, found.check) == ("F8", ("S1",), "exec", "E1")
    assert (found.obligation.kind, found.obligation.slot) == ("semantic", "out")
    assert found.witness == call_witness(call(3, 1))
    assert found.reason == "1 of 1 recorded calls violate it: result >= x"
    assert is_current(found, active.graph, active.codes)


@pytest.mark.parametrize(
    ("gives", "slots", "slot"),
    [(("out",), ("out",), "out"), (("out", "more"), ("out", "more"), ""), (("out",), (), ""), (("out",), ("x",), "")],
    ids=["one-output", "two-outputs", "none", "an-input"],
)
def test_the_slot_of_a_semantic_finding(gives: tuple[str, ...], slots: tuple[str, ...], slot: str) -> None:
    active = program(node("S1", gives=gives, post=(predicate("post1", "result > x", *slots),)))
    assert watch(active, call(3, 1)).findings[0].obligation.slot == slot


PROVIDERS: dict[str, tuple[str, tuple[str, ...], tuple[str, str, tuple[str, ...]]]] = {
    "one-slot": ("b > 0", ("b",), ("b", "S2", ("S2", "S3"))),
    "first-declared-that-is-mentioned": ("c > 0", ("b", "c"), ("c", "S1", ("S1", "S3"))),
    "declared-order-not-written-order": ("c + b > 99", ("b", "c"), ("b", "S2", ("S2", "S3"))),
    "none-mentioned": ("1 > 2", ("c",), ("c", "S1", ("S1", "S3"))),
    "none-declared": ("c + b > 99", (), ("b", "S2", ("S2", "S3"))),
    "the-task-provides": ("a > 5", ("a",), ("a", TASK, ("S3",))),
    "nobody-provides": ("d > 5", ("d",), ("d", "", ("S3",))),
}


@pytest.mark.parametrize(("expression", "slots", "expected"), PROVIDERS.values(), ids=PROVIDERS.keys())
def test_who_provides_a_violated_slot(
    expression: str, slots: tuple[str, ...], expected: tuple[str, str, tuple[str, ...]]
) -> None:
    takes = {"a": TASK, "b": "S2", "c": "S1", "d": ""}
    active = program(node("S1"), node("S2"), node("S3", takes=takes, pre=(predicate("pre1", expression, *slots),)))
    (found,) = watch(active, call((0, 0, 0, 0), of="f_S3")).findings
    assert found.obligation.kind == "interface"
    assert (found.obligation.slot, found.obligation.provider, found.owners) == expected
    assert found.obligation.consumer == "S3"
    assert len(found.versions) == len(found.owners)
    assert is_current(found, active.graph, active.codes)


def test_nodes_in_id_order_and_only_those_asked_for() -> None:
    active = program(node("S10", post=POST), node("S2", post=POST), node("S1", post=POST))
    calls = [call(1, 1, of=f"f_{name}") for name in ("S10", "S1", "S2")]
    assert [f.owners for f in watch(active, *calls).findings] == [("S1",), ("S2",), ("S10",)]
    assert [f.owners for f in watch(active, *calls, nodes=("S2",)).findings] == [("S2",)]


def test_accepts_of_a_cut_recording_are_capped() -> None:
    found = watch(program(node("S1", post=POST)), *(call(n, n) for n in range(50)), complete=False)
    assert [f.witness for f in found.findings] == [call_witness(call(n, n)) for n in range(ACCEPTS)]
    assert found.evaluated == 1


def test_methods_are_judged_by_the_predicates_that_speak_of_their_parameters() -> None:
    """A predicate over `key` says nothing about a method without that parameter; one over neither is about both."""
    get = FunctionSignature(name="get", parameters=(Parameter(name="key"),))
    put = FunctionSignature(name="put", parameters=(Parameter(name="item"),))
    post = (predicate("post1", "key >= 0"), predicate("post2", "result is not None"))
    active = program(node("S0", functions=(get, put), post=post))
    found = watch(active, call(1, 5, of="get"), call("a", None, of="put"))
    assert shown(found) == ["accept post1 run", "reject post2 ['a']", "accept post2 [1]"]
    assert found.unevaluated == ()


def test_of_an_endless_recording_the_first_calls_count_and_it_was_cut() -> None:
    calls = [call(1, 2)] * MOST_CALLS
    active = program(node("S1", post=POST))
    with_a_violation = watch(active, *calls, call(3, 1))
    assert {finding.verdict for finding in with_a_violation.findings} == {"accept"}
    assert with_a_violation.findings != watch(active, *calls).findings
