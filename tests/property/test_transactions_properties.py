"""The acceptance order is strict, no edit crosses the border unseen, and a rollback restores everything."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from auditcoder.core.border import border_violations, frozen_complement
from auditcoder.core.budget import AdaptiveBudget
from auditcoder.core.rank import improves, rank_of
from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.transaction import close_at_border, close_transaction, close_without_candidate, open_transaction
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import Check, Expected, ProgramInput, checks_hash
from auditcoder.records.transaction import Rank

CHECKS = tuple(
    Check(
        id=f"Q{i}",
        origin="example" if i < 2 else "boundary",
        input=ProgramInput(stdin=""),
        expected=Expected(stdout="1") if i < 4 else Expected(),
    )
    for i in range(5)
)
OUTCOMES: tuple[Outcome, ...] = (
    "pass", "wrong-answer", "runtime-error", "timeout", "memory", "output-limit", "policy-reject", "harness-error",
)  # fmt: skip
NODES = ("S0", "S1", "S2")
GRAPH = TaskGraph(
    nodes=tuple(
        Node(id=name, parent="" if name == "S0" else "S0", goal="g", executor="simulation", kind="leaf")
        for name in NODES
    ),
    order=NODES,
)
LOCALIZED = Localization(policy="paper", anchor="Q0", rule="Local", implicated=("S1",), defect="Impl", grade="low")

ranks = st.builds(
    Rank,
    full_pass=st.booleans(),
    external=st.integers(0, 3),
    internal=st.integers(0, 3),
    clean=st.integers(0, 3),
)
outcome_rows = st.lists(st.sampled_from(OUTCOMES), min_size=5, max_size=5)
texts = st.text(min_size=1, max_size=30)


@given(ranks, ranks, ranks)
def test_improvement_is_a_strict_order(a: Rank, b: Rank, c: Rank) -> None:
    assert not improves(a, a)
    assert not (improves(a, b) and improves(b, a))
    assert improves(a, b) or improves(b, a) or a == b
    if improves(a, b) and improves(b, c):
        assert improves(a, c)


def report(outcomes: list[Outcome], program: str = "d") -> ExecutionReport:
    results = tuple(CheckResult(check=c.id, outcome=o) for c, o in zip(CHECKS, outcomes, strict=True))
    return ExecutionReport(program=program, results=results)


@given(outcome_rows, st.integers(0, 4))
def test_one_more_pass_never_ranks_lower(outcomes: list[Outcome], place: int) -> None:
    assume(outcomes[place] != "pass")
    better: list[Outcome] = [*outcomes[:place], "pass", *outcomes[place + 1 :]]
    before, after = rank_of(report(outcomes), CHECKS), rank_of(report(better), CHECKS)
    assert after.key >= before.key
    if not CHECKS[place].expected.input_only:
        assert improves(before, after)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_adaptive_repair_ends_however_the_candidates_oscillate(counts: list[int]) -> None:
    budget = AdaptiveBudget()
    rounds = next((n for n in range(len(counts)) if not budget.allows(counts[: n + 1])), len(counts))
    assert rounds <= 4 * (6 + 1)


def unit(owner: str, name: str, text: str) -> CodeUnit:
    return CodeUnit(name=name, kind="function", owner=owner, text=text, digest=sha256_text(text))


@st.composite
def programs(draw: st.DrawFn) -> Assembly:
    named = draw(st.lists(st.tuples(st.sampled_from(NODES), texts), min_size=2, max_size=7))
    return assembled(tuple(unit(owner, f"f{i}", text) for i, (owner, text) in enumerate(named)))


def assembled(units: tuple[CodeUnit, ...]) -> Assembly:
    text = "\n".join(item.text for item in units)
    return Assembly(program=text, digest=sha256_text(text), units=units, lines=())


def scope_of(node: str, program: Assembly) -> Scope:
    names = tuple(item.name for item in program.units if item.owner == node)
    return Scope(defect="Impl", action="regenerate", nodes=(node,), units=names)


@settings(max_examples=200, deadline=None)
@given(programs(), st.data())
def test_any_edit_of_one_character_outside_the_scope_is_seen(program: Assembly, data: st.DataObject) -> None:
    scope = scope_of(data.draw(st.sampled_from(NODES)), program)
    index = data.draw(st.integers(0, len(program.units) - 1))
    old = program.units[index]
    place = data.draw(st.integers(0, len(old.text)))
    cut = data.draw(st.integers(0, 1))
    text = old.text[:place] + data.draw(st.text(max_size=1)) + old.text[place + cut :]
    assume(text != old.text)
    keeps_digest = data.draw(st.booleans())
    new = old.model_copy(update={"text": text, "digest": old.digest if keeps_digest else sha256_text(text)})
    candidate = assembled((*program.units[:index], new, *program.units[index + 1 :]))
    found = [(item.unit, item.change) for item in border_violations(program, candidate, scope)]
    assert found == ([] if old.owner in scope.nodes else [(old.name, "changed")])


@settings(max_examples=100, deadline=None)
@given(programs(), programs(), st.sampled_from(NODES))
def test_no_violation_means_an_equal_frozen_complement(before: Assembly, after: Assembly, node: str) -> None:
    scope = scope_of(node, before)
    same = sorted(frozen_complement(before, scope)) == sorted(frozen_complement(after, scope))
    if not border_violations(before, after, scope):
        assert same
    spliced = assembled(
        tuple(item for item in before.units if item.owner != node)
        + tuple(unit(node, f"g{i}", item.text) for i, item in enumerate(after.units) if item.owner == node)
    )
    assert border_violations(before, spliced, scope) == ()
    assert frozen_complement(before, scope) == frozen_complement(spliced, scope)


def state(program: Assembly, outcomes: list[Outcome]) -> RunState:
    codes = {name: NodeCode(node=name, source=name, digest=sha256_text(name)) for name in NODES}
    return RunState(
        graph=GRAPH,
        codes=in_node_order(codes),
        assembly=program,
        report=report(outcomes, program.digest),
        checks_hash=checks_hash(CHECKS),
    )


@settings(max_examples=100, deadline=None)
@given(programs(), texts, outcome_rows, outcome_rows)
def test_a_repair_is_accepted_when_better_and_else_restores_the_hash(
    program: Assembly, text: str, before: list[Outcome], after: list[Outcome]
) -> None:
    active = state(program, before)
    snapshot = RunState.model_validate_json(active.model_dump_json())
    opened = open_transaction(0, active, CHECKS, LOCALIZED, scope_of("S1", program))
    kept = tuple(item for item in program.units if item.owner != "S1")
    candidate = state(assembled((*kept, unit("S1", "g", text))), after)
    record, result = close_transaction(opened, candidate)
    if improves(rank_of(active.report, CHECKS), rank_of(candidate.report, CHECKS)):
        assert (record.decision, result) == ("accepted", candidate)
    else:
        assert (record.decision, record.restored) == ("rolled-back", record.snapshot)
        assert result == snapshot
        assert result.state_hash() == snapshot.state_hash() == record.snapshot


@settings(max_examples=100, deadline=None)
@given(programs(), texts, outcome_rows)
def test_every_other_end_restores_the_hash_too(program: Assembly, text: str, outcomes: list[Outcome]) -> None:
    active = state(program, outcomes)
    opened = open_transaction(0, active, CHECKS, LOCALIZED, scope_of("S1", program))
    stranger = assembled((*program.units, unit("S2", "stranger", text)))
    for closed in (close_without_candidate(opened, "no code"), close_at_border(opened, stranger)):
        assert closed.state.state_hash() == closed.transaction.restored == opened.snapshot
        assert closed.transaction.after is None
