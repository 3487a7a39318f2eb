"""Plots: the data that they show, and one file of each form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from auditcoder.errors import ConfigError
from auditcoder.eval.metrics.row import Cost, Point, RepairFact, RunRow
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.plots.drawing import draw
from auditcoder.eval.plots.funnel import STEPS, localization_funnel
from auditcoder.eval.plots.plot import Plot
from auditcoder.eval.plots.regions import region_against_success
from auditcoder.eval.plots.tokens import pass_against_tokens, pass_while_spending
from auditcoder.eval.plots.types import bars_by_trait
from auditcoder.eval.statistics.wilson import Share
from tests.unit.test_metrics_comparison import ONE, OTHER, made, rows_of

NO_MATPLOTLIB = "matplotlib is not installed: pip install 'auditcoder[lab]'"


def test_a_method_is_a_line_through_its_budgets_by_tokens() -> None:
    rows = [
        *rows_of([[1], [1]], ONE._replace(protocol="calls:8"), cost=Cost(prompt_tokens=800)),
        *rows_of([[1], [0]], ONE._replace(protocol="calls:2"), cost=Cost(prompt_tokens=200, completion_tokens=50)),
        *rows_of([[0], [0]], OTHER._replace(protocol="calls:2"), cost=Cost(prompt_tokens=90)),
        *rows_of([[0], [0]], OTHER._replace(protocol="calls:8"), invalid=("no usage",)),
    ]
    plot = pass_against_tokens(summaries(rows))
    one, other = plot.series
    assert [(dot.x, dot.y, dot.label) for dot in one.dots] == [(250.0, 0.5, "calls:2"), (800.0, 1.0, "calls:8")]
    assert (one.dots[0].low, one.dots[0].high) == Share(1, 2).interval
    assert [(dot.x, dot.y) for dot in other.dots] == [(90.0, 0.0)]
    assert (one.name, len(plot.notes)) == ("auditcoder, scripted, own", 1)
    assert "calls:8" in plot.notes[0]


def test_pass_while_spending_rises_where_a_passing_program_took_over() -> None:
    def run(task: str, *points: tuple[int, bool]) -> RunRow:
        curve = tuple(Point(calls=calls, primary=passed, all_tests=True) for calls, passed in points)
        return made(task, 1, curve=curve, requests=((60, 40),) * 3)

    rows = [run("T0", (1, False), (3, True)), run("T1", (1, True), (2, False)), made("T2", 0)]
    plot = pass_while_spending(rows)
    third = pytest.approx(1 / 3)
    assert [(dot.x, dot.y) for dot in plot.series[0].dots] == [(0, 0.0), (100, third), (200, 0.0), (300, third)]
    assert plot.series[0].name.endswith("own, k1")
    last = pass_while_spending(rows, "all").series[0].dots[-1]
    assert [last.x, last.y] == pytest.approx([300, 2 / 3])


def repaired(task: str, scope: int, graph: int, *, accepted: bool, passed: bool) -> RunRow:
    decision = "accepted" if accepted else "rolled-back"
    fact = RepairFact(decision=decision, rule="Local", scope_nodes=scope, graph_nodes=graph, passed_after=passed)  # type: ignore[arg-type]
    return made(
        task, int(passed), repairs=(fact,), checked=True, final_visible=accepted,
        curve=(Point(calls=1, primary=False, all_tests=False),),
    )  # fmt: skip


REPAIRS = [
    repaired("T0", 1, 4, accepted=True, passed=True),
    repaired("T1", 1, 5, accepted=False, passed=False),
    repaired("T2", 2, 4, accepted=True, passed=False),
    repaired("T3", 4, 4, accepted=True, passed=True),
    repaired("T4", 1, 1, accepted=True, passed=True),
    made("T5", 0, repairs=(RepairFact(decision="abstained"),), checked=True, curve=(Point(calls=1, primary=False, all_tests=False),)),  # noqa: E501
    made("T6", 2, checked=True, initial_visible=True, final_visible=True),
    made("T7", 0, kind="not-run", checked=False),
]  # fmt: skip


def test_region_size_is_set_against_success() -> None:
    plot = region_against_success(REPAIRS)
    assert plot.categories == ("0-0.25", "0.25-0.5", "0.5-0.75", "0.75-1")
    accepted, passing = plot.series
    assert [(dot.x, dot.y, dot.label) for dot in accepted.dots] == [(0, 0.5, "1/2"), (1, 1.0, "1/1"), (3, 1.0, "1/1")]
    assert [(dot.x, dot.y) for dot in passing.dots] == [(0, 0.5), (1, 0.0), (3, 1.0)]
    assert plot.notes == ("1 repairs in graphs of one node are left out",)


def test_the_funnel_never_widens() -> None:
    plot = localization_funnel([*REPAIRS, *rows_of([[1], [1]], OTHER)])
    assert plot.categories == STEPS
    assert [series.name for series in plot.series] == ["auditcoder, scripted, own, k1"]  # direct localizes nothing
    assert [dot.y for dot in plot.series[0].dots] == [6, 5, 4, 4, 3]


def test_tasks_without_a_score_are_in_no_funnel() -> None:
    unscored = REPAIRS[0].model_copy(update={"primary": None})
    plot = localization_funnel([unscored, *REPAIRS[1:]])
    assert [dot.y for dot in plot.series[0].dots] == [5, 4, 3, 3, 2]
    assert plot.notes


def test_bars_by_type_name_their_tasks() -> None:
    rows = [
        *rows_of([[1], [0]], problem_type="graph"), made("T8", 1, problem_type="string"),
        *rows_of([[0], [0]], OTHER, problem_type="graph"),
    ]  # fmt: skip
    plot = bars_by_trait(rows)
    assert plot.categories == ("graph", "string")
    one, other = plot.series
    assert [(dot.x, dot.y, dot.label) for dot in one.dots] == [(0, 0.5, "2"), (1, 1.0, "1")]
    assert [(dot.x, dot.y) for dot in other.dots] == [(0, 0.0)]


PLOTS = [
    pass_against_tokens(summaries(rows_of([[1], [0]]))),
    pass_while_spending(REPAIRS),
    region_against_success(REPAIRS),
    localization_funnel(REPAIRS),
    bars_by_trait(REPAIRS),
    Plot("line", "Empty", "x", "y", ()),
]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.title)
def test_a_plot_is_drawn_the_same_twice(plot: Plot, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason=NO_MATPLOTLIB)
    for name, begins in (("one.svg", b"<?xml"), ("one.png", b"\x89PNG")):
        assert draw(plot, tmp_path / name) is plot
        drawn = (tmp_path / name).read_bytes()
        assert drawn.startswith(begins)
        draw(plot, tmp_path / name)
        assert (tmp_path / name).read_bytes() == drawn
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert all(f">{series.name}<" in text for series in plot.series)


def test_a_plot_needs_a_form_and_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"one\.gif"):
        draw(PLOTS[-1], tmp_path / "one.gif")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match="matplotlib") as caught:
        draw(PLOTS[-1], tmp_path / "one.png")
    assert "auditcoder[lab]" in caught.value.hint
