"""Mutators and splitters on generated programs: a mutant is another program, and only in the unit that was chosen."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.core.graph import integrity
from auditcoder.core.versions import Active
from auditcoder.eval.containment.classes import split_class
from auditcoder.eval.containment.functions import FunctionLayout, split_functions
from auditcoder.eval.containment.injection import candidates
from auditcoder.eval.containment.mutators.catalogue import AIMS
from auditcoder.eval.containment.mutators.edit import Aim, applied
from auditcoder.eval.containment.subject import Part, Subject
from auditcoder.records.task import EntryPoint, Task

LINES = (
    "total = a + b",
    "total += 1",
    "items = [a, b]",
    "items.append(total)",
    "if a < b and total:\n    total = items[0]",
    "for item in items:\n    total += item",
    "while total > 0:\n    total -= 1",
    "key = {'k': a}['k']",
    "total = max(a, b) - len(items)",
    "text = f'{a}: {total:>{b}}'",
    "pair = (total, a)",
)
ENDS = ("return total", "return (total, a)", "return a == b", "pass")
bodies = st.tuples(st.lists(st.sampled_from(LINES), max_size=5), st.sampled_from(ENDS))


def indented(body: tuple[list[str], str], by: str) -> str:
    lines = ["total = 0", "items = []", *body[0], body[1]]
    return "\n".join(by + line for part in lines for line in part.split("\n"))


def function_subject(first: tuple[list[str], str], second: tuple[list[str], str]) -> Subject:
    source = (
        f"import math\n\ndef helper(a, b):\n{indented(first, '    ')}\n\n"
        f"def main(a, b):\n    helper(b, a)\n{indented(second, '    ')}\n"
    )
    entry = EntryPoint(kind="function", name="main")
    split = split_functions(source, "main")
    task = Task(id="own", statement="Own.", entry=entry, prelude=split.prelude)
    return Subject("own", "own", entry, split.graph, split.parts, FunctionLayout(task), ())


def class_subject(first: tuple[list[str], str], second: tuple[list[str], str]) -> Subject:
    source = (
        "class Box:\n    size = 3\n    def __init__(self, a):\n        self.a = a\n        self.items = []\n"
        f"    def one(self, a, b):\n{indented(first, '        ')}\n"
        f"    @staticmethod\n    def two(a, b):\n{indented(second, '        ')}\n"
        "    def three(self):\n        self.items.append(self.one(1, 2))\n        return self.a\n"
    )
    split = split_class(source, "Box", {})
    return Subject("own", "own", EntryPoint(kind="class", name="Box"), split.graph, split.parts, split.layout, ())


subjects = st.one_of(st.builds(function_subject, bodies, bodies), st.builds(class_subject, bodies, bodies))


def texts(active: Active) -> dict[str, str]:
    return {unit.name: unit.text for unit in active.assembly.units}


@settings(max_examples=30, deadline=None)
@given(subject=subjects, aim=st.sampled_from(AIMS), seed=st.integers(0, 5))
def test_a_mutant_differs_parses_and_stays_in_its_unit(subject: Subject, aim: Aim, seed: int) -> None:
    before = texts(subject.active())
    for candidate in candidates(subject, aim, seed):
        text = applied(candidate.part.text, candidate.edit)
        active = subject.active(subject.with_part(candidate.part._replace(text=text)))
        ast.parse(active.assembly.program)
        after = texts(active)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert changed == ({candidate.part.unit} if text != candidate.part.text else set())
        assert text.partition("\n")[0] == candidate.part.text.partition("\n")[0]


@settings(max_examples=20, deadline=None)
@given(subject=subjects, aim=st.sampled_from(AIMS))
def test_the_same_seed_gives_the_same_faults(subject: Subject, aim: Aim) -> None:
    def chosen() -> list[tuple[Part, str, int]]:
        return [(one.part, one.mutator, one.edit.place) for one in candidates(subject, aim, 7)]

    assert chosen() == chosen()


@settings(max_examples=30, deadline=None)
@given(subject=subjects)
def test_every_line_of_a_split_program_has_its_owner_and_the_graph_is_sound(subject: Subject) -> None:
    assembly = subject.active().assembly
    assert integrity(subject.graph) == ()
    for number, line in enumerate(assembly.program.split("\n"), start=1):
        owner = assembly.owner_of_line(number)
        assert (owner is not None) or not line.strip()
    for part in subject.parts:
        assert assembly.owner_of_unit(part.unit) == part.owner
    ast.parse(assembly.program)
