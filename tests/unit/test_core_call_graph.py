"""The graph of definitions, the units of a bottom-up repair, and flattening."""

from __future__ import annotations

import pytest

from auditcoder.core.call_graph import flatten, repair_units

CHAIN = """\
def root(x):
    # leaf_two is only named here
    return middle(x) + leaf(x)


def middle(x):
    return leaf(x)


def leaf(x):
    "calls root in words only"
    return x


def leaf_two(x):
    return x
"""


def names(source: str, root: str = "root") -> list[tuple[str, ...]]:
    return [unit.names for unit in repair_units(source, root)]


def test_callees_come_first_and_what_nobody_reaches_is_left_out() -> None:
    assert names(CHAIN) == [("leaf",), ("middle",), ("root",)]


def test_without_a_root_every_definition_counts() -> None:
    assert names(CHAIN, "") == [("leaf",), ("middle",), ("root",), ("leaf_two",)]


def test_a_name_inside_another_name_or_a_shadowed_one_is_no_edge() -> None:
    source = "def root(leaf):\n    leaf_2 = leaf\n    return leaf_2\ndef leaf():\n    return root(1)\n"
    assert names(source) == [("root",)]


def test_a_cycle_is_one_unit_with_the_member_that_is_called_from_outside() -> None:
    source = (
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n > 0 and even(n - 1)\n"
        "def root(n):\n    return odd(n)\n"
    )
    units = repair_units(source, "root")
    assert [(unit.names, unit.entry) for unit in units] == [(("even", "odd"), "odd"), (("root",), "root")]


def test_the_root_enters_its_own_cycle() -> None:
    source = "def help(n):\n    return root(n - 1)\ndef root(n):\n    return n and help(n)\n"
    assert [(u.names, u.entry) for u in repair_units(source, "root")] == [(("help", "root"), "root")]


def test_recursion_is_a_unit_of_one() -> None:
    assert names("def root(n):\n    return n and root(n - 1)\n") == [("root",)]


def test_a_function_is_reached_through_a_table_and_a_class() -> None:
    source = (
        "def root(x):\n    return Box(x).get() + TABLE['a'](x)\nTABLE = {'a': add}\ndef add(x):\n    return x\n"
        "class Box:\n    def __init__(self, x):\n        self.x = scale(x)\n    def get(self):\n        return self.x\n"
        "def scale(x):\n    return x\n"
    )
    assert sorted(names(source)[:-1]) == [("Box",), ("add",), ("scale",)]
    assert names(source).index(("scale",)) < names(source).index(("Box",))


def test_what_does_not_parse_has_no_units() -> None:
    assert names("def root(:") == []


NESTED = """\
def root(items):
    def twice(x):
        return x * 2

    def four(x):
        return twice(twice(x))

    return [four(item) for item in items]
"""


def test_nested_functions_are_lifted_one_after_the_other() -> None:
    flat = flatten(NESTED)
    assert [(unit.names) for unit in repair_units(flat, "root")] == [("twice",), ("four",), ("root",)]
    space: dict[str, object] = {}
    exec(flat, space)
    assert space["root"]([1, 2]) == [4, 8]  # type: ignore[operator]


def test_the_blanks_of_a_text_survive() -> None:
    source = 'def root():\n    def text():\n        return """a\n        b"""\n\n    return text()\n'
    space: dict[str, object] = {}
    exec(flatten(source), space)
    assert space["root"]() == "a\n        b"  # type: ignore[operator]
    assert "text" in space


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def root(x):\n    def g():\n        return x\n    return g()\n", id="uses a parameter"),
        pytest.param(
            "def root():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n    return n\n",
            id="nonlocal",
        ),
        pytest.param("def root():\n    @cache\n    def g():\n        return 1\n    return g()\n", id="decorated"),
        pytest.param("def root():\n    def g(a=[]):\n        return a\n    return g()\n", id="mutable default"),
        pytest.param("def g():\n    return 0\ndef root():\n    def g():\n        return 1\n    return g()\n",
                     id="taken"),
        pytest.param("def root():\n    def max():\n        return 1\n    return max()\ndef f():\n    return max(1)\n",
                     id="a built-in's name"),
        pytest.param("def root():\n    def g():\n        return 1\n    g = g()\n    return g\n", id="bound again"),
        pytest.param("def root():\n    def g():\n        return 1\n    return locals()\n", id="frame is read"),
        pytest.param("def root():\n    def g():\n        return 1\n    g.seen = 1\n    return g\n", id="attribute"),
        pytest.param("def root():\n    def g(): return 1\n", id="nothing else in the body"),
        pytest.param("class C:\n    def m(self):\n        return 1\n", id="method"),
        pytest.param("def root(:", id="no program"),
    ],
)  # fmt: skip
def test_what_would_change_the_program_stays(source: str) -> None:
    assert flatten(source) == source
