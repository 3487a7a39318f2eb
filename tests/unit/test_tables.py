"""Tables: the same values for people and for programs, and nothing unknown shown as 0."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from auditcoder.errors import ConfigError, RecordError
from auditcoder.eval.metrics.audited import AuditedRun, audited
from auditcoder.eval.metrics.comparison import compare, together
from auditcoder.eval.metrics.measuring import needed_programs
from auditcoder.eval.metrics.pairs import paired
from auditcoder.eval.metrics.row import Cost, RoleCalls, RunRow
from auditcoder.eval.metrics.rows_file import read_rows, write_rows
from auditcoder.eval.metrics.self_scores import ScoredItem, score_studies
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.metrics.verdicts import Verdict
from auditcoder.eval.tables.audits import audit_table
from auditcoder.eval.tables.breakdown import breakdown_table
from auditcoder.eval.tables.comparisons import comparisons_table
from auditcoder.eval.tables.costs import costs_table, outcomes_table
from auditcoder.eval.tables.csv_text import csv_text
from auditcoder.eval.tables.markdown import markdown
from auditcoder.eval.tables.methods import methods_table, pass_at_k_table
from auditcoder.eval.tables.parquet import write_parquet
from auditcoder.eval.tables.runs import runs_table
from auditcoder.eval.tables.scores import scores_table
from auditcoder.eval.tables.table import Bounded, Column, Table, text_of
from auditcoder.eval.tables.terminal import renderable
from tests.unit.test_ledger_docs import example_events
from tests.unit.test_metrics_comparison import ONE, OTHER, made, rows_of

SMALL = Table(
    "Small [bold]",
    (Column("name"), Column("rate", bounded=True), Column("tokens a run", 0), Column("done")),
    (("a|b\n[red]c", Bounded(0.5, 0.25, 0.75), 1234.5678, True), ("d", None, None, False)),
    ("One note.",),
)
SPENT = Cost(calls=3, by_role=(RoleCalls(role="generator", calls=2), RoleCalls(role="planner", calls=1)), usd=0.5)


def by_name(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.plain_columns(), row, strict=True)) for row in table.plain_rows()]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0"),
        (0.0, "0.000"),
        (True, "yes"),
        (Bounded(0.5, 0.1, 0.9), "0.500 [0.100, 0.900]"),
        ("x", "x"),
    ],
)
def test_values_as_people_read_them(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_markdown_keeps_cells_in_their_cells() -> None:
    assert markdown(SMALL).splitlines() == [
        "### Small [bold]",
        "",
        "| name | rate | tokens a run | done |",
        "| --- | --- | --- | --- |",
        "| a\\|b [red]c | 0.500 [0.250, 0.750] | 1235 | yes |",
        "| d | - | - | no |",
        "",
        "- One note.",
    ]


def test_csv_is_whole_and_leaves_the_unknown_empty() -> None:
    lines = list(csv.reader(io.StringIO(csv_text(SMALL))))
    assert lines == [
        ["name", "rate", "rate_low", "rate_high", "tokens_a_run", "done"],
        ["a|b\n[red]c", "0.5", "0.25", "0.75", "1234.5678", "True"],
        ["d", "", "", "", "", "False"],
    ]


@pytest.mark.parametrize("width", [120, 40])
def test_the_terminal_reads_no_text_as_markup_and_cuts_none_off(width: int) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(renderable(SMALL, width))
    file = console.file
    assert isinstance(file, io.StringIO)
    shown = file.getvalue()
    for text in ("Small [bold]", "[red]c", "0.500 [0.250, 0.750]", "tokens a run", "1235", "One note."):
        assert text in shown
    assert all(len(line) <= width for line in shown.splitlines())


def test_parquet_holds_the_plain_values(tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: auditcoder[lab]")
    for table in (SMALL, SMALL._replace(rows=()), runs_table(rows_of([[1], [0]])), mixed()):
        write_parquet(table, tmp_path / "table.parquet")
        back = parquet.read_table(tmp_path / "table.parquet")
        assert back.column_names == list(table.plain_columns())
        rows = [tuple(row.values()) for row in back.to_pylist()]
        assert rows == list(table.plain_rows()) or table == mixed()
        assert back.schema.metadata[b"title"] == table.title.encode()
    assert rows == [(1.0, "1"), (0.5, "x"), (None, None)]


def mixed() -> Table:
    return Table("Mixed", (Column("number"), Column("any")), ((1, 1), (0.5, "x"), (None, None)))


def test_parquet_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match="pyarrow") as caught:
        write_parquet(SMALL, tmp_path / "table.parquet")
    assert "auditcoder[lab]" in caught.value.hint


def test_the_methods_table_shows_each_rule_and_what_is_invalid() -> None:
    rows = [*rows_of([[2], [1], [0]]), *rows_of([[0], [1], [1]], OTHER, invalid=("an answer came without its usage",))]
    table = methods_table(summaries(rows))
    first, second = by_name(table)
    assert (first["method"], first["tasks"], first["first_pass@1"], first["repair_gain"]) == (
        "auditcoder", 3, pytest.approx(1 / 3), pytest.approx(1 / 3),
    )  # fmt: skip
    assert (first["calls_a_run"], first["tokens_a_run"], first["invalid"]) == (2.0, 120.0, 0)
    assert (second["calls_a_run"], second["tokens_a_run"], second["invalid"]) == (None, None, 3)
    assert any("direct, own, k1: invalid" in note for note in table.notes)
    assert [row["k"] for row in by_name(pass_at_k_table(summaries(rows)))] == [1, 1]
    assert methods_table([]).rows == ()


def test_unknown_spending_has_no_sum() -> None:
    rows = [*rows_of([[1], [1]], cost=SPENT), *rows_of([[1]], OTHER, cost=SPENT, invalid=("there is no ledger",))]
    known, unknown = by_name(costs_table(summaries(rows)))
    assert (known["calls"], known["planner"], known["generator"], known["usd"]) == (6, 2, 4, 1.0)
    assert (known["wall_seconds"], known["invalid"]) == (None, 0)
    assert {unknown[name] for name in ("calls", "planner", "prompt_tokens", "usd")} == {None}


def test_every_kind_of_end_has_its_column() -> None:
    rows = [made("T0", 1), made("T1", 0, kind="timeout"), made("T2", 0, kind="not-run"), made("T3", 0, kind="timeout")]
    counted = by_name(outcomes_table(summaries(rows)))[0]
    assert (counted["runs"], counted["passed"], counted["timeout"], counted["not-run"], counted["crash"]) == (
        4,
        1,
        2,
        1,
        0,
    )
    assert sum(value for value in counted.values() if isinstance(value, int)) == 2 * counted["runs"]


def test_a_comparison_shows_what_its_word_rests_on() -> None:
    found = compare("auditcoder", "direct", paired(rows_of([[1]] * 8), rows_of([[0]] * 8, OTHER)), where="own, k1")
    nothing = compare("auditcoder", "direct", paired([], []))
    line, empty = by_name(comparisons_table(together([found, nothing])))
    assert (line["first_is"], line["held_back_by"]) == ("no difference shown", "1 run a task, 3 are needed")
    assert (line["difference"], line["difference_low"], line["first_only"]) == (1.0, 1.0, 8)
    assert line["p_exact"] == pytest.approx(2 / 2**8)
    assert line["p_adjusted"] == pytest.approx(4 / 2**8)
    assert (empty["first_is"], empty["difference"], empty["calls_first"]) == ("nothing to compare", None, None)


def test_groups_of_tasks_are_shown_apart() -> None:
    rows: list[RunRow] = [
        *rows_of([[1], [0]], difficulty="interview"), made("T8", 1, difficulty="introductory"), made("T9", 1),
    ]  # fmt: skip
    table = breakdown_table(rows, "difficulty")
    assert [(row["difficulty"], row["tasks"], row["selected_pass@1"]) for row in by_name(table)] == [
        ("introductory", 1, 1.0), ("interview", 2, 0.5), ("unknown", 1, 1.0),
    ]  # fmt: skip


def test_a_run_is_flat_and_its_unknown_cost_is_not_zero() -> None:
    known, unknown, seen = by_name(
        runs_table([made("T0", 1, cost=SPENT), made("T1", 0, cost=SPENT, invalid=("no",)), made("T2", 1, primary=None)])
    )
    assert (known["task"], known["primary_selected"], known["all_repair_gain"], known["calls"]) == ("T0", True, 1, 3)
    assert (known["calls_planner"], known["calls_verifier"], known["kind"]) == (1, 0, "passed")
    assert (unknown["calls"], unknown["calls_planner"], unknown["usd"], unknown["invalid"]) == (None, None, None, "no")
    assert (seen["primary_selected"], seen["all_selected"]) == (None, True)


def test_audit_metrics_stand_beside_the_scores() -> None:
    events = example_events()
    verdicts = {
        program.digest: Verdict(program=program.digest, outcomes=(("H1", "pass"), ("H2", "pass" if n else "timeout")))
        for n, program in enumerate(needed_programs(events))
    }
    measured = audited([AuditedRun("run", events, verdicts)])
    rows = {row["metric"]: row for row in by_name(audit_table({"auditcoder": measured}))}
    assert (rows["LRS: localized repair success"]["numerator"], rows["test regression"]["denominator"]) == (1, 1)
    assert rows["localization coverage"]["value"] == 1.0
    assert rows["replay"]["value"] is None
    blind = {row["metric"]: row for row in by_name(audit_table({"a": audited([AuditedRun("run", events, {})])}))}
    assert blind["LRS: localized repair success"]["runs_without_input"] == 1


def test_self_given_scores_stand_beside_chance() -> None:
    items = [ScoredItem("r", "plan-confidence", f"plan {n}", 10.0 * n, n == 1) for n in range(1, 4)]
    line = by_name(scores_table(score_studies(items)))[0]
    assert (line["items"], line["runs_with_a_choice"], line["highest_passes"]) == (3, 1, 0.0)
    assert line["random_passes"] == pytest.approx(1 / 3)
    assert line["Spearman_rho"] == pytest.approx(-0.8660254)


def test_rows_come_back_from_their_file(tmp_path: Path) -> None:
    rows = [*rows_of([[2], [0]], cost=SPENT), made("T9", 0, ONE, invalid=("there is no ledger",))]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows
    (tmp_path / "rows.jsonl").write_text('{"suite": 1}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="line 1"):
        read_rows(tmp_path / "rows.jsonl")
    with pytest.raises(RecordError, match="cannot be read"):
        read_rows(tmp_path / "none.jsonl")
