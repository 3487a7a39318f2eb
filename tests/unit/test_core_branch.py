"""Which branches can be replanned on their own: slot edges across the border, and uses on the syntax tree."""

from __future__ import annotations

import pytest

from auditcoder.core.branch import support
from auditcoder.core.parsing import Refusal, parse_source
from auditcoder.core.units import IMPORTS, parse_units
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.graph import Contract, Node, Provider, Slot, TaskGraph
from auditcoder.records.task import FunctionSignature


def node(name: str, parent: str, takes: str = "", gives: str = "", function: str = "", depends: str = "") -> Node:
    """`takes` is a list of `slot<provider.output`."""
    sources = [text.replace("<", ".").split(".") for text in takes.split()]
    return Node(
        id=name,
        parent=parent,
        goal="g",
        executor="simulation",
        kind="leaf",
        contract=Contract(signatures=tuple(FunctionSignature(name=each) for each in function.split())),
        inputs=tuple(Slot(name=slot) for slot, _, _ in sources if not slot.startswith("_")),
        outputs=tuple(Slot(name=slot) for slot in gives.split()),
        provenance=tuple(Provider(slot=slot, node=n, output=o) for slot, n, o in sources),
        depends_on=tuple(depends.split()),
    )


def plan(**changed: Node) -> TaskGraph:
    """S1 is the branch, over S1_S1 and S1_S2; S2 stands in front of it, S3 behind."""
    nodes = {
        "S0": node("S0", "", "done<S3.done", "out"),
        "S1": node("S1", "S0", "text<S2.text", "packed", "pack"),
        "S1_S1": node("S1_S1", "S1", "text<S1.text", "parts", "cut"),
        "S1_S2": node("S1_S2", "S1", "parts<S1_S1.parts", "packed", "inner"),
        "S2": node("S2", "S0", "raw<task.raw", "text other", "read"),
        "S3": node("S3", "S0", "packed<S1.packed", "done", "finish"),
        **changed,
    }
    return TaskGraph(nodes=tuple(nodes.values()), order=())


def program(outside: str, *, inside: str = "def inner(x):\n    return x\n") -> Assembly:
    units = [
        *units_of(outside, "S3"),
        *units_of(inside, "S1_S2"),
        *units_of("def pack(text):\n    return inner(text)\n", "S1"),
    ]
    return Assembly(program="p", digest="d", units=tuple(units), lines=())


def units_of(source: str, owner: str) -> tuple[CodeUnit, ...]:
    found = parse_units(source, owner)
    assert not isinstance(found, Refusal), found
    return found


CALLS_PACK = program("def finish(x):\n    return pack(x)\n")

# --- slots -----------------------------------------------------------------------------------------------------------

SLOTS: dict[str, tuple[TaskGraph, str]] = {
    "edges-through-the-root-only": (plan(), ""),
    "a-value-that-the-root-takes-too-is-handed-down": (plan(S1_S1=node("S1_S1", "S1", "text<S2.text", "parts")), ""),
    "a-task-input-that-the-root-takes-too": (
        plan(S1=node("S1", "S0", "text<task.raw", "packed", "pack"), S1_S1=node("S1_S1", "S1", "t<task.raw", "parts")),
        ""),
    "inside-takes-what-the-root-does-not": (
        plan(S1_S1=node("S1_S1", "S1", "text<S2.other", "parts")),
        "S1_S1 takes S2.other past the declared slots of S1"),
    "inside-takes-a-task-input-that-the-root-does-not": (
        plan(S1_S1=node("S1_S1", "S1", "text<task.raw", "parts")),
        "S1_S1 takes task.raw past the declared slots of S1"),
    "the-roots-own-input-is-not-declared": (
        plan(S1=node("S1", "S0", "text<S2.text _more<S2.other", "packed", "pack")),
        "S1 takes S2.other past the declared slots of S1"),
    "outside-takes-from-inside": (
        plan(S3=node("S3", "S0", "packed<S1_S2.packed", "done")),
        "S3 takes S1_S2.packed past the declared slots of S1"),
    "outside-takes-from-inside-what-the-root-takes-back": (
        plan(
            S1=node("S1", "S0", "text<S2.text back<S1_S2.packed", "packed", "pack"),
            S3=node("S3", "S0", "packed<S1_S2.packed", "done"),
        ),
        "S3 takes S1_S2.packed past the declared slots of S1"),
    "outside-takes-an-output-that-is-not-declared": (
        plan(S3=node("S3", "S0", "packed<S1.size", "done")), "S3 takes S1.size past the declared slots of S1"),
    "outside-takes-an-input-of-the-root": (
        plan(S3=node("S3", "S0", "text<S1.text", "done")), "S3 takes S1.text past the declared slots of S1"),
    "the-parent-takes-from-inside": (
        plan(S0=node("S0", "", "parts<S1_S1.parts", "out")), "S0 takes S1_S1.parts past the declared slots of S1"),
    "outside-depends-on-the-root": (plan(S3=node("S3", "S0", "p<S1.packed", "done", depends="S1")), ""),
    "outside-depends-on-inside": (
        plan(S3=node("S3", "S0", "p<S1.packed", "done", depends="S1_S1")), "S3 depends on S1_S1 inside the branch"),
    "inside-depends-on-a-provider-of-the-root": (
        plan(S1_S1=node("S1_S1", "S1", "text<S1.text", "parts", depends="S2")), ""),
    "inside-depends-on-another": (
        plan(S1_S1=node("S1_S1", "S1", "text<S1.text", "parts", depends="S3")),
        "S1_S1 depends on S3, which S1 does not take from"),
    "no-signature": (plan(S1=node("S1", "S0", "text<S2.text", "packed")), "S1 has no contract with a signature"),
}  # fmt: skip


@pytest.mark.parametrize(("graph", "reason"), SLOTS.values(), ids=SLOTS.keys())
def test_slots_across_the_border(graph: TaskGraph, reason: str) -> None:
    assert support("S1", graph, CALLS_PACK) == reason


def test_a_node_that_the_plan_does_not_have() -> None:
    assert support("S9", plan(), CALLS_PACK) == "the plan has no node S9"


def test_a_leaf_is_a_branch_of_its_own() -> None:
    assert support("S3", plan(), CALLS_PACK) == ""


def test_the_whole_plan_has_nothing_outside() -> None:
    whole = plan(S0=node("S0", "", "raw<task.raw", "out", "main"))
    assert support("S0", whole, program("def main(raw):\n    return inner(raw)\n")) == ""
    assert support("S0", plan(), CALLS_PACK) == "S0 has no contract with a signature"


# --- code ------------------------------------------------------------------------------------------------------------

USES: dict[str, str] = {
    "call": "def finish(x):\n    return inner(x)\n",
    "call-in-a-nested-function": "def finish(x):\n    def go():\n        return inner(x)\n    return go()\n",
    "alias": "def finish(x):\n    f = inner\n    return f(x)\n",
    "module-level-alias": "again = inner\n\ndef finish(x):\n    return again(x)\n",
    "passed-on": "def finish(xs):\n    return list(map(inner, xs))\n",
    "keyword-value": "def finish(xs):\n    return sorted(xs, key=inner)\n",
    "star-argument": "def finish(x):\n    return print(*inner(x))\n",
    "double-star-argument": "def finish(x):\n    return dict(**inner(x))\n",
    "attribute-of-the-result": "def finish(x):\n    return inner(x).real\n",
    "attribute-of-the-function": "def finish(x):\n    return inner.__name__\n",
    "decorator": "@inner\ndef finish(x):\n    return x\n",
    "class-decorator": "@inner\nclass Kept:\n    pass\n",
    "default-argument": "def finish(x, f=inner):\n    return f(x)\n",
    "default-of-a-parameter-of-that-name": "def finish(x, inner=inner):\n    return inner(x)\n",
    "keyword-only-default": "def finish(x, *, f=inner):\n    return f(x)\n",
    "lambda-body": "def finish(x):\n    return (lambda y: inner(y))(x)\n",
    "lambda-default": "def finish(x):\n    return (lambda y=inner: y)()(x)\n",
    "annotation": "def finish(x: inner) -> int:\n    return x\n",
    "class-base": "class Kept(inner):\n    pass\n",
    "class-keyword": "class Kept(metaclass=inner):\n    pass\n",
    "class-attribute": "class Kept:\n    f = inner\n",
    "class-attribute-of-that-name": "class Kept:\n    inner = inner\n",
    "class-body-does-not-shadow-for-methods":
        "class Kept:\n    inner = 1\n\n    def go(self, x):\n        return inner(x)\n",
    "perhaps-bound-in-a-class-body":
        "class Kept:\n    for _ in range(0):\n        inner = 1\n    f = inner\n",
    "f-string": 'def finish(x):\n    return f"{inner(x)!r:>5}"\n',
    "f-string-format": 'def finish(x):\n    return f"{x:{inner(x)}}"\n',
    "first-iterable-of-a-comprehension-that-shadows": "def finish(x):\n    return [inner for inner in inner(x)]\n",
    "comprehension-element": "def finish(xs):\n    return {x: inner(x) for x in xs}\n",
    "comprehension-condition": "def finish(xs):\n    return any(x for x in xs if inner(x))\n",
    "comprehension-variable-is-gone-after-it": "def finish(xs):\n    [inner for inner in xs]\n    return inner(xs)\n",
    "global-statement": "def finish(x):\n    global inner\n    inner = x\n",
    "global-read-in-a-shadowing-function":
        "def finish(x):\n    inner = 1\n    def go():\n        global inner\n        return inner(x)\n    return go\n",
    "condition": "def finish(x):\n    return 1 if inner(x) else 2\n",
    "exception-class": "def finish(x):\n    try:\n        return x\n    except inner:\n        return 0\n",
    "match-value": "def finish(x):\n    match x:\n        case inner():\n            return 1\n",
    "with-statement": "def finish(x):\n    with inner(x) as y:\n        return y\n",
    "raise": "def finish(x):\n    raise inner(x)\n",
    "deletion-at-module-level": "del inner\n",
}  # fmt: skip


@pytest.mark.parametrize("outside", USES.values(), ids=USES.keys())
def test_a_use_from_outside(outside: str) -> None:
    assert "uses `inner`, which the branch does not expose" in support("S1", plan(), program(outside))


LOOKALIKES: dict[str, str] = {
    "the-exposed-function": "def finish(x):\n    return pack(x)\n",
    "parameter": "def finish(inner):\n    return inner(1)\n",
    "star-parameter": "def finish(*inner):\n    return inner\n",
    "double-star-parameter": "def finish(**inner):\n    return inner\n",
    "keyword-only-parameter": "def finish(*, inner):\n    return inner\n",
    "lambda-parameter": "def finish(x):\n    return (lambda inner: inner)(x)\n",
    "local-variable": "def finish(x):\n    inner = x\n    return inner\n",
    "local-variable-bound-below": "def finish(x):\n    if x:\n        return inner\n    inner = 1\n",
    "local-function": "def finish(x):\n    def inner(y):\n        return y\n    return inner(x)\n",
    "local-import": "def finish(x):\n    from math import floor as inner\n    return inner(x)\n",
    "local-class": "def finish(x):\n    class inner:\n        pass\n    return inner()\n",
    "loop-variable": "def finish(xs):\n    for inner in xs:\n        print(inner)\n",
    "with-variable": "def finish(x):\n    with x as inner:\n        return inner\n",
    "exception-variable":
        "def finish(x):\n    try:\n        return x\n    except ValueError as inner:\n        raise inner\n",
    "walrus": "def finish(x):\n    return (inner := x) + inner\n",
    "walrus-in-a-comprehension": "def finish(xs):\n    [inner := x for x in xs]\n    return inner\n",
    "match-capture": "def finish(x):\n    match x:\n        case [inner, *rest]:\n            return inner, rest\n",
    "comprehension-variable": "def finish(xs):\n    return [inner for inner in xs if inner]\n",
    "enclosing-variable": "def finish(x):\n    inner = x\n    def go():\n        return inner\n    return go\n",
    "nonlocal":
        "def finish(x):\n    inner = x\n    def go():\n        nonlocal inner\n        inner = 2\n    return go\n",
    "attribute": "def finish(x):\n    return x.inner(1)\n",
    "attribute-store": "def finish(x):\n    x.inner = 1\n",
    "keyword-argument": "def finish(x):\n    return dict(inner=x)\n",
    "method": "class Kept:\n    def inner(self):\n        return self.inner()\n",
    "class-body-name-used-behind-it": "class Kept:\n    inner = 1\n    f = inner\n",
    "string": 'def finish(x):\n    return "inner(x)"\n',
    "f-string-text": 'def finish(x):\n    return f"inner {x} inner"\n',
    "string-annotation": 'def finish(x: "inner") -> "list[inner]":\n    return x\n',
    "docstring": 'def finish(x):\n    """Does what inner(x) does; see `inner`."""\n    return x\n',
    "comment": "def finish(x):\n    # inner(x)\n    return x\n",
    "key": 'def finish(x):\n    return {"inner": x}["inner"]\n',
    "longer-name": "def finish(x):\n    return x.inner_most\n",
}  # fmt: skip


@pytest.mark.parametrize("outside", LOOKALIKES.values(), ids=LOOKALIKES.keys())
def test_what_only_looks_like_a_use(outside: str) -> None:
    assert support("S1", plan(), program(outside)) == ""


INNER = "def inner(x):\n    return x\n"
OTHER_UNITS: dict[str, tuple[str, str, str]] = {
    # name: (code inside, code outside, part of the reason)
    "inside-uses-outside": (INNER + "\n\ndef _h():\n    return finish(1)\n", "def finish(x):\n    return x\n", ""),
    "helper": (INNER + "\n\ndef _h():\n    return 1\n", "def finish(x):\n    return _h()\n", "uses `_h`"),
    "variable": (INNER + "\nLIMIT = 3\n", "def finish(x):\n    return LIMIT\n", "uses `LIMIT`"),
    "variable-of-both-sides": (
        "def inner(x):\n    global count\n    count = x\n", "count = 0\n\ndef finish(x):\n    return count\n", ""),
    "variable-that-only-inside-binds": (
        "def inner(x):\n    global count\n    count = x\n", "def finish(x):\n    return count\n", "uses `count`"),
    "class": (
        INNER + "\nclass Box:\n    pass\n", "def finish(x):\n    return Box()\n", "uses `Box`"),
    "method-called-on-its-class": (
        INNER + "\nclass Box:\n    def get(self):\n        return 1\n",
        "def finish(x):\n    return Box.get(x)\n", "uses `Box`"),
    "method-of-that-name-on-an-unknown-object": (
        INNER + "\nclass Box:\n    def get(self):\n        return 1\n", "def finish(x):\n    return x.get()\n", ""),
    "mangled-name": (
        INNER + "\n\ndef _Kept__h():\n    return 1\n",
        "class Kept:\n    def go(self):\n        return __h()\n", "uses `_Kept__h`"),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "outside", "reason"), OTHER_UNITS.values(), ids=OTHER_UNITS.keys())
def test_units_other_than_functions(inside: str, outside: str, reason: str) -> None:
    found = support("S1", plan(), program(outside, inside=inside))
    assert reason in found
    assert bool(found) == bool(reason)


BOX = "class Box:\n    def put(self, x):\n        return self.hide(x)\n\n    def hide(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("outside", "reason"),
    [
        ("def finish(x):\n    return Box().put(x)\n", ""),
        ("def finish(x):\n    return Box.put(Box(), x)\n", ""),
        ("def finish(x):\n    return Box.hide(Box(), x)\n", "uses `Box.hide`"),
        ("def finish(Box):\n    return Box.hide(1)\n", ""),
    ],
)
def test_a_contract_of_methods_exposes_these_and_their_class(outside: str, reason: str) -> None:
    graph = plan(S1=node("S1", "S0", "text<S2.text", "packed", "put"))
    found = support("S1", graph, program(outside, inside=BOX))
    assert reason in found
    assert bool(found) == bool(reason)


def test_an_import_that_others_need_is_no_use() -> None:
    imports = CodeUnit(name=IMPORTS, kind="block", owner="S0", text="import inner_tools", digest="")
    with_imports = CALLS_PACK.model_copy(update={"units": (imports, *CALLS_PACK.units)})
    assert support("S1", plan(), with_imports) == ""


def test_code_that_cannot_be_read_supports_nothing() -> None:
    broken = CodeUnit(name="odd", kind="function", owner="S3", text="def odd(:", digest="")
    unreadable = CALLS_PACK.model_copy(update={"units": (*CALLS_PACK.units, broken)})
    assert support("S1", plan(), unreadable).startswith("`odd` of S3 cannot be read: syntax error")


def test_every_sample_is_python() -> None:
    samples = [*USES.values(), *LOOKALIKES.values()]
    assert all(hasattr(parse_source(sample), "body") for sample in samples)
