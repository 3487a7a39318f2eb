"""The study of assembly on programs of our own: how it takes them apart, and that it sees what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from auditcoder.eval.study_assembly.lines import Line, kind_of, read_lines, table
from auditcoder.eval.study_assembly.maps import (
    Assembled,
    Rejected,
    assemble_single,
    divided,
    groups_of,
    join_rows,
    link,
    task_of,
)
from auditcoder.eval.study_assembly.outcomes import LIMITS, Again, Difference, Seen, differences
from auditcoder.eval.study_assembly.properties import faults_of
from auditcoder.eval.study_assembly.rows import Row
from auditcoder.eval.study_assembly.study import Bench, study_group, study_row
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly
from auditcoder.records.execution import Frame
from auditcoder.records.task import Check, EntryPoint, Expected, Limits, ProgramInput, UnittestInput
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.tasks.signatures import parse_signature

PROGRAM = """import math
import sys
from collections import deque

MEMO = {}  # shared by two functions


def area(r):
    return math.pi * square(r)


def square(x):
    return x * x


def store(key, value):
    MEMO[key] = value


def load(key):
    return MEMO[key]


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


class Queue:
    def __init__(self):
        self.items = deque()

    def push(self, item):
        self.items.append(item)


def main():
    n = int(sys.stdin.read())
    store("area", area(n))
    queue = Queue()
    queue.push(load("area"))
    print(round(queue.items[0]), even(n), 1 // n)


main()
"""


def stdin_row(code: str, *pairs: tuple[str, str], number: int = 0) -> Row:
    checks = tuple(
        Check(id=f"c{i}", input=ProgramInput(stdin=given), expected=Expected(stdout=wanted))
        for i, (given, wanted) in enumerate(pairs)
    )
    return Row(f"own:{number}", str(number), "", code, EntryPoint(kind="program"), checks, "pass")


def function_row(name: str, code: str, wanted: str, *, number: int = 0, header: str = "") -> Row:
    source = (
        "import unittest\n\n\nclass T(unittest.TestCase):\n"
        f"    def test(self):\n        self.assertEqual({name}(3), {wanted})\n"
    )
    check = Check(id="test", input=UnittestInput(source=source), expected=Expected(passes=True))
    entry = EntryPoint(kind="function", name=name, signature=parse_signature(f"{name}(x)").signature)
    return Row(f"own:{number}", str(number), header, code, entry, (check,), "pass")


def test_definitions_are_nodes_and_shared_state_keeps_its_users_together() -> None:
    found = divided(stdin_row(PROGRAM))
    assert not isinstance(found, Rejected)
    members: dict[str, set[str]] = {}
    for name, node in found.owners.items():
        members.setdefault(node, set()).add(name)
    assert sorted(map(sorted, members.values())) == [
        ["Queue"], ["area"], ["even", "odd"], ["load", "store"], ["main"], ["square"],
    ]  # fmt: skip
    area, square, memo = (found.owners[name] for name in ("area", "square", "store"))
    assert [(p.node, p.slot) for p in found.graph.node(area).provenance] == [(square, "square")]
    assert found.graph.order.index(square) < found.graph.order.index(area)
    assert "MEMO = {}" in found.sources[memo]
    assert found.sources[area].startswith("import math\n")
    assert "import" not in found.sources[square]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("def f(:", "syntax error: invalid syntax", id="syntax"),
        pytest.param("def naïve(x):\n    return x\n\n\ndef é():\n    pass\n\n\nprint(é())", "no contract", id="name"),
    ],
)
def test_what_cannot_be_taken_apart_has_a_reason(code: str, reason: str) -> None:
    found = divided(stdin_row(code))
    assert isinstance(found, Rejected)
    assert reason in found.reason


def test_every_map_keeps_outcomes_and_frames(executor: SandboxExecutor) -> None:
    row = stdin_row(PROGRAM, ("3", "28 False 0\n"), ("2", "13 True 0\n"), ("0", ""))
    original, single, split = study_row(row, Bench(executor))
    assert [seen.outcome for seen in original.checks] == ["pass", "pass", "runtime-error"]
    for line, nodes in ((single, 1), (split, 7)):
        assert line.model_dump(exclude={"id", "map", "changed"}, exclude_defaults=True) == {
            "nodes": nodes,
            "compared": 3,
            "frames": 1,
        }


HELPER = "LIMIT = {n}\n\n\ndef helper(x):\n    return x + LIMIT\n\n\ndef {name}(x):\n    return helper(x)\n"


def test_private_names_of_joined_programs_are_renamed_and_mean_what_they_meant(executor: SandboxExecutor) -> None:
    rows = [function_row(f"f{n}", HELPER.format(n=n, name=f"f{n}"), str(3 + n), number=n) for n in range(3)]
    bench = Bench(executor)
    before = {row.id: study_row(row, bench)[0].checks for row in rows}
    lines = study_group(rows, bench, before)
    assert [(line.renames, line.compared, line.differences, line.faults) for line in lines] == [
        (2, 1, (), ()),
        (0, 1, (), ()),  # the first in the program keeps its names; the root, which is the first row, stands last
        (2, 1, (), ()),
    ]


def test_a_refused_program_leaves_the_others_joined() -> None:
    rows = [
        function_row(f"f{n}", code, "1", number=n)
        for n, code in enumerate(("def f0(x):\n    return 1", "x =", "y = 1"))
    ]
    joined, refused = join_rows(rows)
    assert joined is not None
    assert dict(joined.owners) == {"own:0": "S0"}
    assert sorted(refused) == ["own:1", "own:2"]


def test_groups_hold_different_tasks_and_no_other_ones_names() -> None:
    rows = [
        function_row("f", "def f(x):\n    return x", "3", number=0),
        function_row("f", "def f(x):\n    return 2", "3", number=0),
        function_row("g", "def g(x):\n    return f(x)", "3", number=1),
        function_row("h", "def h(x):\n    return x", "3", number=2),
    ]
    assert [[row.entry.name for row in group] for group in groups_of(rows)] == [["f", "h"], ["f"], ["g"]]


def assembled(code: str = PROGRAM) -> Assembled:
    row = stdin_row(code)
    parts = divided(row)
    assert not isinstance(parts, Rejected)
    made = link(task_of(row), parts.graph, parts.sources)
    assert isinstance(made, Assembled)
    return made


def _without_a_line(assembly: Assembly) -> Assembly:
    return assembly.model_copy(update={"lines": assembly.lines[1:]})


def _with_a_line_twice(assembly: Assembly) -> Assembly:
    return assembly.model_copy(update={"lines": (*assembly.lines, assembly.lines[2])})


def _with_another_owner(assembly: Assembly) -> Assembly:
    first = assembly.lines[0].model_copy(update={"owner": "S1"})
    return assembly.model_copy(update={"lines": (first, *assembly.lines[1:])})


def _with_another_byte(assembly: Assembly) -> Assembly:
    program = assembly.program.replace("x * x", "x + x")
    return assembly.model_copy(update={"program": program, "digest": sha256_text(program)})


def _with_a_unit_twice(assembly: Assembly) -> Assembly:
    return assembly.model_copy(update={"units": (*assembly.units, assembly.units[-1])})


@pytest.mark.parametrize(
    "spoil",
    [_without_a_line, _with_a_line_twice, _with_another_owner, _with_another_byte, _with_a_unit_twice],
    ids=lambda spoil: str(spoil.__name__).strip("_"),
)
def test_a_spoiled_assembly_has_faults(spoil: Callable[[Assembly], Assembly]) -> None:
    good = assembled()
    assert faults_of(good) == ()
    assert faults_of(good._replace(assembly=spoil(good.assembly))) != ()


def test_one_owner_gives_a_fixed_point() -> None:
    made = assemble_single(stdin_row(PROGRAM))
    assert isinstance(made, Assembled)
    assert faults_of(made) == ()


def _seen(outcome: str, detail: str = "", observed: str = "") -> Seen:
    return Seen(check="c", outcome=outcome, detail=detail, observed=observed, frame=Frame(line=1, function="f"))


def _again(before: Seen, after: Seen, roomy: tuple[Seen, Seen]) -> Again:
    """The first of each is a run under the usual limits, the second one under generous limits."""
    return Again(
        lambda limits: [before if limits == LIMITS else roomy[0]],
        lambda limits: [after if limits == LIMITS else roomy[1]],
    )


@pytest.mark.parametrize(
    ("before", "after", "again", "roomy", "changed", "why"),
    [
        pytest.param("pass", "wrong-answer", "pass", ("pass", "pass"), "", "unexplained", id="unexplained"),
        pytest.param("wrong-answer", "pass", "pass", ("pass", "pass"), "", "nondeterministic", id="not like itself"),
        pytest.param("timeout", "pass", "timeout", ("pass", "pass"), "", "at the limit", id="slow"),
        pytest.param("timeout", "pass", "timeout", ("timeout", "pass"), "", "unexplained", id="endless before"),
        pytest.param("pass", "timeout", "pass", ("pass", "timeout"), "", "unexplained", id="endless after"),
        pytest.param("runtime-error", "pass", "runtime-error", ("pass", "pass"), "added", "added", id="import added"),
    ],
)
def test_differences_are_explained_or_not(
    before: str, after: str, again: str, roomy: tuple[str, str], changed: str, why: str
) -> None:
    runs = _again(_seen(again), _seen(after), (_seen(roomy[0]), _seen(roomy[1])))
    found = differences([_seen(before)], [_seen(after)], runs, changed)
    assert [difference.why for difference in found] == [why]


def test_another_output_is_a_difference() -> None:
    before, after = _seen("pass"), _seen("pass", "", "x")
    [found] = differences([before], [after], _again(before, after, (before, after)), "")
    assert (found.before, found.after, found.why) == ("pass", "pass", "unexplained")


def test_equal_outcomes_are_no_difference_and_run_nothing_again() -> None:
    moved = _seen("pass").model_copy(update={"frame": Frame(line=9, function="g")})

    def again(limits: Limits) -> list[Seen]:
        raise AssertionError(f"run again under {limits} without need")

    assert differences([_seen("pass")], [moved], Again(again, again), "") == ()


def test_results_are_read_back_and_counted(tmp_path: Path) -> None:
    difference = Difference(check="c", before="pass", after="timeout", why="at the limit")
    lines = [
        Line(id="own:1", map="single", nodes=1, compared=4, differences=(difference,), frames=2),
        Line(id="own:2", map="single", reason="`f` is defined 2 times (lines 1, 2); define it once"),
        Line(id="own:3", map="split", crash="KeyError: 1"),
    ]
    path = tmp_path / "out.jsonl"
    path.write_text(
        "".join(f"{line.model_dump_json(exclude_defaults=True)}\n" for line in lines) + '{"id": "own:4", "ma'
    )
    assert read_lines(path) == lines
    text = table(lines)
    assert "| own | single | 2 | 1 | 1 | 1 | 0 | 4 | 3 | 1 | 0 | 2 | 0 | 0 | 0 |" in text
    assert "| own | split | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" in text
    assert f"| single | {kind_of(lines[1].reason)} | 1 |" in text
    assert kind_of(lines[1].reason) == "X is defined N times"
