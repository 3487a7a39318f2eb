from __future__ import annotations

import pytest

from auditcoder.core.assembly import assemble
from auditcoder.core.plan import PlannedStep, build_graph, single_owner_graph
from auditcoder.errors import AssemblyError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode, Rename
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SOLVE = FunctionSignature(name="solve", parameters=(Parameter(name="n"),))
FUNCTION = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="solve", signature=SOLVE))
PROGRAM = Task(id="p", statement="Do it.", entry=EntryPoint(kind="program"))
CLASS = Task(
    id="c",
    statement="Do it.",
    entry=EntryPoint(kind="class", name="Box", methods=(FunctionSignature(name="put"),)),
)
FIRST, SECOND = "def halve(n):\n    return n // 2\n", "def grow(half):\n    return half + 1\n"
END = "def solve(n):\n    return grow(halve(n))\n"


def graph_of(task: Task) -> TaskGraph:
    start = "n" if task.entry.kind == "function" else "stdin"
    steps = (
        PlannedStep("halve", "Halves.", "simulation", (start,), "half"),
        PlannedStep("grow", "Grows.", "simulation", ("half",), "grown"),
    )
    return build_graph(task, steps, lambda expression, names: "")


def codes_of(*sources: str) -> dict[str, NodeCode]:
    """Return the codes of S1, S2, ... and, last, of the root."""
    ids = [*(f"S{index}" for index in range(1, len(sources))), ROOT]
    return {n: NodeCode(node=n, source=s, digest=sha256_text(s)) for n, s in zip(ids, sources, strict=True)}


def link(first: str, second: str, end: str, task: Task = FUNCTION, before: Assembly | None = None) -> Assembly:
    return assemble(graph_of(task), codes_of(first, second, end), task, before)


def test_owners_come_in_dependency_order_with_the_root_last() -> None:
    assembly = link(FIRST, SECOND, END)
    assert assembly.program == f"{FIRST}\n\n{SECOND}\n\n{END}"
    assert assembly.digest == sha256_text(assembly.program)
    assert [(line.first, line.last, line.unit, line.owner) for line in assembly.lines] == [
        (1, 2, "halve", "S1"),
        (5, 6, "grow", "S2"),
        (9, 10, "solve", ROOT),
    ]
    assert assembly.renames == ()


def test_imports_are_one_sorted_block_of_the_root() -> None:
    first = "from __future__ import annotations, division\nimport sys, os.path\nfrom math import sqrt, gcd as g\n"
    second = "from math import gcd as g\nimport sys\nimport numpy as np\nfrom math import sqrt as sqrt\n" + SECOND
    assembly = link(first + FIRST, second, END)
    block = next(unit for unit in assembly.units if unit.name == "<imports>")
    assert (block.owner, block.kind) == (ROOT, "block")
    assert block.text.split("\n") == [
        "from __future__ import annotations",
        "import numpy as np",
        "import os.path",
        "import sys",
        "from math import gcd as g, sqrt",
    ]
    assert assembly.renames == ()


COLLISIONS = {
    "same-helper": ("def h(): return 1\n", "def h(): return 2\n", {("S2", "h")}),
    "same-constant": ("N = 1\n", "N = 2\n", {("S2", "N")}),
    "same-alias": ("import math as m\n", "import cmath as m\n", {("S2", "m")}),
    "alias-and-constant": ("import math as m\n", "m = 1\n", {("S2", "m")}),
    "helper-like-a-public-name": ("from operator import neg as grow\n", "", {("S1", "grow")}),
    "helper-like-the-entry": ("solve = 3\n", "", {("S1", "solve")}),
    "helper-that-hides-a-builtin": ("def sum(x): return 0\n", "", {("S1", "sum")}),
    "import-that-hides-a-builtin": ("", "from math import pow\n", {("S2", "pow")}),
    "global-statement": ("N = 1\n", "def h():\n    global N\n    N = 2\n", {("S2", "N")}),
    "same-import": ("from math import gcd\n", "from math import gcd\n", set()),
    "package-and-submodule": ("import os\n", "import os.path\n", set()),
    "locals-only": ("def a(x):\n    N = x\n", "def b(N):\n    return N\n", set()),
    "fresh-name-is-taken": ("h = h__S2 = 1\n", "h = 2\n", {("S2", "h")}),
    "undecidable-claims-first": (
        "h = 1\n",
        "h = 2\nclass C:\n    if True: h = 3\n    x = h\n",
        {("S1", "h")},
    ),
}


@pytest.mark.parametrize(("first", "second", "expected"), list(COLLISIONS.values()), ids=list(COLLISIONS))
def test_only_colliding_private_names_are_renamed(first: str, second: str, expected: set[tuple[str, str]]) -> None:
    assembly = link(first + FIRST, second + SECOND, END)
    assert {(rename.node, rename.old) for rename in assembly.renames} == expected
    assert len({rename.new for rename in assembly.renames}) == len(assembly.renames)
    assert all(assembly.owner_of_unit(name) for name in ("halve", "grow", "solve"))


def test_a_rename_is_recorded_and_reaches_every_use() -> None:
    assembly = link(
        "N = 1\n" + FIRST, 'N = 2\ndef show(N=N): return f"{N=}"\ndef grow(half):\n    return f"{N=}"\n', END
    )
    assert assembly.renames == (Rename(node="S2", old="N", new="N__S2"),)
    assert 'N__S2 = 2\n\n\ndef show(N=N__S2): return f"{N=}"\n' in assembly.program
    assert 'return f"N={N__S2!r}"' in assembly.program


def test_an_import_stays_in_place_where_its_name_is_bound_again() -> None:
    first = "import json\njson = json.loads\n" + FIRST
    assembly = link(first, SECOND, END)
    unit = next(unit for unit in assembly.units if unit.name == "<constants:S1>")
    assert unit.text == "import json\njson = json.loads"
    assert not any(unit.name == "<imports>" for unit in assembly.units)


def test_the_prelude_is_owned_by_the_root_and_keeps_its_names() -> None:
    task = FUNCTION.model_copy(update={"prelude": "from math import gcd\nN = 4\ndef given(x):\n    return gcd(x, N)\n"})
    assembly = link("N = 1\ndef given(y): return y\n" + FIRST, SECOND, END, task)
    assert assembly.owner_of_unit("given") == ROOT
    assert next(unit.text for unit in assembly.units if unit.name == "<prelude>") == "N = 4"
    assert {(rename.old, rename.new) for rename in assembly.renames} == {("N", "N__S1"), ("given", "given__S1")}


MAIN = "def main():\n    print(grow(halve(input())))\n"
GUARD = 'if __name__ == "__main__":\n    main()\n'
THREAD = "threading.Thread(target=main).start()\n"
STARTS = {
    "computed": (MAIN, GUARD),
    "written": (MAIN + GUARD, GUARD),
    "written-bare": (MAIN + "main()\n", "main()\n"),
    "in-a-thread": (f"import threading\n{MAIN}{THREAD}", THREAD),
    "flat": ("n = input()\nprint(grow(halve(n)))\n", "n = input()\nprint(grow(halve(n)))\n"),
}


@pytest.mark.parametrize(("end", "entry"), list(STARTS.values()), ids=list(STARTS))
def test_a_program_has_one_entry_block_of_the_root(end: str, entry: str) -> None:
    assembly = link("def main(): pass\n" + FIRST, SECOND, end, PROGRAM)
    unit = next(unit for unit in assembly.units if unit.name == "<entry>")
    assert (unit.owner, f"{unit.text}\n") == (ROOT, entry)
    assert assembly.program.endswith(entry)


def test_a_class_is_addressed_by_its_methods_line_by_line() -> None:
    source = "class Box:\n    SIZE = 1\n\n    @property\n    def put(self):\n        return 1\n"
    assembly = assemble(single_owner_graph(CLASS), codes_of(source), CLASS)
    assert [(line.first, line.last, line.unit) for line in assembly.lines] == [(1, 3, "Box"), (4, 6, "Box.put")]
    assert [(unit.name, unit.kind) for unit in assembly.units] == [("Box", "class"), ("Box.put", "method")]
    assert assembly.units[0].text == source.rstrip("\n")


def test_a_comment_cannot_change_how_the_program_is_read() -> None:
    source = "# -*- coding: utf-7 -*-\ndef solve(n):\n    return '+AGE-'\n"
    assembly = assemble(single_owner_graph(FUNCTION), codes_of(source), FUNCTION)
    assert assembly.program == f"\n\n{source}"
    assert assembly.lines[0].first == 3
    namespace: dict[str, object] = {}
    exec(compile(assembly.program.encode(), "<program>", "exec"), namespace)  # from bytes: comments count
    assert namespace["solve"](0) == "+AGE-"  # type: ignore[operator]


def test_a_repair_does_not_touch_names_of_nodes_that_stay() -> None:
    helper = "def h(): return 1\n"
    before = link(helper + FIRST, helper + SECOND, END)
    plain = link(FIRST, helper + SECOND, END)
    kept = link(FIRST, helper + SECOND, END, before=before)
    assert plain.renames == ()
    assert kept.renames == before.renames == (Rename(node="S2", old="h", new="h__S2"),)
    back = link(helper + FIRST, helper + SECOND, END, before=plain)
    assert back.renames == (Rename(node="S1", old="h", new="h__S1"),)


ERRORS = {
    "no-code": (codes_of(FIRST, SECOND, END), "S2", "no code for node S2", ("S2",)),
    "defined-twice": (codes_of(FIRST + SECOND, SECOND, END), "", "nodes S2 and S1 both define `grow`", ("S2", "S1")),
    "not-defined": (codes_of(FIRST, "x = 1\n", END), "", "node S2 does not define `grow`", ("S2",)),
    "no-python": (codes_of(FIRST, "def grow(:\n", END), "", "the code of S2 cannot be used: syntax error", None),
    "entry-missing": (codes_of(FIRST, SECOND, "def other(n): pass\n"), "", "node S0 does not define `solve`", (ROOT,)),
}


@pytest.mark.parametrize(("codes", "without", "message", "nodes"), list(ERRORS.values()), ids=list(ERRORS))
def test_what_cannot_be_linked_is_named(
    codes: dict[str, NodeCode], without: str, message: str, nodes: tuple[str, ...] | None
) -> None:
    given = {node: code for node, code in codes.items() if node != without}
    with pytest.raises(AssemblyError, match=message.replace("`", ".")) as caught:
        assemble(graph_of(FUNCTION), given, FUNCTION)
    assert caught.value.fields.get("nodes") == nodes


def test_code_that_nobody_owns_is_an_error() -> None:
    codes = {**codes_of(FIRST, SECOND, END), "S9": NodeCode(node="S9", source="x = 1\n", digest="")}
    with pytest.raises(AssemblyError, match="nobody owns the code given for S9"):
        assemble(graph_of(FUNCTION), codes, FUNCTION)


def test_a_prelude_that_takes_a_public_name_is_an_error() -> None:
    task = FUNCTION.model_copy(update={"prelude": "from operator import neg as grow\n"})
    with pytest.raises(AssemblyError, match="node S2 and the task's prelude both define"):
        link(FIRST, SECOND, END, task)


def test_nothing_that_starts_the_program_is_an_error() -> None:
    with pytest.raises(AssemblyError, match="nothing starts the program"):
        link(FIRST, SECOND, "x = 1\n", PROGRAM)


def test_two_undecidable_names_cannot_be_linked() -> None:
    both = "h = 1\nclass C{}:\n    if True: h = 3\n    x = h\n"
    with pytest.raises(AssemblyError, match="name h cannot be renamed") as caught:
        link(both.format(1) + FIRST, both.format(2) + SECOND, END)
    assert caught.value.fields == {"unit": "h", "nodes": ("S2",)}
