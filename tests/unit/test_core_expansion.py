"""Call sites outside a scope that follow a changed interface: which are needed, which are admissible."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditcoder.core.expansion import expansion_violations, needed_expansions
from auditcoder.core.plan import PlannedStep, build_graph
from auditcoder.core.renegotiate import Settlement, renegotiated
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, UnitKind
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Expansion, OpenSlot, Scope
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(name="best", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TASK = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="best", signature=SIGNATURE))


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


STEPS = (
    PlannedStep("clean", "cleans the items", "string", ("items",), "kept", "list[int]"),
    PlannedStep("rank", "ranks what is kept", "greedy", ("kept",), "ranked", "list[int]", "len(kept) > 0"),
    PlannedStep("pick", "picks the best one", "simulation", ("ranked",), "chosen", "int"),
    PlannedStep("show", "shows the best one", "simulation", ("chosen",), "answer", "int"),
)
BEFORE = build_graph(TASK, STEPS, accept_all)
SLOT = OpenSlot(provider="S1", output="kept", consumer="S2", slot="kept")
SCOPE = Scope(defect="Ifc", action="regenerate", nodes=("S1", "S2"), open_slots=(SLOT,))
RETYPED = renegotiated(BEFORE, [Settlement(SLOT, "consumer-accepts", "tuple[int, ...]")], [])
SETTLED = renegotiated(BEFORE, [Settlement(SLOT, "provider-ensures")], [])


def unit(name: str, owner: str, text: str, kind: UnitKind = "function") -> CodeUnit:
    return CodeUnit(name=name, kind=kind, owner=owner, text=text, digest=sha256_text(text))


def program(*units: CodeUnit) -> Assembly:
    text = "\n".join(item.text for item in units)
    return Assembly(program=text, digest=sha256_text(text), units=units, lines=())


CLEAN = unit("clean", "S1", "def clean(items):\n    return items")
RANK = unit("rank", "S2", "def rank(kept):\n    return clean(kept)")
PICK = unit("pick", "S3", "def pick(ranked):\n    return ranked[0]")
SHOW = unit("show", "S4", "def show(chosen):\n    return chosen")
BEST = unit("best", "S0", "def best(items):\n    kept = clean(items)\n    return show(pick(rank(kept)))")
BOX = unit("Box", "S0", "class Box:\n    def put(self, x):\n        return rank(x)", "class")
PUT = unit("Box.put", "S0", "    def put(self, x):\n        return rank(x)", "method")
HEAD = unit(IMPORTS, "S0", "import clean", "block")
TABLE = unit("<constants:S3>", "S3", "TABLE = {'clean': 1}", "block")
WHOLE = program(HEAD, CLEAN, RANK, TABLE, PICK, SHOW, BOX, PUT, BEST)


def names(graph: TaskGraph, assembly: Assembly = WHOLE, scope: Scope = SCOPE) -> list[str]:
    return [expansion.unit for expansion in needed_expansions(BEFORE, graph, scope, assembly)]


def test_call_sites_of_a_changed_signature_are_needed_in_program_order() -> None:
    found = needed_expansions(BEFORE, RETYPED, SCOPE, WHOLE)
    assert [(each.unit, each.owner) for each in found] == [("Box", "S0"), ("Box.put", "S0"), ("best", "S0")]
    assert found[2].reason == "calls `clean`, `rank`, whose interface changes"
    assert expansion_violations(SCOPE.model_copy(update={"expansions": found}), BEFORE, WHOLE) == ()


def test_no_call_site_follows_a_predicate() -> None:
    assert SETTLED != BEFORE
    assert names(SETTLED) == names(BEFORE) == []


LOCAL: dict[str, str] = {
    "shadowed-parameter": "def pick(clean):\n    return clean",
    "attribute": "def pick(ranked):\n    return ranked.clean()",
    "text": "def pick(ranked):\n    return 'clean(rank)'",
    "comment": "def pick(ranked):\n    return 0  # clean(rank)",
}


@pytest.mark.parametrize("text", LOCAL.values(), ids=LOCAL.keys())
def test_only_the_syntax_tree_counts(text: str) -> None:
    assert names(RETYPED, program(CLEAN, RANK, unit("pick", "S3", text))) == []


def test_a_call_that_is_passed_on_counts_as_one() -> None:
    mapped = unit("pick", "S3", "def pick(ranked):\n    return list(map(clean, ranked))")
    assert names(RETYPED, program(CLEAN, RANK, mapped)) == ["pick"]


def expansion(name: str, owner: str) -> Expansion:
    return Expansion(unit=name, owner=owner, reason="because")


ADMISSIBLE = {
    "calls-into-the-scope": expansion("best", "S0"),
    "takes-from-the-scope": expansion("pick", "S3"),
    "a-block-of-a-neighbour": expansion("<constants:S3>", "S3"),
}


@pytest.mark.parametrize("declared", ADMISSIBLE.values(), ids=ADMISSIBLE.keys())
def test_adjacent_units_are_admissible(declared: Expansion) -> None:
    assert expansion_violations(SCOPE.model_copy(update={"expansions": (declared,)}), BEFORE, WHOLE) == ()


REFUSED: dict[str, tuple[tuple[Expansion, ...], str]] = {
    "unknown-unit": ((expansion("nothing", "S0"),), "has no unit"),
    "another-owner": ((expansion("best", "S3"),), "has no unit"),
    "the-import-block": ((expansion(IMPORTS, "S0"),), "has no unit"),
    "inside": ((expansion("clean", "S1"),), "inside the scope"),
    "not-adjacent": ((expansion("show", "S4"),), "not adjacent"),
    "twice": ((expansion("best", "S0"), expansion("best", "S0")), "declared twice"),
}


@pytest.mark.parametrize(("declared", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_inadmissible_expansions(declared: tuple[Expansion, ...], reason: str) -> None:
    [found] = expansion_violations(SCOPE.model_copy(update={"expansions": declared}), BEFORE, WHOLE)
    assert reason in found
