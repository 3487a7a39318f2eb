"""No byte outside a final scope changes unseen; however a plan is replanned, it stays sound and repeats no id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from auditcoder.core.assembly import assemble
from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.graph import integrity, subtree
from auditcoder.core.linking import linked_branch, linked_root
from auditcoder.core.parsing import Refusal, parse_source
from auditcoder.core.plan import PlannedStep, build_graph, single_owner_graph
from auditcoder.core.plan_border import plan_violations
from auditcoder.core.replan import ids_of, splice
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode, Rename
from auditcoder.records.graph import ExecutorCategory, TaskGraph
from auditcoder.records.localization import Expansion, Scope
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(
    name="best", parameters=(Parameter(name="items", type="list[int]"), Parameter(name="n", type="int")), returns="int"
)
TASK = Task(id="f", statement="Do it.", entry=EntryPoint(kind="function", name="best", signature=SIGNATURE))


def accept_all(expression: str, names: Sequence[str]) -> str:
    return ""


# --- the border of units ---------------------------------------------------------------------------------------------

GRAPH = build_graph(
    TASK,
    (
        PlannedStep("clean", "cleans", "string", ("items",), "kept", "list[int]"),
        PlannedStep("rank", "ranks", "greedy", ("kept",), "ranked", "list[int]"),
        PlannedStep("pick", "picks", "simulation", ("ranked", "n"), "answer", "int"),
    ),
    accept_all,
)
SOURCES = {
    "S0": linked_root(TASK, GRAPH),
    "S1": "import math\nfrom heapq import heappush\n\nLIMIT = 9\n\n\ndef _help(x):\n    return math.floor(x)\n\n\n"
    "class Box:\n    size = 1\n\n    def put(self, x):\n        '''Keep it.\n\n        Here.'''\n"
    "        return heappush([], x)\n\n\ndef clean(items):\n    return [_help(i) for i in items if i < LIMIT]\n",
    "S2": "from math import sqrt\n\n\ndef _help(x):\n    return sqrt(x)\n\n\n"
    "def rank(kept):\n    return sorted(kept, key=_help)\n",
    "S3": "def _help(x):\n    return x\n\n\ndef pick(ranked, n):\n    return _help(ranked[n])\n",
}  # fmt: skip


def codes(**changes: str) -> dict[str, NodeCode]:
    return {
        node: NodeCode(node=node, source=source, digest=sha256_text(source))
        for node, source in {**SOURCES, **changes}.items()
    }


BEFORE = assemble(GRAPH, codes(), TASK)
OWNERS = ("S0", "S1", "S2", "S3")


def scope_of(*nodes: str) -> Scope:
    units = tuple(unit.name for unit in BEFORE.units if unit.owner in nodes)
    return Scope(defect="Impl", action="regenerate", nodes=nodes, units=units)


scopes = st.lists(st.sampled_from(OWNERS), min_size=1, max_size=3, unique=True).map(lambda nodes: scope_of(*nodes))
characters = st.sampled_from("a0_ \n.#(\"'=:,\\é\x00")


def edited(text: str, data: st.DataObject, first: int = 0, last: int | None = None) -> str:
    """Return the text with one character inserted, removed or replaced between two places."""
    place = data.draw(st.integers(first, len(text) - 1 if last is None else last))
    cut = data.draw(st.integers(0, 1))
    new = text[:place] + data.draw(st.just("") | characters) + text[place + cut :]
    assume(new != text)
    return new


def with_program(program: str) -> Assembly:
    return BEFORE.model_copy(update={"program": program, "digest": sha256_text(program)})


def test_the_program_under_test_has_what_can_go_wrong() -> None:
    assert {rename.new for rename in BEFORE.renames} == {"_help__S2", "_help__S3"}
    assert {unit.kind for unit in BEFORE.units} == {"function", "class", "method", "block"}
    for owner in OWNERS:
        assert border_violations(BEFORE, BEFORE, scope_of(owner)) == ()


@settings(max_examples=200, deadline=None)
@given(scopes, st.data())
def test_an_edited_unit_outside_is_seen(scope: Scope, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(BEFORE.units) - 1))
    old = BEFORE.units[index]
    assume(old.owner not in scope.nodes and old.name != IMPORTS)
    text = edited(old.text, data)
    digest = old.digest if data.draw(st.booleans()) else sha256_text(text)
    new = old.model_copy(update={"text": text, "digest": digest})
    candidate = BEFORE.model_copy(update={"units": (*BEFORE.units[:index], new, *BEFORE.units[index + 1 :])})
    assert old.name in {found.unit for found in border_violations(BEFORE, candidate, scope)}


@settings(max_examples=200, deadline=None)
@given(scopes, st.data())
def test_an_edited_line_outside_is_seen_even_when_every_unit_reads_as_before(scope: Scope, data: st.DataObject) -> None:
    outside = [entry for entry in BEFORE.lines if entry.owner not in scope.nodes or entry.unit == IMPORTS]
    entry = data.draw(st.sampled_from(outside))
    lines = BEFORE.program.split("\n")
    start = sum(len(line) + 1 for line in lines[: entry.first - 1])
    end = start + len("\n".join(lines[entry.first - 1 : entry.last]))
    candidate = with_program(edited(BEFORE.program, data, start, end - 1))
    assert border_violations(BEFORE, candidate, scope) != ()


@settings(max_examples=200, deadline=None)
@given(scopes, st.data())
def test_an_edit_of_the_imports_that_others_use_is_seen(scope: Scope, data: st.DataObject) -> None:
    """The merged block is edited together with its unit; what only the scope's own code uses is its own affair."""
    used = {"S1": ("math", "heappush"), "S2": ("sqrt",)}
    outside = [name for owner, names in used.items() if owner not in scope.nodes for name in names]
    assume(outside)
    head = next(unit for unit in BEFORE.units if unit.name == IMPORTS)
    place = data.draw(
        st.sampled_from([n for n, line in enumerate(head.text.split("\n")) if any(u in line for u in outside)])
    )
    lines = head.text.split("\n")
    lines[place] = edited(lines[place], data)
    text = "\n".join(lines)
    units = tuple(unit.model_copy(update={"text": text}) if unit.name == IMPORTS else unit for unit in BEFORE.units)
    candidate = BEFORE.model_copy(update={"units": units})
    assert border_violations(BEFORE, candidate, scope) != ()


@settings(max_examples=200, deadline=None)
@given(scopes, st.data())
def test_a_changed_line_map_outside_is_seen(scope: Scope, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(BEFORE.lines) - 1))
    old = BEFORE.lines[index]
    assume(old.owner not in scope.nodes and old.unit != IMPORTS)
    change = data.draw(st.sampled_from(["owner", "unit", "first", "last", "gone", "hidden"]))
    stolen = old.model_copy(update={"owner": scope.nodes[0], "unit": "stolen"})
    changes = {
        "owner": (old.model_copy(update={"owner": scope.nodes[0]}),),
        "unit": (old.model_copy(update={"unit": "stolen"}),),
        "first": (old.model_copy(update={"first": old.first + 1}),),
        "last": (old.model_copy(update={"last": old.last - 1}),),
        "gone": (),
        "hidden": (stolen, old),
    }
    lines = (*BEFORE.lines[:index], *changes[change], *BEFORE.lines[index + 1 :])
    candidate = BEFORE.model_copy(update={"lines": lines})
    assert border_violations(BEFORE, candidate, scope) != ()


@settings(max_examples=100, deadline=None)
@given(scopes, st.data())
def test_a_changed_rename_or_unit_list_outside_is_seen(scope: Scope, data: st.DataObject) -> None:
    outside = data.draw(st.sampled_from([owner for owner in OWNERS if owner not in scope.nodes]))
    index = data.draw(st.sampled_from([n for n, unit in enumerate(BEFORE.units) if unit.owner == outside]))
    unit = BEFORE.units[index]
    assume(unit.name != IMPORTS)
    stranger = unit.model_copy(update={"name": "stranger"})
    extra = Rename(node=outside, old="x", new="y")
    candidates = (
        BEFORE.model_copy(update={"units": (*BEFORE.units[:index], *BEFORE.units[index + 1 :])}),
        BEFORE.model_copy(update={"units": (*BEFORE.units, stranger)}),
        BEFORE.model_copy(update={"renames": (*BEFORE.renames, extra)}),
        BEFORE.model_copy(
            update={
                "units": tuple(u.model_copy(update={"owner": scope.nodes[0]}) if u == unit else u for u in BEFORE.units)
            }
        ),
    )
    for candidate in candidates:
        assert border_violations(BEFORE, candidate, scope) != ()
    for rename in BEFORE.renames:
        left = BEFORE.model_copy(update={"renames": tuple(r for r in BEFORE.renames if r != rename)})
        assert bool(border_violations(BEFORE, left, scope)) == (rename.node not in scope.nodes)


BODIES = st.sampled_from(
    [
        "return kept",
        "import math\n    return [math.floor(k) for k in kept]",
        "return _help(kept)",
        "return sorted(kept)",
    ]
)


@settings(max_examples=60, deadline=None)
@given(BODIES, st.booleans())
def test_what_the_linker_makes_of_new_code_inside_is_no_violation(body: str, helper: bool) -> None:
    scope = scope_of("S2")
    head = "def _help(x):\n    return x\n\n\n" if helper or "_help" in body else ""
    after = assemble(GRAPH, codes(S2=f"{head}def rank(kept):\n    {body}\n"), TASK, BEFORE)
    assert border_violations(BEFORE, after, scope) == ()
    assert frozen_complement(BEFORE, scope) == frozen_complement(after, scope)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_an_expansion_opens_its_unit_and_nothing_else_of_its_owner(data: st.DataObject) -> None:
    names = [unit.name for unit in BEFORE.units if unit.owner == "S1"]
    opened = data.draw(st.sampled_from(names))
    reason = Expansion(unit=opened, owner="S1", reason="follows")
    scope = scope_of("S2").model_copy(update={"expansions": (reason,)})
    assert opened not in dict(frozen_complement(BEFORE, scope))
    index = data.draw(st.sampled_from([n for n, unit in enumerate(BEFORE.units) if unit.owner == "S1"]))
    unit = BEFORE.units[index]
    new = unit.model_copy(update={"text": edited(unit.text, data)})
    changed = BEFORE.model_copy(update={"units": (*BEFORE.units[:index], new, *BEFORE.units[index + 1 :])})
    removed = BEFORE.model_copy(update={"units": (*BEFORE.units[:index], *BEFORE.units[index + 1 :])})
    added = BEFORE.model_copy(update={"units": (*BEFORE.units, new.model_copy(update={"name": "more"}))})
    assert bool(border_violations(BEFORE, changed, scope)) == (unit.name != opened)
    assert border_violations(BEFORE, removed, scope) != ()
    assert [found.unit for found in border_violations(BEFORE, added, scope)] == ["more"]


# --- the border of the plan, and ids ----------------------------------------------------------------------------------

names = st.sampled_from(
    ["clean", "rank", "pick", "best", "list", "kept", "x1", "main", "result", "items", "é", "9x", "a b"]
)
planned = st.builds(
    PlannedStep,
    name=names,
    goal=st.sampled_from(["one", "two", "three"]),
    kind=st.sampled_from(get_args(ExecutorCategory)),
    takes=st.lists(names, max_size=4).map(tuple),
    gives=names,
    type=st.sampled_from(["int", "list[int]", "nonsense", "Any"]),
    requires=st.sampled_from(["", "len(kept) > 0"]),
    ensures=st.sampled_from(["", "result is not None"]),
)
outlines = st.lists(planned, min_size=1, max_size=4)


@st.composite
def plans(draw: st.DrawFn) -> TaskGraph:
    return build_graph(TASK, draw(outlines), accept_all) if draw(st.booleans()) else single_owner_graph(TASK)


def replanned(graph: TaskGraph, used: frozenset[str], data: st.DataObject) -> tuple[str, TaskGraph]:
    branch = data.draw(st.sampled_from([node.id for node in graph.nodes]))
    return branch, splice(graph, branch, data.draw(outlines), used, accept_all)


@settings(max_examples=60, deadline=None)
@given(plans(), st.data())
def test_replanning_again_and_again_keeps_integrity_and_gives_no_id_twice(
    graph: TaskGraph, data: st.DataObject
) -> None:
    used = ids_of(graph)
    for _ in range(data.draw(st.integers(1, 4))):
        branch, after = replanned(graph, used, data)
        inside = subtree(graph, branch)
        scope = Scope(defect="Cmt", action="replan", nodes=inside, branch=branch)
        assert integrity(after) == ()
        assert plan_violations(graph, after, scope, used) == ()
        fresh = ids_of(after) - ids_of(graph)
        assert not fresh & used
        assert {node.id for node in after.nodes} == (
            {node.id for node in graph.nodes} - set(inside) | set(subtree(after, branch))
        )
        assert len({signature.name for node in after.nodes for signature in node.contract.signatures}) == sum(
            len(node.contract.signatures) for node in after.nodes
        )
        used |= ids_of(after)
        graph = after if data.draw(st.booleans()) else graph  # accepted, or rolled back


@settings(max_examples=40, deadline=None)
@given(plans(), st.data())
def test_the_code_of_every_branch_root_links_and_compiles(graph: TaskGraph, data: st.DataObject) -> None:
    used = ids_of(graph)
    for _ in range(data.draw(st.integers(1, 3))):
        _, graph = replanned(graph, used, data)
        used |= ids_of(graph)
    for node in graph.nodes:
        if node.kind == "orchestrator":
            source = linked_root(TASK, graph) if node.id == "S0" else linked_branch(graph, node)
            assert not isinstance(parse_source(source), Refusal)
    leaves = {
        n.id: f"def {n.contract.signatures[0].render()}:\n    return None\n" for n in graph.nodes if n.kind == "leaf"
    }
    roots = {
        n.id: linked_root(TASK, graph) if n.id == "S0" else linked_branch(graph, n)
        for n in graph.nodes
        if n.kind == "orchestrator"
    }
    sources = {**leaves, **roots}
    given_codes = {node: NodeCode(node=node, source=text, digest=sha256_text(text)) for node, text in sources.items()}
    program = assemble(graph, given_codes, TASK).program
    namespace: dict[str, object] = {}
    exec(compile(program, "program.py", "exec"), namespace)  # our own linked text: leaves return None
    best = namespace["best"]
    assert callable(best)
    assert best([1], 2) is None


@settings(max_examples=60, deadline=None)
@given(plans(), st.data())
def test_a_change_beyond_the_branch_is_a_violation(graph: TaskGraph, data: st.DataObject) -> None:
    used = ids_of(graph)
    branch, after = replanned(graph, used, data)
    scope = Scope(defect="Cmt", action="replan", nodes=subtree(graph, branch), branch=branch)
    target = data.draw(st.sampled_from([n.id for n in graph.nodes if n.id == branch or n.id not in scope.nodes]))
    goal = tuple(n.model_copy(update={"goal": "another"}) if n.id == target else n for n in after.nodes)
    assert plan_violations(graph, after.model_copy(update={"nodes": goal}), scope, used) != ()
    regenerate = Scope(defect="Impl", action="regenerate", nodes=(branch,))
    assert plan_violations(graph, after, regenerate, used) != ()
