from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from auditcoder.core.graph import integrity
from auditcoder.core.linking import last_resort, linked_root
from auditcoder.core.plan import PlannedStep, build_graph, file_slot, single_owner_graph
from auditcoder.records.graph import TASK
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task, TextFile


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


def refuse_all(expression: str, names: Sequence[str]) -> str:
    return "refused"


SIGNATURE = FunctionSignature(
    name="solve", parameters=(Parameter(name="n", type="int"), Parameter(name="items", type="list[int]")), returns="int"
)
FUNCTION = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="solve", signature=SIGNATURE))
PROGRAM = Task(id="p", statement="Do it.", entry=EntryPoint(kind="program"))
SCRIPT = Task(
    id="s",
    statement="Do it.",
    entry=EntryPoint(kind="script", outputs=("out.json",)),
    files=(TextFile(name="data/prices.csv", text="a,b\n"),),
)
CLASS = Task(
    id="c",
    statement="Do it.",
    entry=EntryPoint(kind="class", name="Box", methods=(FunctionSignature(name="put", parameters=()),)),
)
STEPS = (
    PlannedStep("parse_items", "Parses the items.", "string", ("items",), "numbers", "List[int]", "len(items) > 0", ""),
    PlannedStep("best_total", "Finds the best total.", "greedy", ("numbers", "n"), "total", "int", "", "result >= 0"),
)


@pytest.mark.parametrize("task", [FUNCTION, PROGRAM, SCRIPT], ids=["function", "program", "script"])
def test_a_built_graph_has_integrity_and_every_input_has_a_provider(task: Task) -> None:
    graph = build_graph(task, STEPS, accept_all)
    assert integrity(graph) == ()
    for node in graph.nodes:
        assert {slot.name for slot in node.inputs} == {provider.slot for provider in node.provenance}


def test_signatures_provenance_and_types_are_computed() -> None:
    graph = build_graph(FUNCTION, STEPS, accept_all)
    first, second = graph.node("S1"), graph.node("S2")
    assert first.contract.signatures[0].render() == "parse_items(items: list[int]) -> list[int]"
    assert second.contract.signatures[0].render() == "best_total(numbers: list[int], n: int) -> int"
    assert [(p.slot, p.node) for p in second.provenance] == [("numbers", "S1"), ("n", TASK)]
    assert second.depends_on == ("S1",)
    assert second.contract.postconditions[1].expression == "result >= 0"


@pytest.mark.parametrize(
    ("step", "takes"),
    [
        (PlannedStep("a_step", "goal", "greedy", ("nothing_known",), "x"), ["n", "items"]),
        (PlannedStep("a_step", "goal", "greedy", ("x", "n"), "x"), ["n"]),
        (PlannedStep("a_step", "goal", "greedy", ("n", "n"), "x"), ["n"]),
    ],
    ids=["unknown-takes-the-inputs", "never-its-own-result", "no-repeats"],
)
def test_what_a_step_takes_is_what_exists(step: PlannedStep, takes: list[str]) -> None:
    node = build_graph(FUNCTION, (step,), accept_all).node("S1")
    assert [slot.name for slot in node.inputs] == takes


def test_a_step_that_takes_nothing_known_takes_the_last_result() -> None:
    graph = build_graph(FUNCTION, (STEPS[0], STEPS[1]._replace(takes=("wrong",))), accept_all)
    assert [slot.name for slot in graph.node("S2").inputs] == ["numbers"]


def test_colliding_names_are_renamed_and_later_steps_still_find_the_value() -> None:
    steps = (
        PlannedStep("solve", "same name as the entry", "greedy", ("n",), "items", "int"),
        PlannedStep("list", "a built-in's name", "greedy", ("items",), "result", "int"),
        PlannedStep("list", "again", "greedy", ("result",), "answer", "int"),
    )
    graph = build_graph(FUNCTION, steps, accept_all)
    names = [graph.node(node).contract.signatures[0].name for node in graph.order]
    assert names == ["step_solve", "step_list", "step_list_2"]
    assert [slot.name for slot in graph.node("S2").inputs] == ["new_items"]
    assert [slot.name for slot in graph.node("S3").inputs] == [graph.node("S2").outputs[0].name]


def test_a_refused_expression_stays_as_prose() -> None:
    node = build_graph(FUNCTION, STEPS, refuse_all).node("S1")
    assert node.contract.preconditions[0].text == "len(items) > 0"
    assert node.contract.preconditions[0].expression == ""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("List[int]", "list[int]"),
        ("typing.Dict[str, int]", "dict[str, int]"),
        ("int | None", "int | None"),
        ("tuple[int, ...]", "tuple[int, ...]"),
        ("numpy.ndarray", "Any"),
        ("__import__('os')", "Any"),
        ("a list of ints", "Any"),
        ("list[" * 50, "Any"),
    ],
)
def test_types_are_built_in_annotations_or_any(given: str, kept: str) -> None:
    graph = build_graph(FUNCTION, (STEPS[0]._replace(type=given),), accept_all)
    assert graph.node("S1").outputs[0].type == kept


@pytest.mark.parametrize("task", [FUNCTION, PROGRAM, SCRIPT, CLASS], ids=lambda task: task.entry.kind)
def test_the_single_owner_graph_has_integrity_and_its_last_resort_compiles(task: Task) -> None:
    assert integrity(single_owner_graph(task)) == ()
    tree = ast.parse(last_resort(task))
    assert any("no usable program" in ast.unparse(node) for node in tree.body)


@pytest.mark.parametrize("task", [FUNCTION, PROGRAM, SCRIPT], ids=lambda task: task.entry.kind)
def test_a_linked_root_calls_the_leaves_in_order(task: Task) -> None:
    graph = build_graph(task, STEPS, accept_all)
    calls = [
        n.func.id
        for n in ast.walk(ast.parse(linked_root(task, graph)))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    assert [name for name in calls if name in ("parse_items", "best_total")] == ["parse_items", "best_total"]


@pytest.mark.parametrize(
    ("name", "slot"),
    [("data/prices.csv", "prices_csv"), ("2024.json", "file_2024_json"), ("--", "file_"), ("A B.txt", "a_b_txt")],
)
def test_file_slots_are_identifiers(name: str, slot: str) -> None:
    assert file_slot(name) == slot
    assert slot.isidentifier()
