"""The acceptance key, and when repair stops."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditcoder.core.budget import AdaptiveBudget, FixedBudget, RepairBudget
from auditcoder.core.rank import improves, passed_checks, rank_of
from auditcoder.core.transaction import decide
from auditcoder.records.execution import CheckResult, ExecutionReport, Outcome
from auditcoder.records.task import Check, Expected, ProgramInput
from auditcoder.records.transaction import Rank

CHECKS = (
    Check(id="E1", input=ProgramInput(stdin="1"), expected=Expected(stdout="1")),
    Check(id="E2", input=ProgramInput(stdin="2"), expected=Expected(stdout="")),
    Check(id="B1", origin="boundary", input=ProgramInput(stdin="3"), expected=Expected(stdout="3")),
    Check(id="I1", origin="internal", input=ProgramInput(stdin="4"), expected=Expected(has_value=True)),
    Check(id="B2", origin="boundary", input=ProgramInput(stdin="5"), expected=Expected()),
)
PASS: Outcome = "pass"
WA: Outcome = "wrong-answer"
RE: Outcome = "runtime-error"
TLE: Outcome = "timeout"
BROKEN: Outcome = "harness-error"
REFUSED: Outcome = "policy-reject"


def report(*outcomes: Outcome) -> ExecutionReport:
    results = tuple(CheckResult(check=c.id, outcome=o) for c, o in zip(CHECKS, outcomes, strict=False))
    return ExecutionReport(program="d", results=results)


RANKS: dict[str, tuple[ExecutionReport, tuple[int, int, int, int]]] = {
    "all-pass": (report(PASS, PASS, PASS, PASS, PASS), (1, 2, 2, 5)),
    "input-only-never-counts-as-a-pass": (report(RE, RE, RE, RE, PASS), (0, 0, 0, 1)),
    "crash-on-an-unconfirmed-input-costs-a-clean-exit-only": (report(PASS, PASS, PASS, PASS, RE), (1, 2, 2, 4)),
    "wrong-is-still-a-clean-exit": (report(WA, PASS, WA, PASS, PASS), (0, 1, 1, 5)),
    "limits-are-no-clean-exit": (report(PASS, TLE, "memory", "output-limit", PASS), (0, 1, 0, 2)),
    "sandbox-failure-is-no-pass": (report(BROKEN, PASS, PASS, PASS, PASS), (0, 1, 2, 4)),
    "refused": (report(*(REFUSED,) * 5), (0, 0, 0, 0)),
    "missing-results-have-not-passed": (report(PASS, PASS), (0, 2, 0, 2)),
    "no-results": (report(), (0, 0, 0, 0)),
}


@pytest.mark.parametrize(("given", "key"), RANKS.values(), ids=RANKS.keys())
def test_rank(given: ExecutionReport, key: tuple[int, int, int, int]) -> None:
    assert rank_of(given, CHECKS).key == key
    assert rank_of(given.model_copy(update={"results": given.results[::-1]}), CHECKS).key == key


def test_results_of_unknown_checks_do_not_count() -> None:
    assert rank_of(report(PASS, PASS, PASS, PASS, PASS), CHECKS[:1]).key == (1, 1, 0, 1)


def test_passed_checks_are_external_and_internal_ones() -> None:
    assert passed_checks(rank_of(report(PASS, WA, PASS, PASS, PASS), CHECKS)) == 3


def rank(full: int, external: int, internal: int, clean: int) -> Rank:
    return Rank(full_pass=bool(full), external=external, internal=internal, clean=clean)


IMPROVEMENTS: dict[str, tuple[Rank, Rank, bool]] = {
    "equal": (rank(0, 1, 2, 3), rank(0, 1, 2, 3), False),
    "one-more-external": (rank(0, 1, 2, 3), rank(0, 2, 0, 0), True),
    "external-lost-for-internal": (rank(0, 2, 0, 3), rank(0, 1, 9, 9), False),
    "one-more-internal": (rank(0, 1, 1, 3), rank(0, 1, 2, 2), True),
    "one-more-clean-exit": (rank(0, 1, 1, 3), rank(0, 1, 1, 4), True),
    "full-pass-comes-first": (rank(0, 5, 5, 5), rank(1, 1, 0, 1), True),
    "full-pass-lost": (rank(1, 1, 0, 1), rank(0, 5, 5, 5), False),
}


@pytest.mark.parametrize(("before", "after", "better"), IMPROVEMENTS.values(), ids=IMPROVEMENTS.keys())
def test_only_strict_improvement_is_accepted(before: Rank, after: Rank, better: bool) -> None:
    assert improves(before, after) is better
    assert decide(before, after) == ("accepted" if better else "rolled-back")


BUDGETS: dict[str, tuple[RepairBudget, Sequence[int], bool]] = {
    "k0-never": (FixedBudget(0), [2], False),
    "k1-first": (FixedBudget(1), [2], True),
    "k1-used-up": (FixedBudget(1), [2, 3], False),
    "k3-does-not-look-at-progress": (FixedBudget(3), [2, 2, 2], True),
    "adaptive-first": (AdaptiveBudget(), [0], True),
    "three-idle-rounds": (AdaptiveBudget(), [2, 2, 1, 2], True),
    "four-idle-rounds": (AdaptiveBudget(), [2, 2, 1, 2, 2], False),
    "an-increase-resets": (AdaptiveBudget(), [2, 2, 2, 2, 3, 3, 3, 3], True),
    "four-idle-rounds-after-an-increase": (AdaptiveBudget(), [2, 2, 2, 2, 3, 3, 3, 3, 3], False),
    "equal-is-no-increase": (AdaptiveBudget(), [3, 3, 3, 3, 3], False),
    "lower-is-no-increase-nor-a-new-start": (AdaptiveBudget(), [3, 1, 2, 3, 3], False),
}


@pytest.mark.parametrize(("budget", "passed", "more"), BUDGETS.values(), ids=BUDGETS.keys())
def test_budget(budget: RepairBudget, passed: Sequence[int], more: bool) -> None:
    assert budget.allows(passed) is more
