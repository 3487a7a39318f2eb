"""The results of a study: `python -m auditcoder.eval.results STUDY --to FOLDER`.

Judges every program by hidden tests (once: verdicts are kept), and writes rows, tables and, with matplotlib, plots.
Ids and figures only: no text of a task, and no hidden test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from auditcoder.errors import AuditCoderError
from auditcoder.eval.metrics.audited import AuditedRun, audited
from auditcoder.eval.metrics.measuring import NO_LEDGER, UNFINISHED
from auditcoder.eval.metrics.row import RunRow
from auditcoder.eval.metrics.rows_file import write_rows
from auditcoder.eval.metrics.self_scores import score_studies, scored_items
from auditcoder.eval.metrics.study import Scored, scored_runs
from auditcoder.eval.metrics.summary import summaries
from auditcoder.eval.metrics.task_facts import TaskKinds, read_types
from auditcoder.eval.plots.drawing import draw
from auditcoder.eval.plots.funnel import localization_funnel
from auditcoder.eval.plots.plot import Plot
from auditcoder.eval.plots.regions import region_against_success
from auditcoder.eval.plots.tokens import pass_against_tokens, pass_while_spending
from auditcoder.eval.plots.types import bars_by_trait
from auditcoder.eval.tables.audits import audit_table
from auditcoder.eval.tables.csv_text import csv_text
from auditcoder.eval.tables.markdown import markdown
from auditcoder.eval.tables.parquet import write_parquet
from auditcoder.eval.tables.report import Named, study_tables
from auditcoder.eval.tables.runs import runs_table
from auditcoder.eval.tables.scores import scores_table
from auditcoder.eval.tables.terminal import renderable
from auditcoder.ledger.outputs import load_ledger
from auditcoder.programs.variants import AUDITCODER
from auditcoder.sandbox.executor import SandboxExecutor

ROWS = "rows.jsonl"
ALL_TABLES = "tables.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0, or the error's."""
    given = _options().parse_args(arguments)
    try:
        kinds = TaskKinds(given.data, read_types(given.types) if given.types else None)
        with SandboxExecutor() as executor:
            runs = list(_told(scored_runs(given.study, executor, kinds, given.data)))
        rows = [run.row for run in runs]
        tables = [*study_tables(rows, given.reference), *_beside(runs)]
        given.to.mkdir(parents=True, exist_ok=True)
        write_rows(given.to / ROWS, rows)
        write_tables([*tables, Named("runs", runs_table(rows))], given.to, parquet=given.parquet)
        for name, plot in study_plots(rows) if given.plots else ():
            draw(plot, given.to / f"{name}.svg")
    except AuditCoderError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    console = Console()
    for one in tables:
        console.print(renderable(one.table, console.width))
    return 0


def write_tables(tables: Sequence[Named], to: Path, *, parquet: bool = False) -> None:
    """Write every table as CSV (and Parquet), and all but the single runs as one Markdown file.

    Raises:
        ConfigError: Parquet is wanted and pyarrow is not installed.
    """
    for name, table in tables:
        (to / f"{name}.csv").write_text(csv_text(table), encoding="utf-8")
        if parquet:
            write_parquet(table, to / f"{name}.parquet")
    shown = [markdown(table) for name, table in tables if name != "runs"]
    (to / ALL_TABLES).write_text("\n".join(shown), encoding="utf-8")


def study_plots(rows: Sequence[RunRow]) -> Iterator[tuple[str, Plot]]:
    """Yield the plots of a study with their names; those without anything in them are left out."""
    makers: dict[str, Callable[[], Plot]] = {
        "pass-against-tokens": lambda: pass_against_tokens(summaries(rows)),
        "pass-while-spending": lambda: pass_while_spending(rows),
        "region-and-success": lambda: region_against_success(rows),
        "localization-funnel": lambda: localization_funnel(rows),
        "by-difficulty": lambda: bars_by_trait(rows, "difficulty"),
        "by-problem-type": lambda: bars_by_trait(rows, "problem_type"),
    }
    for name, make in makers.items():
        plot = make()
        if any(series.dots for series in plot.series) and plot.categories != ("unknown",):
            yield name, plot


def _beside(runs: Sequence[Scored]) -> list[Named]:
    """Return what stands beside the scores: audit metrics of AuditCoder and its variants, self-given scores."""
    groups: dict[str, list[AuditedRun]] = {}
    items = []
    for run in runs:
        if UNFINISHED in run.row.invalid or NO_LEDGER in run.row.invalid:
            continue
        events = load_ledger(run.folder).events
        items += scored_items(str(run.folder), events, run.verdicts)
        if run.row.method.startswith(AUDITCODER):
            groups.setdefault(", ".join(run.row.cell), []).append(AuditedRun(str(run.folder), events, run.verdicts))
    measured = {name: audited(group) for name, group in groups.items()}
    found = [Named("audit", audit_table(measured)), Named("self-given-scores", scores_table(score_studies(items)))]
    return [one for one in found if one.table.rows]


def _told(runs: Iterator[Scored]) -> Iterator[Scored]:
    for number, run in enumerate(runs, start=1):
        sys.stderr.write(f"{number:5d} {run.row.method} {run.row.task}: {run.row.kind}\n")
        sys.stderr.flush()
        yield run


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m auditcoder.eval.results", description=__doc__)
    parser.add_argument("study", type=Path, help="folder of the study")
    parser.add_argument("--to", type=Path, required=True, help="folder for rows, tables and plots")
    parser.add_argument("--data", default="", help="folder with the packs; default: AUDITCODER_DATA")
    parser.add_argument("--types", type=Path, help="JSON object: problem type by task id")
    parser.add_argument("--reference", default="auditcoder", help="method that the others are compared with")
    parser.add_argument("--parquet", action="store_true", help="also write Parquet files (needs pyarrow)")
    parser.add_argument("--plots", action="store_true", help="also draw plots (needs matplotlib)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
