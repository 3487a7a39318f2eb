"""The statistics against exact counting, published examples and values that scipy and statsmodels gave.

The fixed values were made with scipy 1.17.1 and statsmodels 0.15.0; where the two are installed, they are asked again.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from auditcoder.eval.statistics.bootstrap import Interval, drawn_interval, paired_interval, runs_interval
from auditcoder.eval.statistics.holm import holm
from auditcoder.eval.statistics.lattice import OnGrid, on_grid, power
from auditcoder.eval.statistics.mcnemar import clustered_mcnemar, mcnemar
from auditcoder.eval.statistics.pass_at_k import Trials, mean_pass_at_k, pass_at_k
from auditcoder.eval.statistics.ranks import rank_correlation, ranks
from auditcoder.eval.statistics.wilson import Share

NO_REFERENCE = "scipy or statsmodels is not installed: pip install 'auditcoder[reference]'"


def differences(tasks: int, runs: int, seed: int) -> list[list[int]]:
    generator = random.Random(seed)
    return [[generator.choice((-1, 0, 0, 0, 1, 1)) for _ in range(runs)] for _ in range(tasks)]


@pytest.mark.parametrize("runs", range(1, 8))
def test_pass_at_k_is_the_share_of_all_draws_that_hold_a_pass(runs: int) -> None:
    for passed in range(runs + 1):
        outcomes = [place < passed for place in range(runs)]
        for k in range(1, runs + 1):
            draws = list(combinations(outcomes, k))
            assert pass_at_k(Trials(runs, passed), k) == Fraction(sum(any(draw) for draw in draws), len(draws))


@pytest.mark.parametrize(
    ("runs", "passed", "k", "exact"),
    [
        (10, 3, 1, Fraction(3, 10)),
        (10, 3, 5, Fraction(11, 12)),
        (20, 1, 10, Fraction(1, 2)),
        (100, 2, 10, Fraction(21, 110)),
        (200, 7, 100, Fraction(506067, 509639)),
        (5, 5, 5, Fraction(1)),
        (5, 0, 5, Fraction(0)),
        (5, 2, 4, Fraction(1)),
    ],
)
def test_pass_at_k_equals_the_exact_value(runs: int, passed: int, k: int, exact: Fraction) -> None:
    product_form = Fraction(1)
    for left in range(runs - passed + 1, runs + 1):  # the product form of Chen et al., without binomials
        product_form *= 1 - Fraction(k, left)
    assert pass_at_k(Trials(runs, passed), k) == 1 - max(product_form, Fraction(0)) == exact


def test_pass_at_k_of_a_set_is_the_mean_over_tasks() -> None:
    assert mean_pass_at_k([Trials(4, 1), Trials(3, 3), Trials(5, 0)], 2) == Fraction(1, 3) * (Fraction(1, 2) + 1)
    assert mean_pass_at_k([], 1) is None


@pytest.mark.parametrize(("runs", "passed", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1), (0, 0, 1)])
def test_pass_at_k_refuses_what_cannot_be(runs: int, passed: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"pass|run"):
        pass_at_k(Trials(runs, passed), k)


@pytest.mark.parametrize("values", [(0, 1, 1), (-1, 0, 1, 1), (-2, 0, 3), (5,), (0, 0)])
def test_powers_count_every_sum(values: tuple[int, ...]) -> None:
    for times in range(5):
        assert power(Counter(values), times) == Counter(map(sum, product(values, repeat=times)))


def test_a_grid_keeps_the_values() -> None:
    values = [Fraction(1, 3), Fraction(-1, 2), Fraction(0), Fraction(5)]
    steps, step = on_grid(values)
    assert [number * step for number in steps] == values
    assert on_grid([Fraction(4), Fraction(-6)]) == OnGrid((2, -3), Fraction(2))
    assert on_grid([Fraction(0)]) == OnGrid((0,), Fraction(1))


@pytest.mark.parametrize(
    "clusters", [[[1], [0], [-1], [1], [0]], [[1, 0], [1, 1], [-1, 0]], [[1, 0, 0], [1], [0, -1]], [[0], [0]]]
)
def test_the_interval_is_that_of_all_resamples(clusters: list[list[int]]) -> None:
    means = [Fraction(sum(cluster), len(cluster)) for cluster in clusters]
    sums = sorted(sum(sample) / len(means) for sample in product(means, repeat=len(means)))
    cut = len(sums) * 25 // 1000
    low, high = float(sums[cut]), float(sums[-1 - cut])
    assert paired_interval(clusters) == Interval(float(sum(means) / len(means)), low, high)


@pytest.mark.parametrize("clusters", [[[1, 0], [1, -1], [0, 0]], [[1, 0, 0], [1], [0, -1]]])
def test_the_interval_of_the_runs_is_that_of_all_their_resamples(clusters: list[list[int]]) -> None:
    draws = product(*(product(cluster, repeat=len(cluster)) for cluster in clusters))
    sums = sorted(sum(Fraction(sum(one), len(one)) for one in draw) / len(clusters) for draw in draws)
    cut = len(sums) * 25 // 1000
    found = runs_interval(clusters)
    assert (found.low, found.high) == (float(sums[cut]), float(sums[-1 - cut]))


SCIPY_BOOTSTRAP = [
    # (tasks, runs, seed): scipy.stats.bootstrap(means, mean, method="percentile", n_resamples=200_000, rng 0)
    (30, 1, 1, (-0.3333333333333333, 0.2)),
    (164, 1, 2, (0.11585365853658537, 0.3231707317073171)),
    (100, 3, 3, (0.14666666666666664, 0.29333333333333333)),
]


@pytest.mark.parametrize(("tasks", "runs", "seed", "bounds"), SCIPY_BOOTSTRAP)
def test_the_interval_is_that_of_scipy(tasks: int, runs: int, seed: int, bounds: tuple[float, float]) -> None:
    found = paired_interval(differences(tasks, runs, seed))
    assert (found.low, found.high) == pytest.approx(bounds, abs=1e-12)


@pytest.mark.parametrize(("tasks", "runs", "seed", "bounds"), SCIPY_BOOTSTRAP)
def test_scipy_still_says_so(tasks: int, runs: int, seed: int, bounds: tuple[float, float]) -> None:
    numpy: Any = pytest.importorskip("numpy", reason=NO_REFERENCE)
    stats: Any = pytest.importorskip("scipy.stats", reason=NO_REFERENCE)
    means = numpy.array([sum(cluster) / len(cluster) for cluster in differences(tasks, runs, seed)])
    rng = numpy.random.default_rng(0)
    options = {"method": "percentile", "n_resamples": 200_000, "batch": 10_000, "rng": rng}
    found = stats.bootstrap((means,), numpy.mean, **options).confidence_interval
    assert (found.low, found.high) == pytest.approx(bounds, abs=1e-12)


def test_swapping_the_methods_mirrors_the_interval() -> None:
    for seed in range(20):
        clusters = differences(25, 2, seed)
        there, back = paired_interval(clusters), paired_interval([[-value for value in own] for own in clusters])
        assert (there.low, there.high) == (-back.high, -back.low)


def test_draws_come_near_to_all_resamples_and_are_the_same_every_time() -> None:
    clusters = differences(80, 3, 5)
    means = [Fraction(sum(cluster), len(cluster)) for cluster in clusters]
    drawn, exact = drawn_interval(means, seed=7), paired_interval(clusters)
    assert drawn == drawn_interval(means, seed=7)
    assert (drawn.low, drawn.high) != (drawn_interval(means, seed=8, resamples=500)[1:])
    assert drawn.low == pytest.approx(exact.low, abs=0.01)
    assert drawn.high == pytest.approx(exact.high, abs=0.01)


def test_differences_off_every_small_grid_are_drawn() -> None:
    tokens = [[Fraction(generator)] for generator in (1201, -777, 340, 12, 9999, -4021)] * 20
    found = paired_interval(tokens, seed=3)
    assert found == drawn_interval([own[0] for own in tokens], seed=3)
    assert found.low < found.mean < found.high


def test_an_interval_of_one_side_excludes_zero() -> None:
    assert paired_interval([[1]] * 9 + [[0]] * 3).excludes_zero
    assert paired_interval([[-1]] * 9 + [[0]] * 3).excludes_zero
    assert not paired_interval([[1], [0], [-1], [0]]).excludes_zero


@pytest.mark.parametrize("clusters", [[], [[]], [[1], []]])
def test_an_interval_of_nothing_is_refused(clusters: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="needs tasks"):
        paired_interval(clusters)
    with pytest.raises(ValueError, match="no level"):
        paired_interval([[1]], level=Fraction(1))


STATSMODELS_MCNEMAR = [
    # (pairs of the first only, of the second only, statsmodels mcnemar(exact=True).pvalue)
    (1, 7, 0.0703125),
    (10, 25, 0.016673847800120715),
    (0, 6, 0.03125),
    (3, 3, 1.0),
    (59, 41, 0.08862608011406758),
    (150, 112, 0.02208170171853056),
]


@pytest.mark.parametrize(("first", "second", "exact"), STATSMODELS_MCNEMAR)
def test_mcnemar_is_that_of_statsmodels(first: int, second: int, exact: float) -> None:
    assert mcnemar(first, second).exact == pytest.approx(exact, rel=1e-12)
    assert mcnemar(second, first).exact == mcnemar(first, second).exact


@pytest.mark.parametrize(("first", "second", "exact"), STATSMODELS_MCNEMAR)
def test_statsmodels_still_says_so(first: int, second: int, exact: float) -> None:
    tables: Any = pytest.importorskip("statsmodels.stats.contingency_tables", reason=NO_REFERENCE)
    assert tables.mcnemar([[5, first], [second, 9]], exact=True).pvalue == pytest.approx(exact, rel=1e-12)


def test_mcnemar_of_the_published_example() -> None:
    # Bentur et al. 2009, as computed in Fagerland, Lydersen and Laake 2013: 1 and 7 discordant pairs
    found = mcnemar(1, 7)
    assert (round(found.exact, 4), round(found.mid_p, 4)) == (0.0703, 0.0391)


def test_equally_many_discordant_pairs_have_the_mid_p_of_the_paper() -> None:
    assert mcnemar(3, 3).mid_p == 1 - 0.5 * 20 / 64
    assert mcnemar(0, 0) == (0, 0, 1.0, 1.0)
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_of_several_runs_whole_tasks_change_sides() -> None:
    clusters = [[1, 1, 0], [1, 0, 0], [0, 0, 0], [-1, 0, 0], [1, 1, 1], [1, 0]]
    means = [Fraction(sum(cluster), len(cluster)) for cluster in clusters]
    observed = abs(sum(means, Fraction()))
    sums = [abs(sum((sign * mean for sign, mean in zip(signs, means, strict=True)), Fraction()))
            for signs in product((1, -1), repeat=len(means))]  # fmt: skip
    found = clustered_mcnemar(clusters)
    beyond, equal = sum(one > observed for one in sums), sum(one == observed for one in sums)
    assert found.exact == (beyond + equal) / len(sums)
    assert found.mid_p == (beyond + equal / 2) / len(sums)
    assert (found.first_only, found.second_only) == (7, 1)


def test_repeating_the_same_runs_is_no_new_evidence() -> None:
    once, thrice = [[1], [1], [1], [-1], [0]], [[1] * 3, [1] * 3, [1] * 3, [-1] * 3, [0] * 3]
    assert clustered_mcnemar(once)[2:] == clustered_mcnemar(thrice)[2:] == mcnemar(3, 1)[2:]
    assert mcnemar(9, 3).exact < clustered_mcnemar(thrice).exact


FIRST = [0.9, 0.4, 0.4, 0.7, 0.1, 0.4, 0.8, 0.2]
SECOND = [1, 0, 1, 1, 0, 0, 0, 0]
SCIPY_RANKS = [
    # (numbers, numbers, scipy.stats.spearmanr statistic, scipy.stats.kendalltau statistic)
    (FIRST, SECOND, 0.5196152422706631, 0.46475800154489),
    ([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], 0.8285714285714287, 0.6),
    ([80, 95, 95, 60, 70, 95, 85], [3, 5, 4, 3, 1, 5, 2], 0.7548513560963972, 0.5948118774794626),
    ([3, 1, 2], [1, 3, 2], -1.0, -1.0),
]


@pytest.mark.parametrize(("first", "second", "rho", "tau"), SCIPY_RANKS)
def test_rank_correlations_are_those_of_scipy(first: list[float], second: list[float], rho: float, tau: float) -> None:
    found = rank_correlation(first, second)
    assert found.items == len(first)
    assert found.rho == pytest.approx(rho, abs=1e-12)
    assert found.tau == pytest.approx(tau, abs=1e-12)


@pytest.mark.parametrize(("first", "second", "rho", "tau"), SCIPY_RANKS)
def test_scipy_still_correlates_so(first: list[float], second: list[float], rho: float, tau: float) -> None:
    stats: Any = pytest.importorskip("scipy.stats", reason=NO_REFERENCE)
    assert stats.spearmanr(first, second).statistic == pytest.approx(rho, abs=1e-12)
    assert stats.kendalltau(first, second).statistic == pytest.approx(tau, abs=1e-12)


def test_one_value_only_correlates_with_nothing() -> None:
    assert rank_correlation([1, 1, 1], [1, 2, 3]) == (3, None, None)
    assert rank_correlation([], []) == (0, None, None)
    assert ranks([5, 1, 5, 0]) == [3.5, 2.0, 3.5, 1.0]
    with pytest.raises(ValueError, match="paired"):
        rank_correlation([1], [1, 2])
    with pytest.raises(ValueError, match="NaN"):
        rank_correlation([1, float("nan")], [1, 2])


STATSMODELS_HOLM = [
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
    ([0.2, 0.9, 0.05], [0.4, 0.9, 0.15000000000000002]),
    ([0.04, 0.04], [0.08, 0.08]),
    ([0.7], [0.7]),
]


@pytest.mark.parametrize(("given", "adjusted"), STATSMODELS_HOLM)
def test_holm_is_that_of_statsmodels(given: list[float], adjusted: list[float]) -> None:
    assert holm(given) == pytest.approx(adjusted, abs=1e-12)


@pytest.mark.parametrize(("given", "adjusted"), STATSMODELS_HOLM)
def test_statsmodels_still_adjusts_so(given: list[float], adjusted: list[float]) -> None:
    tests: Any = pytest.importorskip("statsmodels.stats.multitest", reason=NO_REFERENCE)
    assert list(tests.multipletests(given, method="holm")[1]) == pytest.approx(adjusted, abs=1e-12)


def test_holm_refuses_what_is_no_probability() -> None:
    assert holm([]) == []
    with pytest.raises(ValueError, match="between"):
        holm([0.1, 1.1])


STATSMODELS_WILSON = [
    (0, 10, 0.0, 0.27753279986288926),
    (9, 10, 0.5958499732047614, 0.982123786904927),
    (57, 164, 0.27892378087170333, 0.4231760438598293),
    (164, 164, 0.9771125748805723, 0.9999999999999999),
]


@pytest.mark.parametrize(("part", "whole", "low", "high"), STATSMODELS_WILSON)
def test_wilson_is_that_of_statsmodels(part: int, whole: int, low: float, high: float) -> None:
    assert Share(part, whole).interval == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize(("part", "whole", "low", "high"), STATSMODELS_WILSON)
def test_statsmodels_still_bounds_so(part: int, whole: int, low: float, high: float) -> None:
    proportion: Any = pytest.importorskip("statsmodels.stats.proportion", reason=NO_REFERENCE)
    assert proportion.proportion_confint(part, whole, method="wilson") == pytest.approx((low, high), abs=1e-12)
