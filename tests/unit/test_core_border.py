"""What a repair may change, and what it may not."""

from __future__ import annotations

import pytest

from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, UnitKind
from auditcoder.records.localization import Scope


def unit(name: str, owner: str, text: str, kind: UnitKind = "function") -> CodeUnit:
    return CodeUnit(name=name, kind=kind, owner=owner, text=text, digest=sha256_text(text))


def program(*units: CodeUnit) -> Assembly:
    text = "\n".join(item.text for item in units)
    return Assembly(program=text, digest=sha256_text(text), units=units, lines=())


HEAD = unit(IMPORTS, "S0", "import math\nimport heapq", "block")
MAIN = unit("main", "S0", "def main():\n    print(total(parse(input())))")
PARSE = unit("parse", "S1", "def parse(text):\n    return [math.floor(float(t)) for t in text.split()]")
KIND = unit("Kind", "S1", "class Kind:\n    def of(self):\n        return 1", "class")
METHOD = unit("Kind.of", "S1", "    def of(self):\n        return 1", "method")
TOTAL = unit("total", "S2", "def total(xs):\n    return _plus(xs)")
HELP = unit("_plus", "S2", "def _plus(xs):\n    return sum(xs[1:])")
BEFORE = program(HEAD, MAIN, PARSE, KIND, METHOD, TOTAL, HELP)
SCOPE = Scope(defect="Impl", action="regenerate", nodes=("S2",), units=("total", "_plus"))


def after(*, head: str = HEAD.text, units: tuple[CodeUnit, ...] = (MAIN, PARSE, KIND, METHOD, TOTAL, HELP)) -> Assembly:
    return program(unit(IMPORTS, "S0", head, "block"), *units)


def edited(old: CodeUnit, text: str) -> CodeUnit:
    return unit(old.name, old.owner, text, old.kind)


REST = (MAIN, PARSE, KIND, METHOD)
INSIDE: dict[str, Assembly] = {
    "nothing-changed": BEFORE,
    "scope-unit-changed": after(units=(*REST, edited(TOTAL, "def total(xs):\n    return sum(xs)"), HELP)),
    "private-helper-added": after(units=(*REST, TOTAL, HELP, unit("_more", "S2", "def _more():\n    pass"))),
    "private-helper-removed": after(units=(*REST, TOTAL)),
    "units-in-another-order": after(units=(TOTAL, HELP, *REST)),
    "import-added-that-no-other-node-names": after(head=HEAD.text + "\nfrom itertools import accumulate"),
    "import-removed-that-no-other-node-names": after(head="import math"),
    "imports-reordered": after(head="import heapq\nimport math"),
}


@pytest.mark.parametrize("candidate", INSIDE.values(), ids=INSIDE.keys())
def test_inside_the_scope(candidate: Assembly) -> None:
    assert border_violations(BEFORE, candidate, SCOPE) == ()


OUTSIDE: dict[str, tuple[Assembly, list[tuple[str, str, str]]]] = {
    "changed": (
        after(units=(edited(MAIN, MAIN.text + " "), *REST[1:], TOTAL, HELP)), [("main", "S0", "changed")]),
    "only-a-comment-changed": (
        after(units=(MAIN, edited(PARSE, PARSE.text + "  # fast"), KIND, METHOD, TOTAL, HELP)),
        [("parse", "S1", "changed")]),
    "false-digest-does-not-help": (
        after(units=(MAIN.model_copy(update={"text": "def main(): pass"}), *REST[1:], TOTAL, HELP)),
        [("main", "S0", "changed")]),
    "removed": (after(units=(MAIN, KIND, METHOD, TOTAL, HELP)), [("parse", "S1", "removed")]),
    "added": (
        after(units=(*REST, unit("spare", "S1", "def spare(): pass"), TOTAL, HELP)), [("spare", "S1", "added")]),
    "taken-over-by-the-scope": (
        after(units=(MAIN, unit("parse", "S2", PARSE.text), KIND, METHOD, TOTAL, HELP)), [("parse", "S1", "removed")]),
    "given-away-by-the-scope": (
        after(units=(*REST, TOTAL, unit("_plus", "S1", HELP.text))), [("_plus", "S1", "added")]),
    "changed-hands-outside": (
        after(units=(MAIN, unit("parse", "S0", PARSE.text), KIND, METHOD, TOTAL, HELP)),
        [("parse", "S1", "changed")]),
    "changed-kind": (
        after(units=(MAIN, unit("parse", "S1", PARSE.text, "block"), KIND, METHOD, TOTAL, HELP)),
        [("parse", "S1", "changed")]),
    "several": (
        after(units=(edited(MAIN, "def main(): pass"), KIND, METHOD, unit("x", "S0", "x = 1", "block"), TOTAL)),
        [("main", "S0", "changed"), ("parse", "S1", "removed"), ("x", "S0", "added")]),
    "import-rebinds-a-builtin-that-others-call": (
        after(head=HEAD.text + "\nfrom numpy import float"), [(IMPORTS, "S0", "changed")]),
    "import-rebinds-another-nodes-import": (
        after(head="import cmath as math\nimport heapq"), [(IMPORTS, "S0", "changed")]),
    "import-removed-that-others-use": (after(head="import heapq"), [(IMPORTS, "S0", "changed")]),
    "import-shadows-another-nodes-function": (
        after(head=HEAD.text + "\nfrom text import parse"), [(IMPORTS, "S0", "changed")]),
    "star-import": (after(head=HEAD.text + "\nfrom os import *"), [(IMPORTS, "S0", "changed")]),
    "code-in-the-import-block": (after(head=HEAD.text + "\nmath.floor = int"), [(IMPORTS, "S0", "changed")]),
    "unreadable-import-block": (after(head=HEAD.text + "\nimport"), [(IMPORTS, "S0", "changed")]),
}  # fmt: skip


@pytest.mark.parametrize(("candidate", "expected"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_outside_the_scope(candidate: Assembly, expected: list[tuple[str, str, str]]) -> None:
    found = border_violations(BEFORE, candidate, SCOPE)
    assert [(item.unit, item.owner, item.change) for item in found] == expected


def test_recorded_digests_are_never_trusted() -> None:
    forged = MAIN.model_copy(update={"digest": PARSE.digest})
    assert border_violations(after(units=(forged, *REST[1:])), after(units=REST), SCOPE) == ()


def test_the_first_import_block_of_a_program_is_judged_too() -> None:
    bare = program(MAIN, PARSE, TOTAL, HELP)
    harmless = program(unit(IMPORTS, "S0", "import bisect", "block"), MAIN, PARSE, TOTAL, HELP)
    harmful = program(unit(IMPORTS, "S0", "from cmath import floor as float", "block"), MAIN, PARSE, TOTAL, HELP)
    assert border_violations(bare, harmless, SCOPE) == ()
    assert [item.unit for item in border_violations(bare, harmful, SCOPE)] == [IMPORTS]


def test_frozen_complement_lists_every_unit_outside_with_the_hash_of_its_text() -> None:
    frozen = frozen_complement(BEFORE, SCOPE)
    assert frozen == tuple((item.name, sha256_text(item.text)) for item in (MAIN, PARSE, KIND, METHOD))
