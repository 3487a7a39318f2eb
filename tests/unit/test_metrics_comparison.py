"""What sets of rows say: summaries, the frozen list, comparisons and the word `better`, on rows made up here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from auditcoder.eval.metrics.comparison import Comparison, compare, together
from auditcoder.eval.metrics.frozen import completed
from auditcoder.eval.metrics.groups import by_trait
from auditcoder.eval.metrics.matched import cut_off, matched
from auditcoder.eval.metrics.pairs import differences, first_program_fails, only, paired
from auditcoder.eval.metrics.row import Cell, Cost, Point, RunRow, Scores, TaskFacts
from auditcoder.eval.metrics.summary import rate, summaries, summary
from auditcoder.eval.statistics.mcnemar import mcnemar
from auditcoder.eval.statistics.wilson import Share

ONE = Cell("auditcoder", "scripted", "own", "k1")
OTHER = ONE._replace(method="direct")


def made(task: str, passed: int, cell: Cell = ONE, seed: int = 0, **fields: Any) -> RunRow:
    """Return a row; `passed` counts the programs that pass: 0 none, 1 the final one, 2 the first one too."""
    scores = Scores(first=passed == 2, initial=passed == 2, selected=passed > 0, oracle=passed > 0)
    given: dict[str, Any] = {
        "kind": "passed" if passed else "wrong-answer",
        "primary": scores,
        "all_tests": scores,
        "cost": Cost(calls=2, prompt_tokens=100, completion_tokens=20),
    }
    return RunRow(**cell._asdict(), task=task, seed=seed, **{**given, **fields})


def rows_of(passed: Sequence[Sequence[int]], cell: Cell = ONE, **fields: Any) -> list[RunRow]:
    """Return the rows of tasks T0, T1, ..., each with as many seeds as it has numbers."""
    return [
        made(f"T{task}", one, cell, seed, **fields) for task, runs in enumerate(passed) for seed, one in enumerate(runs)
    ]


def versus(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]], **given: Any) -> Comparison:
    return compare("auditcoder", "direct", paired(rows_of(first), rows_of(second, OTHER)), **given)


def test_a_summary_counts_each_rule_under_its_own_name() -> None:
    found = summary(rows_of([[2], [1], [1], [0]]))
    assert found.selected is not None
    assert found.first is not None
    assert (found.first.value, found.selected.value) == (0.25, 0.75)
    assert (found.selected.low, found.selected.high) == Share(3, 4).interval
    assert (found.selection_gain, found.repair_gain, found.regressions) == (0.0, 0.5, 0)
    assert found.pass_at_k == ((1, 0.75),)
    assert (found.spent.calls, found.spent.tokens) == (8, 480)
    assert found.mean is not None
    assert (found.mean.calls, found.mean.tokens, found.invalid) == (2.0, 120.0, 0)
    assert found.kinds == {"passed": 3, "wrong-answer": 1}


def test_pass_at_k_is_over_whole_runs_and_tasks_weigh_the_same() -> None:
    found = summary(rows_of([[1, 0, 0], [1, 1, 1, 1], [0, 0, 0]]))
    assert found.fewest == 3
    expected = [(k, (p + 1.0 + 0.0) / 3) for k, p in ((1, 1 / 3), (2, 2 / 3), (3, 1.0))]
    assert [k for k, _ in found.pass_at_k] == [1, 2, 3]
    assert [value for _, value in found.pass_at_k] == pytest.approx([value for _, value in expected])
    assert found.selected is not None
    assert found.selected.value == pytest.approx((1 / 3 + 1) / 3)
    assert found.selected.low < found.selected.value < found.selected.high


def test_a_regression_is_counted_where_gains_would_hide_it() -> None:
    lost = Scores(first=True, initial=True, selected=False, oracle=True)
    rows = [*rows_of([[1], [0]]), made("T9", 0, primary=lost, all_tests=lost)]
    found = summary(rows)
    assert (found.repair_gain, found.regressions) == (0.0, 1)


def test_an_unknown_cost_is_no_cost_of_zero() -> None:
    rows = [*rows_of([[1], [1]]), made("T9", 0, invalid=("there is no ledger",), cost=Cost())]
    found = summary(rows)
    assert (found.mean, found.invalid, found.tasks) == (None, 1, 3)
    assert found.selected is not None
    assert found.selected.value == pytest.approx(2 / 3)  # it stays in the denominator


def test_an_oracle_that_was_not_measured_is_not_shown() -> None:
    unknown = Scores(oracle=None)
    assert summary([*rows_of([[1]]), made("T9", 0, primary=unknown)]).oracle is None
    assert rate([], "selected", "primary") is None


def test_tasks_whose_hidden_tests_are_all_visible_have_no_primary_score() -> None:
    rows = [*rows_of([[1], [0]]), made("T9", 1, primary=None)]
    primary, every = summary(rows), summary(rows, "all")
    assert (primary.tasks, primary.left_out, every.tasks, every.left_out) == (2, 1, 3, 0)
    assert primary.selected is not None
    assert every.selected is not None
    assert [primary.selected.value, every.selected.value] == pytest.approx([0.5, 2 / 3])


def test_the_frozen_list_is_the_denominator() -> None:
    tasks = [TaskFacts(suite="own", task=f"T{n}", difficulty="interview") for n in range(3)]
    rows = completed(rows_of([[1], [1]]), tasks, [ONE], [0])
    assert [row.kind for row in rows] == ["passed", "passed", "not-run"]
    found = summary(rows)
    assert found.selected is not None
    assert found.invalid == 1
    assert found.selected.value == pytest.approx(2 / 3)
    assert rows[2].difficulty == "interview"
    with pytest.raises(ValueError, match="not in the frozen list"):
        completed([made("T7", 1)], tasks, [ONE], [0])
    with pytest.raises(ValueError, match="two rows"):
        completed([made("T1", 1), made("T1", 0)], tasks, [ONE], [0])


def test_cells_are_summed_up_apart() -> None:
    found = summaries([*rows_of([[1]]), *rows_of([[0]], OTHER), *rows_of([[1]], ONE._replace(protocol="adaptive"))])
    assert [(one.cell.method, one.cell.protocol) for one in found] == [
        ("auditcoder", "k1"), ("direct", "k1"), ("auditcoder", "adaptive"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="one cell"):
        summary([*rows_of([[1]]), *rows_of([[0]], OTHER)])


def test_difficulties_come_in_their_order_and_what_is_unknown_last() -> None:
    rows = [made(name, 1, difficulty=name) for name in ("competition", "", "introductory", "zzz", "interview")]
    assert list(by_trait(rows, "difficulty")) == ["introductory", "interview", "competition", "zzz", "unknown"]
    typed = [made("a", 1, problem_type="string"), made("b", 1, problem_type="graph")]
    assert list(by_trait(typed, "problem_type")) == ["graph", "string"]


ALWAYS, NEVER = [[1, 1, 1]] * 12, [[0, 0, 0]] * 12


def test_better_needs_the_interval_the_test_and_three_runs() -> None:
    assert versus(ALWAYS, NEVER).word == "better"
    assert versus(NEVER, ALWAYS).word == "worse"
    once = versus([[1]] * 12, [[0]] * 12)
    assert once.interval is not None
    assert once.test is not None
    assert once.interval.excludes_zero
    assert once.test.exact < 0.05
    assert (once.word, once.held_back) == ("no difference shown", ("1 run a task, 3 are needed",))


def test_an_interval_alone_is_not_enough() -> None:
    found = versus([[1, 1, 1]] * 5 + [[0, 0, 0]] * 5, NEVER[:10])
    assert found.interval is not None
    assert found.test is not None
    assert found.interval.excludes_zero
    assert found.test.exact == pytest.approx(mcnemar(5, 0).exact)
    assert found.test.exact > 0.05
    assert found.word == "no difference shown"


def test_of_many_comparisons_some_are_significant_by_chance() -> None:
    one = versus([[1, 1, 1]] * 6 + [[0, 0, 0]] * 6, NEVER)
    assert one.word == "better"
    shown = together([one, *[versus(NEVER, NEVER)] * 4])
    assert shown[0].adjusted == pytest.approx(5 * one.adjusted)
    assert shown[0].word == "no difference shown"


def test_what_has_no_partner_or_no_cost_holds_the_claim_back() -> None:
    left, right = rows_of(ALWAYS), rows_of(NEVER, OTHER)
    unpaired = compare("a", "b", paired(left, right[:-1]))
    assert (unpaired.pairs, unpaired.word) == (35, "no difference shown")
    assert "1 runs have no partner" in unpaired.held_back
    invalid = [right[0].model_copy(update={"invalid": ("an answer came without its usage",)}), *right[1:]]
    unknown = compare("a", "b", paired(left, invalid))
    assert (unknown.calls, unknown.word) == (None, "no difference shown")
    assert versus(ALWAYS, NEVER).calls == (2.0, 2.0)


def test_nothing_to_compare_is_no_result() -> None:
    found = versus([], [])
    assert (found.word, found.interval, found.test, found.rates, found.adjusted) == (
        "nothing to compare", None, None, (0.0, 0.0), 1.0,
    )  # fmt: skip


def test_differences_are_by_task_and_leave_unscored_tasks_out() -> None:
    left, right = rows_of([[1, 0], [1, 1], [1, 1]]), rows_of([[0, 0], [1, 0], [0, 0]], OTHER)
    left[-1] = left[-1].model_copy(update={"primary": None})
    pairs = paired(left, right).pairs
    assert differences(pairs, "selected", "primary") == {"T0": [1, 0], "T1": [0, 1]}
    assert differences(pairs, "selected", "all") == {"T0": [1, 0], "T1": [0, 1], "T2": [1, 1]}
    unknown = {"all_tests": Scores(oracle=None)}
    blind = [pair._replace(first=pair.first.model_copy(update=unknown)) for pair in pairs]
    with pytest.raises(ValueError, match="not measured"):
        differences(blind, "oracle", "all")
    with pytest.raises(ValueError, match="compare one protocol"):
        paired([*left, *rows_of([[1]], ONE._replace(protocol="adaptive"))], right)


def control(task: str, *programs: tuple[int, bool], requests: int, visible: bool = False) -> RunRow:
    """Return a run of fresh start: (requests, whether the program then active passes), 100 tokens a request."""
    curve = tuple(Point(calls=calls, primary=passed, all_tests=passed) for calls, passed in programs)
    last = bool(programs and programs[-1][1])
    return made(
        task, int(last), ONE._replace(method="fresh-start"), checked=True, final_visible=visible, curve=curve,
        requests=((60, 40),) * requests,
        cost=Cost(calls=requests, prompt_tokens=60 * requests, completion_tokens=40 * requests),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "budget", "calls", "passed"),
    [
        (Cost(calls=2), "calls", 2, False),
        (Cost(calls=3), "calls", 3, True),
        (Cost(calls=9), "calls", 5, True),
        (Cost(prompt_tokens=150, completion_tokens=49), "tokens", 2, False),
        (Cost(prompt_tokens=150, completion_tokens=51), "tokens", 3, True),  # the third began below the budget
        (Cost(), "calls", 0, False),
    ],
)
def test_a_control_is_cut_off_where_the_other_stopped_spending(
    limit: Cost, budget: Any, calls: int, passed: bool
) -> None:
    cut = cut_off(control("T0", (1, False), (3, True), requests=5), limit, budget)
    assert (cut.cost.calls, cut.cost.tokens, cut.all_tests.selected) == (calls, 100 * calls, passed)
    assert cut.primary is not None
    assert cut.primary.selected is passed


def test_a_control_that_stopped_by_itself_is_counted_as_short() -> None:
    runs = [made(f"T{n}", 1, cost=Cost(calls=4)) for n in range(3)]
    controls = [
        control("T0", (1, True), requests=1, visible=True),  # a full pass: more draws would change nothing
        control("T1", (1, False), requests=2),
        control("T2", (1, False), (4, True), requests=6),
    ]
    found = matched(paired(runs, controls), "calls")
    assert found.short == 1
    assert [pair.second.all_tests.selected for pair in found.paired.pairs] == [True, False, True]
    compared = compare("auditcoder", "fresh-start", found.paired)
    assert list(compared.rates) == pytest.approx([1.0, 2 / 3])
    assert list(compared.calls or ()) == pytest.approx([4.0, 7 / 3])


def test_repair_is_compared_where_the_first_program_fails_its_checks() -> None:
    left = [made("T0", 1, checked=True, first_visible=True), made("T1", 1, checked=True), made("T2", 1)]
    pairs = paired(left, rows_of([[0], [0], [0]], OTHER)).pairs
    assert [pair.first.task for pair in only(pairs, first_program_fails)] == ["T1"]
