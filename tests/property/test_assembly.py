"""Generated owners are linked: every line is owned, nothing changes its meaning, same inputs give the same bytes.

The generator writes small Python sources with colliding helpers, shadowed names and nested scopes. Only code that it
wrote is ever run here.
"""

from __future__ import annotations

import ast
import random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis import strategies as st

from auditcoder.core.acceptance import AcceptedSource, accept_source
from auditcoder.core.assembly import assemble
from auditcoder.core.graph import topological_order
from auditcoder.core.scopes import module_names
from auditcoder.errors import AssemblyError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.graph import ROOT, TASK, Contract, Node, Provider, Slot, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
NAMES = ("helper", "total", "N", "x", "sum", "max", "gcd", "items", "m", "_p", "__q", "Box")
IMPORTS = (
    ("gcd", "from math import gcd"),
    ("gcd", "from operator import add as gcd"),
    ("m", "import math as m"),
    ("m", "import operator as m"),
    ("max", "from builtins import min as max"),
    ("os", "import os.path"),
    ("helper", "from operator import neg as helper"),
)
PARAMETERS = ("a", "b")


class World(NamedTuple):
    """A graph with one source for each owner."""

    graph: TaskGraph
    task: Task
    sources: dict[str, str]

    @property
    def codes(self) -> dict[str, NodeCode]:
        return {node: code_of(node, source) for node, source in self.sources.items()}


def code_of(node: str, source: str) -> NodeCode:
    return NodeCode(node=node, source=source, digest=sha256_text(source))


class _Names(NamedTuple):
    """Which names hold integers and which hold functions of one integer, as far as the grammar knows."""

    numbers: tuple[str, ...]
    functions: tuple[str, ...]

    def number(self, name: str) -> _Names:
        kept = tuple(each for each in self.functions if each != name)
        return _Names(tuple(dict.fromkeys((*self.numbers, name))), kept)

    def function(self, name: str) -> _Names:
        kept = tuple(each for each in self.numbers if each != name)
        return _Names(kept, tuple(dict.fromkeys((*self.functions, name))))


@st.composite
def expressions(draw: st.DrawFn, names: _Names, depth: int = 2) -> str:
    simple = [str(draw(st.integers(0, 9))), *names.numbers]
    if depth == 0:
        return draw(st.sampled_from(simple))
    inner = expressions(names, depth - 1)
    form = draw(st.integers(0, 9))
    name = draw(st.sampled_from(NAMES))
    number = draw(st.sampled_from(simple))
    if form == 0 and names.functions:
        return f"{draw(st.sampled_from(names.functions))}({draw(inner)})"
    if form == 1:
        return f"len([{draw(expressions(names.number(name), depth - 1))} for {name} in range({number})])"
    if form == 2:
        return f"(lambda {name}: {draw(expressions(names.number(name), depth - 1))})({draw(inner)})"
    if form == 3:
        return f"(lambda {name}={draw(inner)}: {name})()"
    if form == 4:
        quote = ('"' if depth == 2 else "'") * 3  # nested f-strings need other quotes before Python 3.12
        return f"len(f{quote}{{{number}=}} {{{draw(inner)}:>{{{number}}}}} é{{{{{name}}}}}{quote})"
    if form == 5:
        return f"dict({name}={draw(inner)})['{name}']"
    if form == 6:
        return f"[{name} + 1 for {name} in [{draw(inner)}] if [{name} for {name} in [{number}]]][0]"
    return f"({draw(inner)} + {draw(inner)})"


@st.composite
def bodies(draw: st.DrawFn, names: _Names, depth: int = 1) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(NAMES))
        form = draw(st.integers(0, 5))
        if form == 0 and depth:
            head, inner, names = f"def {name}(x):", draw(bodies(names.number("x"), depth - 1)), names.function(name)
            lines += [head, *(f"    {line}" for line in inner)]
        elif form == 1:
            lines.append(f"for {name} in range({draw(expressions(names))} % 3): pass  # {name}")
        elif form == 2:
            lines += ["try:", f"    {draw(expressions(names))} // 0", f"except ArithmeticError as {name}: pass"]
        elif form == 3:
            lines += [f"match {draw(expressions(names))}:", f"    case {name}: pass"]
            names = names.number(name)
        else:
            lines.append(f"{name} = {draw(expressions(names))}")
            names = names.number(name)
    return [*lines, f"return {draw(expressions(names))}"]


@st.composite
def owners(draw: st.DrawFn, public: str, foreign: tuple[str, ...] = ()) -> str:
    """Return a source that defines `public(a, b)` and private things around it."""
    chunks: list[str] = []
    names = _Names((), ())
    for local, statement in draw(st.lists(st.sampled_from(IMPORTS), max_size=2, unique_by=lambda pair: pair[0])):
        chunks.append(f"# {local}\n{statement}")
    for _ in range(draw(st.integers(0, 4))):
        name = draw(st.sampled_from(NAMES))
        form = draw(st.integers(0, 4))
        if form == 0:
            chunks.append(f"{name} = {draw(expressions(names))}  # {name}")
            names = names.number(name)
        elif form == 1:
            stored = draw(st.sampled_from([each for each in NAMES if each != "x"]))
            lines = [f"global {stored}", f"{stored} = {draw(expressions(names.number('x'), 1))}", f"return {stored}"]
            chunks.append(_function(name, "x", lines))
            names = names.function(name)
        elif form == 2:
            attribute = draw(st.sampled_from(NAMES))
            chunks.append(_class(name, attribute, draw(expressions(names, 1)), draw(expressions(names.number("x"), 1))))
            names = names.function(f"{name}(3).{attribute}")
        else:
            default = f"x={draw(expressions(names, 1))}"
            chunks.append(_function(name, default, draw(bodies(names.number("x")))))
            names = names.function(name)
    inside = _Names((*names.numbers, *PARAMETERS), (*names.functions, *(f"(lambda x: {f}(x, x))" for f in foreign)))
    chunks.append(_function(public, ", ".join(PARAMETERS), draw(bodies(inside))))
    return "\n".join(chunks) + "\n"


def _function(name: str, parameters: str, lines: list[str]) -> str:
    return "\n".join([f"def {name}({parameters}):", f'    """{name}"""', *(f"    {line}" for line in lines)])


def _class(name: str, attribute: str, default: str, result: str) -> str:
    return "\n".join(
        [
            f"class {name}:",
            f"    def __init__(self, x={default}):",
            "        self.x = x",
            f"    def {attribute}(self, x):",
            f"        return self.x + {result}",
        ]
    )


def chain_graph(count: int) -> TaskGraph:
    """Return leaves `S1` ... that each take (a, b) and the root that takes their results."""
    leaves = [_leaf(index) for index in range(1, count + 1)]
    root = Node(
        id=ROOT,
        goal="Connect.",
        executor="orchestration",
        kind="orchestrator",
        contract=Contract(signatures=(_signature("entry"),)),
        inputs=tuple(Slot(name=f"r{index}") for index in range(1, count + 1)),
        outputs=(Slot(name="result"),),
        provenance=tuple(Provider(slot=f"r{i}", node=f"S{i}", output=f"r{i}") for i in range(1, count + 1)),
    )
    return TaskGraph(nodes=(root, *leaves), order=tuple(leaf.id for leaf in leaves))


def _leaf(index: int) -> Node:
    return Node(
        id=f"S{index}",
        parent=ROOT,
        goal=f"Step {index}.",
        executor="simulation",
        kind="leaf",
        contract=Contract(signatures=(_signature(f"step_{index}"),)),
        inputs=tuple(Slot(name=name) for name in PARAMETERS),
        outputs=(Slot(name=f"r{index}"),),
        provenance=tuple(Provider(slot=name, node=TASK, output=name) for name in PARAMETERS),
    )


def _signature(name: str) -> FunctionSignature:
    return FunctionSignature(name=name, parameters=tuple(Parameter(name=parameter) for parameter in PARAMETERS))


FUNCTION_TASK = Task(
    id="generated",
    statement="Compute.",
    entry=EntryPoint(kind="function", name="entry", signature=_signature("entry")),
    prelude="from math import gcd\n\n\ndef given(total):\n    return sum([total, gcd(4, 6)])\n",
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    count = draw(st.integers(1, 3))
    steps = tuple(f"step_{index}" for index in range(1, count + 1))
    sources = {f"S{index}": draw(owners(f"step_{index}", steps[: index - 1])) for index in range(1, count + 1)}
    sources[ROOT] = draw(owners("entry", steps))
    return World(chain_graph(count), FUNCTION_TASK, sources)


NOISE = (
    "print(NAME(1, 2))",
    "assert NAME(1, 2) == NAME(1, 2)",
    'if __name__ == "__main__":\n    print(NAME(3, 4))',
    "def test_NAME():\n    assert NAME(0, 0)",
    '"""A note."""',
    "def step_1(a, b): return 0",
    "from entry import entry, step_1",
)
ARGUMENTS = ((0, 0), (1, 2), (5, 3))
FEW = settings(max_examples=20, deadline=None, suppress_health_check=SLOW)


def link(world: World, before: Assembly | None = None) -> Assembly:
    """Assemble, leaving out the worlds in which a class body makes a needed renaming undecidable."""
    try:
        return assemble(world.graph, world.codes, world.task, before)
    except AssemblyError as error:
        assume("a class body binds and reads it" not in error.message)
        raise


def run(namespace: dict[str, Any], name: str, arguments: tuple[int, int]) -> object:
    """Return a result or the kind of the exception; both must be kept by linking."""
    try:
        value = namespace[name](*arguments)
    except Exception as error:
        return type(error)
    return value if isinstance(value, int) else type(value).__name__.partition("__")[0]


def load(source: str) -> dict[str, Any] | type[BaseException]:
    namespace: dict[str, Any] = {"__name__": "generated"}
    try:
        exec(compile(source, "<generated>", "exec"), namespace)
    except Exception as error:
        return type(error)
    return namespace


def apart(world: World) -> dict[str, dict[str, Any]] | None:
    """Load every owner on its own, then give each the others' public functions; None when one does not load."""
    spaces: dict[str, dict[str, Any]] = {}
    for node in topological_order(world.graph):
        space = load(f"{world.task.prelude}\n{world.sources[node]}" if node == ROOT else world.sources[node])
        if not isinstance(space, dict):
            return None
        spaces[node] = space
    public = {name: spaces[node][name] for node, name in public_names(world).items()}
    for space in spaces.values():
        space.update({name: function for name, function in public.items() if name not in space})
    return spaces


def public_names(world: World) -> dict[str, str]:
    return {node.id: node.contract.signatures[0].name for node in world.graph.nodes}


@FEW
@given(worlds())
def test_linking_keeps_what_every_public_function_does(world: World) -> None:
    spaces = apart(world)
    assume(spaces is not None and spaces)
    assembly = link(world)
    joined = load(assembly.program)
    assert isinstance(joined, dict)
    for node, name in public_names(world).items():
        for arguments in ARGUMENTS:
            assert run(joined, name, arguments) == run((spaces or {})[node], name, arguments), assembly.program


@FEW
@given(worlds())
def test_every_line_has_one_owner_and_units_are_recoverable(world: World) -> None:
    assembly = link(world)
    compile(assembly.program, "<program>", "exec")
    lines = assembly.program.split("\n")
    for number, line in enumerate(lines, start=1):
        holders = [entry for entry in assembly.lines if entry.first <= number <= entry.last]
        assert len(holders) <= 1
        assert holders or not line.strip()
    for unit in assembly.units:
        inside = [e for e in assembly.lines if e.unit == unit.name or e.unit.startswith(f"{unit.name}.")]
        text = "\n".join(line for entry in inside for line in lines[entry.first - 1 : entry.last])
        assert (text, unit.digest) == (unit.text, sha256_text(text))
        assert {entry.owner for entry in inside} == {unit.owner}
    assert {e.unit for e in assembly.lines} == {unit.name for unit in assembly.units}


@FEW
@given(worlds(), st.randoms(use_true_random=False))
def test_same_inputs_give_the_same_bytes_in_any_order(world: World, order: random.Random) -> None:
    first = link(world)
    nodes, codes = list(world.graph.nodes), list(world.codes.items())
    order.shuffle(nodes)
    order.shuffle(codes)
    shuffled = world.graph.model_copy(update={"nodes": tuple(nodes)})
    assert assemble(shuffled, dict(codes), world.task).model_dump_json() == first.model_dump_json()
    assert assemble(world.graph, world.codes, world.task, first) == first


@FEW
@given(worlds(), owners("step_1"))
def test_a_repair_of_one_node_leaves_the_units_of_the_others(world: World, source: str) -> None:
    before = link(world)
    after = link(world._replace(sources={**world.sources, "S1": source}), before)
    kept = {unit.name: unit for unit in before.units if unit.owner != "S1" and unit.name != "<imports>"}
    assert {unit.name: unit for unit in after.units if unit.owner != "S1" and unit.name != "<imports>"} == kept


@FEW
@given(worlds(), owners("entry"), st.sampled_from(NAMES))
def test_a_name_that_nobody_gave_a_node_means_the_same_after_any_repair(world: World, root: str, name: str) -> None:
    """Imports are left out: they may serve others (`core/claims.py`). So is what the prelude gives to everyone."""
    assume(name not in module_names(ast.parse(world.sources["S1"])).bound)
    assume(name not in module_names(ast.parse(world.task.prelude)).bound)
    assume(not any(f"# {name}\n" in source for source in (*world.sources.values(), root)))
    reader = f"{world.sources['S1']}\n\ndef reader():\n    return {name}\n"
    world = world._replace(sources={**world.sources, "S1": reader})
    spaces = apart(world)
    assume(spaces is not None)
    before = link(world)
    after = link(world._replace(sources={**world.sources, ROOT: root}), before)
    for assembly in (before, after):
        joined = load(assembly.program)
        if isinstance(joined, dict):
            assert peek(joined) == peek((spaces or {})["S1"]), assembly.program


def peek(namespace: dict[str, Any]) -> object:
    try:
        return namespace["reader"]()
    except NameError:
        return NameError


@FEW
@given(worlds(), st.lists(st.sampled_from(NOISE), min_size=1, max_size=3, unique=True))
def test_accepted_answers_mean_the_same_without_their_noise(world: World, noise: list[str]) -> None:
    foreign = set(public_names(world).values()) - {"step_2", "entry"}
    source = world.sources.get("S2")
    assume(source is not None)
    answer = f"{source}\n" + "\n".join(part.replace("NAME", "step_2") for part in noise) + "\n"
    accepted = accept_source(answer, world.graph.node("S2"), world.task, foreign)
    assert isinstance(accepted, AcceptedSource), accepted
    assert len(accepted.stripped) >= len(noise)
    assert accept_source(accepted.source, world.graph.node("S2"), world.task, foreign) == (accepted.source, ())
    plain, cleaned = load(source or ""), load(accepted.source)
    assume(isinstance(plain, dict) and isinstance(cleaned, dict))
    assert isinstance(plain, dict)
    assert isinstance(cleaned, dict)
    for arguments in ARGUMENTS:
        assert run(cleaned, "step_2", arguments) == run(plain, "step_2", arguments)


@pytest.mark.parametrize("kind", [ast.FunctionDef, ast.ClassDef, ast.alias, ast.Global, ast.JoinedStr, ast.Match])
def test_generated_worlds_make_the_properties_matter(kind: type[ast.AST]) -> None:
    """The generator must reach worlds with renames in which every kind of syntax that matters occurs."""

    def matters(world: World) -> bool:
        nodes = (part for source in world.sources.values() for part in ast.walk(ast.parse(source)))
        return any(isinstance(part, kind) for part in nodes) and bool(link(world).renames)

    find(worlds(), matters, settings=settings(max_examples=400, deadline=None, phases=[Phase.generate], database=None))
