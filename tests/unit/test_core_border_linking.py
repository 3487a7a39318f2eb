"""The border check on programs that were really linked: what regenerating one node may do to the others."""

from __future__ import annotations

import pytest

from auditcoder.core.assembly import assemble
from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.plan import PlannedStep, build_graph
from auditcoder.core.scope import select_scope
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.localization import Localization
from auditcoder.records.task import EntryPoint, Task

TASK = Task(id="t", statement="Add the numbers.", entry=EntryPoint(kind="program"))
GRAPH = build_graph(
    TASK,
    (
        PlannedStep("parse", "read the numbers", "string", ("stdin",), "numbers", "list"),
        PlannedStep("total", "add them up", "simulation", ("numbers",), "answer", "int"),
    ),
    lambda expression, names: "",
)
SOURCES = {
    "S0": "import sys\n\ndef main():\n    print(total(parse(sys.stdin.read())))\n",
    "S1": "import re\n\ndef _clean(text):\n    return re.sub('[^0-9 ]', '', text)\n\n\n"
    "def parse(stdin):\n    return [int(t) for t in _clean(stdin).split()]\n",
    "S2": "def total(numbers):\n    return sum(numbers[1:])\n",
}


def linked(before: Assembly | None = None, **sources: str) -> Assembly:
    given = {**SOURCES, **sources}
    codes = {name: NodeCode(node=name, source=text, digest=sha256_text(text)) for name, text in given.items()}
    return assemble(GRAPH, codes, TASK, before)


BEFORE = linked()
LOCALIZED = Localization(policy="paper", anchor="E1", rule="Local", implicated=("S2",), defect="Impl", grade="low")
SCOPE = select_scope(LOCALIZED, GRAPH, BEFORE, ())

WITHIN = {
    "new-body": "def total(numbers):\n    return sum(numbers)\n",
    "new-import": "from itertools import accumulate\n\ndef total(numbers):\n    return list(accumulate(numbers))[-1]\n",
    "new-helper-with-the-name-of-anothers": "def _clean(numbers):\n    return list(numbers)\n\n\n"
    "def total(numbers):\n    return sum(_clean(numbers))\n",
    "new-constant": "LIMIT = 9\n\n\ndef total(numbers):\n    return min(LIMIT, sum(numbers))\n",
    "import-that-another-has-too": "import re\n\ndef total(numbers):\n    return len(re.sub('x', '', 'x'))\n",
}


@pytest.mark.parametrize("source", WITHIN.values(), ids=WITHIN.keys())
def test_regenerated_node_stays_within_its_scope(source: str) -> None:
    after = linked(BEFORE, S2=source)
    assert after.digest != BEFORE.digest
    assert border_violations(BEFORE, after, SCOPE) == ()
    assert frozen_complement(after, SCOPE) == frozen_complement(BEFORE, SCOPE)


def test_scope_of_a_linked_node_is_its_units() -> None:
    assert (SCOPE.nodes, SCOPE.units) == (("S2",), ("total",))


def test_code_of_another_node_that_changed_on_the_way_is_seen() -> None:
    other = SOURCES["S1"].replace("0-9", "0-8")
    after = linked(BEFORE, S1=other, S2=WITHIN["new-body"])
    assert [(item.unit, item.owner) for item in border_violations(BEFORE, after, SCOPE)] == [("_clean", "S1")]


def test_linking_keeps_an_import_from_capturing_a_name_that_another_node_uses() -> None:
    """`parse` calls the built-in `int`; the import is renamed, so the call means the same as before."""
    taken = "from re import escape as int\n\ndef total(numbers):\n    return sum(numbers)\n"
    after = linked(BEFORE, S2=taken)
    assert ("S2", "int") in [(rename.node, rename.old) for rename in after.renames]
    assert border_violations(BEFORE, after, SCOPE) == ()


READS = SOURCES["S1"].replace("[int(t)", "[int(t) + OFFSET")
CAPTURES = {
    "constant": "OFFSET = 0\n\n\ndef total(numbers):\n    return sum(numbers) + OFFSET\n",
    "function": "def OFFSET():\n    return 0\n\n\ndef total(numbers):\n    return sum(numbers) + OFFSET()\n",
    "class": "class OFFSET:\n    pass\n\n\ndef total(numbers):\n    return sum(numbers) + bool(OFFSET)\n",
    "loop": "for OFFSET in range(3): pass\n\n\ndef total(numbers):\n    return sum(numbers) + OFFSET\n",
    "global": "def total(numbers):\n    global OFFSET\n    OFFSET = 0\n    return sum(numbers)\n",
}


@pytest.mark.parametrize("source", CAPTURES.values(), ids=CAPTURES.keys())
def test_new_private_code_gives_no_meaning_to_a_name_that_a_frozen_node_reads(source: str) -> None:
    before = linked(S1=READS)
    after = linked(before, S1=READS, S2=source)
    assert [(rename.node, rename.old, rename.new) for rename in after.renames] == [("S2", "OFFSET", "OFFSET__S2")]
    assert border_violations(before, after, SCOPE) == ()
    assert linked(S1=READS, S2=source).renames == after.renames


def test_a_frozen_helper_that_new_code_reads_keeps_its_bytes() -> None:
    after = linked(BEFORE, S2="def total(numbers):\n    return _clean(numbers)\n")
    assert after.renames == ()
    assert border_violations(BEFORE, after, SCOPE) == ()
