"""A transaction from snapshot to decision: accept, roll back, reject at the border, abstain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.transaction import (
    OpenTransaction,
    close_abstained,
    close_at_border,
    close_transaction,
    close_without_candidate,
    crossings,
    declare,
    open_transaction,
)
from auditcoder.errors import RecordError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Expansion, Localization, Scope
from auditcoder.records.task import Check, Expected, ProgramInput, checks_hash

CHECKS = tuple(Check(id=f"E{i}", input=ProgramInput(stdin="1"), expected=Expected(stdout="1")) for i in range(3))
GRAPH = TaskGraph(
    nodes=(
        Node(id="S0", goal="g", executor="orchestration", kind="orchestrator"),
        Node(id="S1", parent="S0", goal="g", executor="simulation", kind="leaf"),
    ),
    order=("S1",),
)
LOCALIZED = Localization(policy="paper", anchor="E1", rule="Local", implicated=("S1",), defect="Impl", grade="low")
SCOPE = Scope(defect="Impl", action="regenerate", nodes=("S1",), units=("step",))
WA: Outcome = "wrong-answer"
RE: Outcome = "runtime-error"


def state(*outcomes: Outcome, step: str = "def step(): pass", main: str = "def main(): step()") -> RunState:
    sources = {"S0": main, "S1": step}
    units = tuple(
        CodeUnit(name=name, kind="function", owner=owner, text=sources[owner], digest=sha256_text(sources[owner]))
        for name, owner in (("main", "S0"), ("step", "S1"))
    )
    digest = sha256_text(main + step)
    results = tuple(
        CheckResult(check=check.id, outcome=outcome, observed=["x", [1]], has_observed=True)
        for check, outcome in zip(CHECKS, outcomes, strict=True)
    )
    return RunState(
        graph=GRAPH,
        codes=in_node_order({n: NodeCode(node=n, source=s, digest=sha256_text(s)) for n, s in sources.items()}),
        assembly=Assembly(program=main + step, digest=digest, units=units, lines=()),
        report=ExecutionReport(program=digest, results=results),
        checks_hash=checks_hash(CHECKS),
    )


BEFORE = state("pass", WA, WA)
NEW = "def step(): return 1"


def opened(active: RunState = BEFORE, scope: Scope = SCOPE) -> OpenTransaction:
    return open_transaction(4, active, CHECKS, LOCALIZED, scope)


def test_open_transaction_freezes_everything_outside_the_scope() -> None:
    found = opened()
    assert found.snapshot == BEFORE.state_hash()
    assert found.frozen == (("main", sha256_text("def main(): step()")),)
    assert found.before.key == (0, 1, 0, 3)


def test_a_strictly_better_candidate_becomes_the_active_state() -> None:
    candidate = state("pass", "pass", WA, step=NEW)
    record, active = close_transaction(opened(), candidate)
    assert active == candidate
    assert (record.index, record.decision, record.restored) == (4, "accepted", "")
    assert record.before is not None
    assert record.after is not None
    assert (record.before.key, record.after.key) == ((0, 1, 0, 3), (0, 2, 0, 3))


NOT_BETTER: dict[str, tuple[Outcome, Outcome, Outcome]] = {
    "equal": ("pass", WA, WA),
    "other-check-passes-instead": (WA, "pass", WA),
    "worse": (WA, WA, WA),
    "crashes-instead": ("pass", RE, WA),
    "sandbox-failed": ("harness-error", "harness-error", "harness-error"),
}


@pytest.mark.parametrize("outcomes", NOT_BETTER.values(), ids=NOT_BETTER.keys())
def test_any_other_candidate_is_rolled_back(outcomes: tuple[Outcome, Outcome, Outcome]) -> None:
    record, active = close_transaction(opened(), state(*outcomes, step=NEW))
    assert active == BEFORE
    assert (record.decision, record.snapshot, record.restored) == (
        "rolled-back", BEFORE.state_hash(), BEFORE.state_hash(),
    )  # fmt: skip
    assert record.after is not None


def test_an_unusable_answer_is_rolled_back_without_a_rank() -> None:
    record, active = close_without_candidate(opened(), "the answer does not parse")
    assert active == BEFORE
    assert (record.decision, record.after, record.reason) == ("rolled-back", None, "the answer does not parse")
    assert record.restored == record.snapshot


def test_a_candidate_that_crosses_the_border_is_rejected_before_it_runs() -> None:
    candidate = state("pass", "pass", "pass", step=NEW, main="def main(): step() ")
    record, active = close_at_border(opened(), candidate.assembly)
    assert active == BEFORE
    assert (record.decision, record.after) == ("rejected-at-border", None)
    assert [item.unit for item in record.violations] == ["main"]
    assert "main changed" in record.reason
    assert record.restored == record.snapshot


def test_abstention_changes_nothing_and_says_why() -> None:
    for localization, scope, reason in (
        (
            LOCALIZED.model_copy(update={"abstained": "nothing-failed"}),
            Scope(abstained="not-localized"),
            "nothing-failed",
        ),
        (LOCALIZED, Scope(abstained="owner-has-no-code"), "owner-has-no-code"),
    ):
        given = open_transaction(0, BEFORE, CHECKS, localization, scope)
        record, active = close_abstained(given)
        assert given.abstains
        assert active == BEFORE
        assert (record.decision, record.reason, record.frozen, record.after) == ("abstained", reason, (), None)
        assert record.restored == record.snapshot


def _run_against_the_border() -> object:
    return close_transaction(opened(), state("pass", "pass", "pass", main="def main(): pass"))


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "other-checks-at-the-start": (
        lambda: open_transaction(0, BEFORE, CHECKS[:2], LOCALIZED, SCOPE), "not the frozen ones"),
    "other-checks-in-another-order": (
        lambda: open_transaction(0, BEFORE, CHECKS[::-1], LOCALIZED, SCOPE), "not the frozen ones"),
    "validated-on-other-checks": (
        lambda: close_transaction(opened(), BEFORE.model_copy(update={"checks_hash": "x"})), "other checks"),
    "report-of-another-program": (
        lambda: close_transaction(
            opened(), state("pass", "pass", "pass", step=NEW).model_copy(update={"report": BEFORE.report})),
        "another program"),
    "was-run-although-it-crosses-the-border": (_run_against_the_border, "may not be run"),
    "was-run-although-it-abstained": (
        lambda: close_transaction(opened(scope=Scope(abstained="x")), BEFORE), "may not be run"),
    "abstention-with-a-scope": (lambda: close_abstained(opened()), "has a scope"),
    "nothing-crosses-the-border": (
        lambda: close_at_border(opened(), state("pass", WA, WA, step=NEW).assembly), "outside the scope"),
}  # fmt: skip


@pytest.mark.parametrize(("act", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_misuse_is_refused(act: Callable[[], object], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        act()


def test_a_snapshot_that_was_tampered_with_cannot_pass_as_restored() -> None:
    given = opened(state("pass", WA, WA))
    observed = given.state.report.results[0].observed
    assert isinstance(observed, list)
    observed.append("changed in place")
    with pytest.raises(RecordError, match="did not restore"):
        close_without_candidate(given, "unusable")


def test_crossings_are_empty_for_changes_of_the_scope_only() -> None:
    assert crossings(opened(), state("pass", WA, WA, step=NEW).assembly) == ()


def test_the_state_hash_covers_every_part() -> None:
    other = state("pass", "pass", WA, step=NEW)
    parts = {
        "graph": GRAPH.model_copy(update={"order": ()}),
        "codes": other.codes,
        "assembly": other.assembly,
        "report": other.report,
        "checks_hash": "other",
    }
    hashes = {BEFORE.model_copy(update={name: part}).state_hash() for name, part in parts.items()}
    assert len(hashes | {BEFORE.state_hash()}) == len(parts) + 1
    assert set(parts) | {"findings"} == set(RunState.model_fields)


# --- the final scope -------------------------------------------------------------------------------------------------

MAIN = Expansion(unit="main", owner="S0", reason="calls `step`, whose interface changes")
FINAL = SCOPE.model_copy(update={"expansions": (MAIN,)})
REVISED = GRAPH.model_copy(
    update={"nodes": (GRAPH.nodes[0], GRAPH.nodes[1].model_copy(update={"goal": "another goal"}))}
)
CALLED = state("pass", WA, WA, main="def main():\n    step()")


def test_a_declared_scope_freezes_less_and_is_what_the_record_holds() -> None:
    declared = declare(opened(CALLED), FINAL, None)
    assert (declared.scope, declared.frozen, declared.graph) == (FINAL, (), GRAPH)
    candidate = state("pass", "pass", WA, step=NEW, main="def main():\n    return step()")
    record, active = close_transaction(declared, candidate)
    assert (record.decision, record.scope, record.frozen) == ("accepted", FINAL, ())
    assert active == candidate
    assert close_without_candidate(declared, "unusable").transaction.scope == FINAL


def test_without_the_declaration_the_same_candidate_is_rejected() -> None:
    candidate = state("pass", "pass", WA, step=NEW, main="def main():\n    return step()")
    assert [found.unit for found in crossings(opened(CALLED), candidate.assembly)] == ["main"]


def test_a_plan_beyond_the_scope_is_rejected_at_the_border() -> None:
    declared = declare(opened(), SCOPE, REVISED)
    candidate = state("pass", "pass", "pass", step=NEW)
    record, active = close_at_border(declared, candidate.assembly)
    assert (record.decision, active) == ("rejected-at-border", BEFORE)
    assert [(found.unit, found.owner) for found in record.violations] == [("<plan>", "S1")]
    with pytest.raises(RecordError, match="may not be run"):
        close_transaction(declared, candidate.model_copy(update={"graph": REVISED}))


UNDECLARED: dict[str, tuple[Callable[[], object], str]] = {
    "another-scope": (lambda: declare(opened(), SCOPE.model_copy(update={"nodes": ("S0",)}), None), "not the selected"),
    "no-scope": (lambda: declare(opened(scope=Scope(abstained="x")), Scope(abstained="x"), None), "declares no scope"),
    "inadmissible-expansion": (
        lambda: declare(
            opened(), SCOPE.model_copy(update={"expansions": (MAIN.model_copy(update={"unit": "x"}),)}), None),
        "inadmissible"),
    "another-plan-than-declared": (
        lambda: close_transaction(
            opened(), state("pass", "pass", "pass", step=NEW).model_copy(update={"graph": REVISED})),
        "another plan"),
}  # fmt: skip


@pytest.mark.parametrize(("act", "message"), UNDECLARED.values(), ids=UNDECLARED.keys())
def test_a_scope_is_declared_as_selected(act: Callable[[], object], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        act()
