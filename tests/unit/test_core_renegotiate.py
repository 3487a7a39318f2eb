"""The contract of an open slot, settled on one side or the other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditcoder.core.graph import integrity
from auditcoder.core.plan import PlannedStep, build_graph
from auditcoder.core.plan_border import plan_violations
from auditcoder.core.renegotiate import Settlement, renegotiated, translated, violated
from auditcoder.core.replan import splice
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Contract, Predicate, TaskGraph
from auditcoder.records.localization import OpenSlot, Scope
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(
    name="best", parameters=(Parameter(name="items", type="list[int]"), Parameter(name="n", type="int")), returns="int"
)
TASK = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="best", signature=SIGNATURE))


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


BUILT = build_graph(
    TASK,
    (
        PlannedStep("clean", "cleans the items", "string", ("items",), "kept", "list[int]", "", "len(result) >= 0"),
        PlannedStep("rank", "ranks what is kept", "greedy", ("kept", "n"), "ranked", "list[int]", "len(kept) > 0"),
    ),
    accept_all,
)
SECOND = Predicate(id="pre2", text="len(kept) >= n", slots=("kept", "n"), expression="len(kept) >= n")
THIRD = Predicate(id="pre3", text="n is small", slots=("n",))
CONTRACT = BUILT.node("S2").contract
GRAPH = BUILT.model_copy(
    update={
        "nodes": tuple(
            node.model_copy(
                update={
                    "contract": CONTRACT.model_copy(update={"preconditions": (*CONTRACT.preconditions, SECOND, THIRD)})
                }
            )
            if node.id == "S2"
            else node
            for node in BUILT.nodes
        )
    }
)
SLOT = OpenSlot(provider="S1", output="kept", consumer="S2", slot="kept")
BACK = OpenSlot(provider="S2", output="ranked", consumer="S0", slot="ranked")
PAIR = Scope(defect="Ifc", action="regenerate", nodes=("S1", "S2"), open_slots=(SLOT,))


def broken(predicate: str, provider: str = "S1") -> Finding:
    obligation = Obligation(kind="interface", predicate=predicate, slot="kept", provider=provider, consumer="S2")
    versions = Versions(code="", contract="")
    return Finding(
        id="F1", owners=("S2",), verdict="reject", obligation=obligation, evidence="exec", versions=(versions,)
    )


def settle(choice: str, *findings: Finding, kind: str = "", text: str = "", slot: OpenSlot = SLOT) -> TaskGraph:
    settlement = Settlement(slot, choice, kind, text)  # type: ignore[arg-type]
    return renegotiated(GRAPH, [settlement], findings)


def contracts(graph: TaskGraph) -> dict[str, Contract]:
    return {node.id: node.contract for node in graph.nodes}


def test_the_broken_precondition_is_the_one_that_the_findings_name() -> None:
    assert [p.id for p in violated(SLOT, GRAPH, [broken("pre2")])] == ["pre2"]
    assert [p.id for p in violated(SLOT, GRAPH, [])] == ["pre1", "pre2"]
    assert [p.id for p in violated(SLOT, GRAPH, [broken("pre2", provider="S9")])] == ["pre1", "pre2"]
    assert [p.id for p in violated(SLOT, GRAPH, [broken("pre3")])] == ["pre1", "pre2"]
    accepted = broken("pre2").model_copy(update={"verdict": "accept"})
    assert [p.id for p in violated(SLOT, GRAPH, [accepted])] == ["pre1", "pre2"]


def test_a_provider_promises_what_the_consumer_requires() -> None:
    graph = settle("provider-ensures", broken("pre1"))
    old, new = GRAPH.node("S1").contract, graph.node("S1").contract
    added = Predicate(id="post2", text="len(result) > 0", slots=("kept",), expression="len(result) > 0")
    assert new == old.model_copy(update={"postconditions": (*old.postconditions, added)})
    assert {**contracts(graph), "S1": old} == contracts(GRAPH)


def test_what_needs_another_parameter_stays_prose_on_the_provider() -> None:
    added = settle("provider-ensures", broken("pre2")).node("S1").contract.postconditions[-1]
    assert (added.id, added.expression) == ("post2", "")
    assert added.text == "kept is what S2 requires: len(kept) >= n"
    told = settle("provider-ensures", broken("pre2"), text="long enough").node("S1").contract.postconditions[-1]
    assert told.text == "long enough"


def test_a_consumer_accepts_by_giving_up_the_precondition() -> None:
    graph = settle("consumer-accepts", broken("pre1"))
    assert [p.id for p in graph.node("S2").contract.preconditions] == ["pre2", "pre3"]
    assert {**contracts(graph), "S2": GRAPH.node("S2").contract} == contracts(GRAPH)


def test_a_new_type_changes_slots_return_and_parameter() -> None:
    graph = settle("consumer-accepts", broken("pre1"), kind="Dict[int, int]")
    provider, consumer = graph.node("S1"), graph.node("S2")
    assert provider.contract.signatures[0].render() == "clean(items: list[int]) -> dict[int, int]"
    assert consumer.contract.signatures[0].render() == "rank(kept: dict[int, int], n: int) -> list[int]"
    assert (provider.outputs[0].type, consumer.inputs[0].type) == ("dict[int, int]", "dict[int, int]")
    assert graph.node("S0") == GRAPH.node("S0")
    assert (graph.order, graph.decisions) == (GRAPH.order, GRAPH.decisions)


@pytest.mark.parametrize("kind", ["", "   ", "numpy.ndarray", "a list", "__import__('os')"])
def test_a_type_that_is_none_is_not_taken_over(kind: str) -> None:
    assert settle("consumer-accepts", broken("pre1"), kind=kind) == settle("consumer-accepts", broken("pre1"))


def test_the_entry_signature_stays_when_the_root_is_the_consumer() -> None:
    graph = settle("provider-ensures", kind="tuple[int, ...]", text="in order", slot=BACK)
    assert graph.node("S0").contract == GRAPH.node("S0").contract
    assert graph.node("S0").inputs[-1].type == "tuple[int, ...]"
    assert graph.node("S2").contract.postconditions[-1].text == "in order"


def test_the_same_promise_is_not_made_twice() -> None:
    once = settle("provider-ensures", broken("pre1"))
    again = renegotiated(once, [Settlement(SLOT, "provider-ensures")], [broken("pre1")])
    assert again == once


def test_a_parent_that_hands_a_value_down_promises_nothing() -> None:
    step = PlannedStep("part", "does a part", "greedy", ("kept", "n"), "x", "list[int]", "len(kept) > 0")
    graph = splice(GRAPH, "S2", (step,), (), accept_all)
    slot = OpenSlot(provider="S2", output="kept", consumer="S2_S1", slot="kept")
    assert renegotiated(graph, [Settlement(slot, "provider-ensures")], []) == graph


@pytest.mark.parametrize("choice", ["provider-ensures", "consumer-accepts"])
@pytest.mark.parametrize("kind", ["", "str"])
@pytest.mark.parametrize("predicate", ["pre1", "pre2", ""])
def test_a_settlement_stays_inside_the_scope_and_keeps_integrity(choice: str, kind: str, predicate: str) -> None:
    graph = settle(choice, *([broken(predicate)] if predicate else []), kind=kind)
    assert integrity(graph) == ()
    assert plan_violations(GRAPH, graph, PAIR, ()) == ()


TRANSLATED: dict[str, tuple[str, str]] = {
    "simple": ("len(kept) > 0", "len(result) > 0"),
    "several-times": ("kept == sorted(kept)", "result == sorted(result)"),
    "bound-names-stay": ("all(k > 0 for k in kept)", "all((k > 0 for k in result))"),
    "text-and-attributes-stay": ("'kept' in kept and kept.kept", "'kept' in result and result.kept"),
    "another-parameter": ("len(kept) > n", ""),
    "another-parameter-that-is-bound": ("[n for n in kept]", ""),
    "bound-in-one-place-free-in-another": ("all(n > 0 for n in kept) and n < 5", ""),
    "a-lambda-binds-it-elsewhere": ("(lambda n: n)(kept) and n > 0", ""),
    "rebinds-the-parameter": ("[kept for kept in kept]", ""),
    "binds-result": ("[result for result in kept]", ""),
    "lambda-hides-it": ("(lambda kept: kept)(kept)", ""),
    "does-not-read-it": ("True", ""),
    "no-expression": ("kept >", ""),
    "prose": ("the items are sorted", ""),
    "too-deep": ("(" * 300 + "kept" + ")" * 300, ""),
}


@pytest.mark.parametrize(("expression", "expected"), TRANSLATED.values(), ids=TRANSLATED.keys())
def test_translation(expression: str, expected: str) -> None:
    assert translated(expression, "kept", {"n"}) == expected
