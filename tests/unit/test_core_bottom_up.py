"""A pass of bottom-up repair without a model: what of an answer goes into the program, and which checks can be read."""

from __future__ import annotations

import ast

import pytest

from auditcoder.core.bottom_up import BottomUp, Part, unit_program, unit_text
from auditcoder.core.call_graph import RepairUnit
from auditcoder.core.parsing import Refusal
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.sub_checks import SubCheckText, answered_checks, checkable, read_sub_checks
from auditcoder.errors import RecordError
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.task import Comparator, EntryPoint, FunctionInput, FunctionSignature, Parameter, Task

TASK = Task(
    id="t",
    statement="Do it.",
    entry=EntryPoint(
        kind="function", name="root", signature=FunctionSignature(name="root", parameters=(Parameter(name="x"),))
    ),
)
PROGRAM = "BASE = 1\n\n\ndef leaf(x):\n    return x\n\n\ndef root(x):\n    return leaf(x) + BASE"
LEAF = RepairUnit(("leaf",), "leaf")


def at_leaf(program: str = PROGRAM) -> tuple[BottomUp, Part]:
    state = BottomUp(TASK, single_owner_graph(TASK), "def root(x):\n    return 0\n", 0)
    tree = state.tree(program)
    assert isinstance(tree, Part)
    assert state.divide(tree, 0)
    part = state.begin(LEAF)
    state.ran(part, verdicts("wrong-answer"))
    return state, part


def verdicts(*outcomes: str) -> ExecutionReport:
    results = [CheckResult.model_validate({"check": f"c{n}", "outcome": each}) for n, each in enumerate(outcomes)]
    return ExecutionReport(program="", results=tuple(results))


def fixed(code: str) -> str:
    made = at_leaf()[0].fixed(code)
    assert isinstance(made, Part), made
    return made.source


def test_a_fix_stands_in_the_place_of_the_function() -> None:
    assert fixed("def leaf(x):\n    return 2 * x") == PROGRAM.replace("return x", "return 2 * x") + "\n"


@pytest.mark.parametrize(
    "extra",
    [
        "def root(x):\n    return 9",
        "BASE = 2",
        "from program import root",
        "print(leaf(1))",
        "assert leaf(1) == 1",
        'if __name__ == "__main__":\n    leaf(1)',
        "from math import *",
    ],
)
def test_only_the_function_changes(extra: str) -> None:
    changed = PROGRAM.replace("return x", "return 2 * x") + "\n"
    assert fixed(f"{extra}\n\n\ndef leaf(x):\n    return 2 * x") == changed
    assert fixed(f"def leaf(x):\n    return 2 * x\n\n\n{extra}") == changed


def test_a_future_import_is_left_out() -> None:
    made = fixed("from __future__ import annotations\n\n\ndef leaf(x):\n    return 2 * x")
    assert made == PROGRAM.replace("return x", "return 2 * x") + "\n"


def test_what_a_fix_needs_comes_along() -> None:
    made = fixed(
        "import cmath\nLIMIT = 3\n\n\ndef cut(x):\n    return min(x, LIMIT)\n\n\n"
        "def leaf(x):\n    return cmath.sqrt(cut(x))"
    )
    space: dict[str, object] = {}
    exec(made, space)
    assert space["root"](9) == pytest.approx(3**0.5 + 1)  # type: ignore[operator]
    assert made.startswith("import cmath\n")


def test_a_helper_that_a_fix_brought_is_part_of_the_function_from_then_on() -> None:
    state, _ = at_leaf()
    first = state.fixed("def cut(x):\n    return 1\n\n\ndef leaf(x):\n    return cut(x)")
    assert isinstance(first, Part)
    state.ran(first, verdicts("wrong-answer"))
    assert unit_text(first) == "def cut(x):\n    return 1\n\n\ndef leaf(x):\n    return cut(x)\n"
    second = state.fixed("def cut(x):\n    return 2\n\n\ndef leaf(x):\n    return cut(x)")
    assert isinstance(second, Part)
    assert "return 2" in second.source
    assert "return 1" not in second.source


@pytest.mark.parametrize(
    "code",
    ["x = 1", "def other(x):\n    return x", "def leaf(y):\n    return y", "def leaf(x, y=1):\n    return x",
     "def leaf(*x):\n    return x", "class leaf:\n    pass", "async def leaf(x):\n    return x", "def leaf(x:", ""],
)  # fmt: skip
def test_a_fix_without_the_function_or_with_other_parameters_is_refused(code: str) -> None:
    assert isinstance(at_leaf()[0].fixed(code), Refusal)


@pytest.mark.parametrize(
    ("outcomes", "kept"),
    [
        ((("pass", "pass"), ("wrong-answer", "pass")), 0),
        ((("wrong-answer", "pass"), ("pass", "wrong-answer")), 1),
        ((("timeout", "timeout"), ("wrong-answer", "pass")), 1),
    ],
)
def test_the_version_that_passes_most_is_kept_and_of_equals_the_latest(
    outcomes: tuple[tuple[str, ...], ...], kept: int
) -> None:
    state, _ = at_leaf()
    state.tried = []
    sources = []
    for number, each in enumerate(outcomes):
        part = state._part(PROGRAM.replace("return x", f"return {number}"), ("leaf",))
        assert isinstance(part, Part)
        sources.append(part.source)
        state.ran(part, verdicts(*each))
    assert state.settle() == sources[kept]


def test_a_fix_before_any_run_is_refused() -> None:
    state, _ = at_leaf()
    state.begin(LEAF)
    with pytest.raises(RecordError):
        state.fixed("def leaf(x):\n    return 1")


@pytest.mark.parametrize("code", ["def other(x):\n    return x", "def root(x:", "x = 1"])
def test_a_tree_without_its_entry_is_refused(code: str) -> None:
    state = BottomUp(TASK, single_owner_graph(TASK), PROGRAM, 0)
    assert isinstance(state.tree(code), Refusal)


def test_the_tree_of_nested_functions_is_flat() -> None:
    state = BottomUp(TASK, single_owner_graph(TASK), PROGRAM, 0)
    tree = state.tree("def root(x):\n    def leaf(y):\n        return y\n\n    return leaf(x)")
    assert isinstance(tree, Part)
    state.divide(tree, 0)
    assert [unit.entry for unit in state.units] == ["leaf", "root"]


def test_a_function_of_a_program_runs_at_its_lines_without_what_starts_it() -> None:
    task = Task(id="p", statement="Do it.", entry=EntryPoint(kind="program"))
    state = BottomUp(task, single_owner_graph(task), "print(1)\n", 0)
    tree = state.tree("def leaf(x):\n    return x\n\n\ndef main():\n    print(leaf(input()))\n\n\nmain()")
    assert isinstance(tree, Part)
    text = unit_program(task, LEAF, tree.assembly)
    assert text.split("\n")[:2] == tree.assembly.program.split("\n")[:2]
    assert text.count("\n") == tree.assembly.program.count("\n")
    assert "\nmain()" in tree.assembly.program
    assert "\nmain()" not in text
    assert unit_program(task, RepairUnit(("main",), "main"), tree.assembly) == tree.assembly.program


def function(code: str) -> ast.FunctionDef | str:
    [definition] = ast.parse(code).body
    assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return checkable(definition)


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    pass",
        "async def f():\n    pass",
        "def f():\n    yield 1",
        "def f():\n    for i in g():\n        yield from i",
        "def f(*a):\n    pass",
        "def f(*, a):\n    pass",
        "def f(**a):\n    pass",
        "def f():\n    return input()",
        "def f():\n    return sys.stdin.read()",
    ],
)
def test_what_no_plain_call_can_check(code: str) -> None:
    assert isinstance(function(code), str)


def test_a_generator_inside_makes_no_generator() -> None:
    assert not isinstance(function("def f(x):\n    def g():\n        yield x\n    print(x)\n    return list(g())"), str)


def read(*given: tuple[str, str], code: str = "def f(a, b=2):\n    return a") -> tuple[list[object], int]:
    made = function(code)
    assert not isinstance(made, str)
    checks, refused = read_sub_checks(made, [SubCheckText(*each) for each in given], Comparator())
    inputs = [check.input for check in checks]
    assert all(isinstance(each, FunctionInput) for each in inputs)
    return [each.args for each in inputs if isinstance(each, FunctionInput)], len(refused)


def test_values_are_read_as_python_or_json_and_put_in_the_order_of_the_parameters() -> None:
    assert read(("{'b': None, 'a': 'True'}", "1")) == ([("True", None)], 0)
    assert read(('{"a": true}', "null")) == ([(True,)], 0)


@pytest.mark.parametrize(
    "given",
    [("{'b': 1}", "1"), ("{'a': 1, 'c': 2}", "1"), ("[1]", "1"), ("{'a': f(1)}", "1"), ("{'a': 1}", "what it is"),
     ("{'a': ...}", "1"), ("{[]: 1}", "1"), ("{'a': 1}", "1e999 - 1e999"), ("{" * 90, "1")],
)  # fmt: skip
def test_a_check_that_cannot_be_read_is_refused_alone(given: tuple[str, str]) -> None:
    assert read(given, ("{'a': 1}", "2")) == ([(1,)], 1)


def test_the_same_call_twice_is_one_check() -> None:
    assert read(("{'a': 1}", "2"), ("{'a': 1}", "3"), ("{'a': True}", "3")) == ([(1,), (True,)], 0)


@pytest.mark.parametrize("response", ["", "{}", '{"message": {"parts": [{"text": "no form"}]}}', "[" * 5000])
def test_an_answer_without_checks_is_an_error(response: str) -> None:
    with pytest.raises(RecordError):
        answered_checks(response, 3)
