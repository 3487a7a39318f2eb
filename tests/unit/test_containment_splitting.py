"""Splitters, contracts and examples of the containment study, on programs written for this test."""

from __future__ import annotations

import ast

import pytest

from auditcoder.core.graph import integrity
from auditcoder.errors import TaskError
from auditcoder.eval.containment.classes import split_class
from auditcoder.eval.containment.classeval import unit_checks
from auditcoder.eval.containment.contracts import contract_of, doc_types, type_expression
from auditcoder.eval.containment.docstrings import class_examples, examples_of, local_checks
from auditcoder.eval.containment.edges import providers_first, without_circles
from auditcoder.eval.containment.fields import Access, access_of
from auditcoder.eval.containment.functions import FunctionLayout, split_functions
from auditcoder.records.graph import ROOT, TASK, Provider
from auditcoder.records.task import EntryPoint, Task, UnittestInput

FUNCTIONS = '''
import math

LIMIT = 3

def double(n: int) -> int:
    """Twice n.
    >>> double(2)
    4
    """
    return 2 * n

def quads(xs: list, n: int) -> list:
    """All four times.
    >>> quads([1], 2)
    [4]
    """
    def clip(x):
        return min(x, 100)
    def near(x):
        return x + n
    return [clip(double(double(x))) for x in xs if near(x) > LIMIT]
'''

CLASS = """
import math

class Till(dict):
    rate = 2

    def __init__(self, start):
        self.total = start
        self.log = []
        self.reset()

    def reset(self):
        self.log = []

    def pay(self, amount):
        self.total += self.rated(amount)
        self.log.append(amount)
        return self.total

    @staticmethod
    def rated(amount):
        return math.floor(amount) * Till.rate

    def last(self):
        return self.log[-1]
"""


def function_nodes() -> dict[str, tuple[Provider, ...]]:
    return {node.id: node.provenance for node in split_functions(FUNCTIONS, "quads").graph.nodes}


def test_functions_become_nodes_the_entry_is_the_root_and_inner_ones_that_stand_alone_are_lifted() -> None:
    split = split_functions(FUNCTIONS, "quads")
    assert [(part.unit, part.owner) for part in split.parts] == [("quads", ROOT), ("double", "S1"), ("clip", "S2")]
    assert "def near" in split.parts[0].text
    assert "def clip" not in split.parts[0].text
    assert '"""' not in split.parts[0].text
    assert split.prelude == "import math\nLIMIT = 3"
    assert integrity(split.graph) == ()


def test_the_root_takes_arguments_from_the_task_and_results_from_helpers() -> None:
    nodes = function_nodes()
    assert nodes[ROOT] == (
        Provider(slot="xs", node=TASK, output="xs"),
        Provider(slot="n", node=TASK, output="n"),
        Provider(slot="double()", node="S1", output="result"),
        Provider(slot="clip()", node="S2", output="result"),
    )
    assert nodes["S1"] == (Provider(slot="n", node=ROOT, output="n"),)
    assert nodes["S2"] == (Provider(slot="x", node=ROOT, output="xs"),)


def test_a_split_program_means_the_same() -> None:
    split = split_functions(FUNCTIONS, "quads")
    task = Task(id="own", statement="Own.", entry=EntryPoint(kind="function", name="quads"), prelude=split.prelude)
    program = FunctionLayout(task).active(split.graph, split.parts).assembly.program
    before: dict[str, object] = {}
    after: dict[str, object] = {}
    exec(FUNCTIONS, before)
    exec(program, after)
    for xs in ([], [1, 2], [30, 5]):
        assert before["quads"](xs, 2) == after["quads"](xs, 2)  # type: ignore[operator]


def test_examples_of_a_helper_are_its_local_checks_and_those_of_the_root_are_not() -> None:
    nodes = {node.id: node for node in split_functions(FUNCTIONS, "quads").graph.nodes}
    assert nodes[ROOT].local_checks == ()
    (check,) = nodes["S1"].local_checks
    assert (check.args, check.expected, check.has_expected) == ((2,), 4, True)


def test_an_entry_that_is_not_there_is_a_task_error() -> None:
    with pytest.raises(TaskError, match="does not define"):
        split_functions(FUNCTIONS, "other")


def test_methods_become_nodes_and_the_constructor_is_the_roots() -> None:
    split = split_class(CLASS, "Till", {})
    assert [(part.unit, part.owner) for part in split.parts] == [
        ("Till.__init__", ROOT),
        ("Till.reset", "S1"),
        ("Till.pay", "S2"),
        ("Till.rated", "S3"),
        ("Till.last", "S4"),
    ]
    assert integrity(split.graph) == ()


def test_a_method_takes_state_from_the_root_and_results_from_what_it_calls() -> None:
    nodes = {node.id: node for node in split_class(CLASS, "Till", {}).graph.nodes}
    assert nodes["S2"].provenance == (
        Provider(slot="amount", node=TASK, output="amount"),
        Provider(slot="self.log", node=ROOT, output="self.log"),
        Provider(slot="self.total", node=ROOT, output="self.total"),
        Provider(slot="rated()", node="S3", output="result"),
    )
    assert [slot.name for slot in nodes["S2"].outputs] == ["result", "self.log", "self.total"]
    assert Provider(slot="reset()", node="S1", output="result") in nodes[ROOT].provenance


def test_the_line_map_of_a_class_names_the_owner_of_every_method() -> None:
    split = split_class(CLASS, "Till", {})
    assembly = split.layout.active(split.graph, split.parts).assembly
    lines = assembly.program.split("\n")
    owners = {line.strip(): assembly.owner_of_line(number) for number, line in enumerate(lines, start=1) if line}
    found = {line: entry.owner for line, entry in owners.items() if entry}
    assert found["import math"] == ROOT
    assert found["class Till(dict):"] == ROOT
    assert found["rate = 2"] == ROOT
    assert found["self.total = start"] == ROOT
    assert found["@staticmethod"] == "S3"
    assert found["return self.log[-1]"] == "S4"
    assert {unit.name: unit.kind for unit in assembly.units}["Till.last"] == "method"


def test_a_class_means_the_same() -> None:
    split = split_class(CLASS, "Till", {})
    scope: dict[str, type] = {}
    exec(split.layout.active(split.graph, split.parts).assembly.program, scope)
    till = scope["Till"](1)
    assert (till.pay(2.5), till.last()) == (5, 2.5)


@pytest.mark.parametrize(
    ("body", "reads", "writes", "calls"),
    [
        ("return self.a", ("a",), (), ()),
        ("self.a = 1", (), ("a",), ()),
        ("self.a += 1", ("a",), ("a",), ()),
        ("self.a[0] = 1", ("a",), ("a",), ()),
        ("self.a.b = 1", ("a",), ("a",), ()),
        ("self.a[0].append(1)", ("a",), ("a",), ()),
        ("del self.a", (), ("a",), ()),
        ("return self.m() + K.m()", (), (), ("m",)),
        ("return other.a", (), (), ()),
        ("return self.a.count(1)", ("a",), (), ()),
    ],
)
def test_what_a_method_does_with_its_object(
    body: str, reads: tuple[str, ...], writes: tuple[str, ...], calls: tuple[str, ...]
) -> None:
    function = ast.parse(f"def f(self, other):\n    {body}").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert access_of(function, "K", {"m"}) == Access(reads, writes, calls)


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("int", "int"),
        ("float", "(int, float)"),
        ("List[int]", "list"),
        ("typing.Dict[str, int]", "dict"),
        ("int | None", ""),
        ("Optional[int]", ""),
        ("Any", ""),
    ],
)
def test_annotations_become_types_only_when_plain(annotation: str, wanted: str) -> None:
    assert type_expression(annotation) == wanted


def test_types_of_a_docstring() -> None:
    doc = """Does it.
    :param a: int, the count
    :param b: list of int
    :param c: the thing to do
    :param d: str or None
    :return: float, rounded
    """
    types = doc_types(doc)
    assert types.parameters == {"a": "int", "b": "list"}
    assert types.result == "(int, float)"


def test_a_contract_has_types_and_the_text() -> None:
    function = ast.parse("def f(self, a: int, b) -> str: pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    contract = contract_of(function, "Names a.\n:param b: list")
    assert [parameter.name for parameter in contract.signatures[0].parameters] == ["a", "b"]
    assert [one.expression for one in contract.preconditions] == ["isinstance(a, int)", "isinstance(b, list)"]
    assert [one.expression for one in contract.postconditions] == ["isinstance(result, str)", ""]
    assert contract.postconditions[-1].text.startswith("Names a.")


def test_examples_that_are_no_literals_are_no_local_checks() -> None:
    doc = ">>> f(1)\n2\n>>> f(x)\n3\n>>> f(2)\n<object>\n>>> g(1)\n2\n"
    assert [check.args for check in local_checks("f", doc)] == [(1,)]
    assert examples_of(">>>f(1)\n2") == ()


def test_an_example_of_a_method_is_a_test_of_the_class_and_borrows_its_object() -> None:
    docs = {"S1": ">>> till = Till(1)\n>>> till.pay(2)\n5\n", "S2": ">>> till.last()\n2\n", "S3": "No example."}
    checks = {check.id: check for check in class_examples(docs)}
    assert sorted(checks) == ["S1:E", "S2:E"]
    given = checks["S2:E"].input
    assert isinstance(given, UnittestInput)
    assert "        till = Till(1)\n        self.assertEqual(till.last(), 2)\n" in given.source


def test_every_test_method_is_a_check_with_what_its_case_defines() -> None:
    source = (
        "import unittest\nX = 1\nclass A(unittest.TestCase):\n    def setUp(self):\n        self.x = X\n"
        "    def test_one(self):\n        pass\n    def test_two(self):\n        pass\n"
        "class B(unittest.TestCase):\n    def test_three(self):\n        pass\n"
    )
    checks = list(unit_checks(source, ["A"]))
    assert [check.id for check in checks] == ["A.test_one", "A.test_two"]
    given = checks[1].input
    assert isinstance(given, UnittestInput)
    assert "def setUp" in given.source
    assert "X = 1" in given.source
    assert "test_one" not in given.source


def test_circles_are_cut_and_providers_come_first() -> None:
    edges = without_circles([("a", "b"), ("b", "c"), ("c", "a"), ("d", "d")])
    assert edges == (("a", "b"), ("b", "c"))
    assert providers_first(["c", "b", "a"], edges) == ("a", "b", "c")
