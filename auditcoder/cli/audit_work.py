"""The work of `auditcoder audit`: find the runs, measure them, print the table."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from auditcoder.audit.auditing import AuditReport, LeftOut, audit_runs
from auditcoder.audit.metrics.metric import Measured
from auditcoder.audit.outcomes import read_outcomes
from auditcoder.cli.exits import FINDINGS, OK
from auditcoder.cli.runs import runs_of
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean, counted, one_line

WIDTH = 120
LISTED = 5
"""Runs that are listed below the table for each metric; --json lists all."""


def audit(named: Sequence[Path], outcomes: Path | None, *, replay: bool, json: bool) -> int:
    """Print the metrics over runs, and return the exit code.

    Raises:
        ConfigError: a name leads to no run, or the outcomes file cannot be used.
    """
    folders = run_folders(named)
    report = audit_runs(folders, read_outcomes(outcomes) if outcomes else None, replay=replay)
    if json:
        print(json_module.dumps(as_json(report), indent=2, ensure_ascii=True))
    else:
        show(report)
    return OK if report.sound else FINDINGS


def run_folders(named: Sequence[Path]) -> tuple[Path, ...]:
    """Return the run folders that are meant, each once: runs as they are, of another folder the runs in it, by name.

    Raises:
        ConfigError: a name leads to no run.
    """
    found: dict[Path, Path] = {}
    for folder in (run for path in named for run in runs_of(path)):
        found.setdefault(folder.resolve(), folder)
    return tuple(found.values())


def show(report: AuditReport) -> None:
    """Print a report for people."""
    console = terminal()
    console.print(Text(totals(report)), soft_wrap=True)
    console.print()
    console.print(metrics_table(report))
    for line in (*drill_down(report), *left_out(report)):
        console.print(Text(clean(line)), soft_wrap=True)


def totals(report: AuditReport) -> str:
    """Return how many runs there are by status, and how many repairs by decision."""
    decided = ", ".join(f"{count} {decision}" for decision, count in report.decisions.items())
    repairs = counted(sum(report.decisions.values()), "repair")
    left = f"{len(report.unfinished)} unfinished, {len(report.corrupt)} corrupt"
    ended = f"{counted(report.finished, 'finished run')} ({report.solved} pass every check)"
    return f"{ended}, {left}; {repairs}" + (f": {decided}" if decided else "")


def metrics_table(report: AuditReport) -> Table:
    """Return one row a metric, in the order of the paper's Table 3, ours marked."""
    shown = table("metric", ">n / d", ">value", ">mean", "mean over", ">against", "note", title="metrics")
    for measured in report.metrics:
        metric = measured.metric
        name = f"[+] {metric.name}" if metric.source == "ours" else metric.name
        style = "red" if measured.broken else ""
        mean = _number(measured.mean) if metric.mean_over else ""
        against = str(len({one.run for one in measured.against}) or "")
        ratio = f"{measured.numerator} / {measured.denominator}"
        value = _number(measured.value)
        shown.add_row(Text(name, style=style), ratio, value, mean, metric.mean_over, against, note(measured))
    return shown


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"


def note(measured: Measured) -> str:
    """Return what should be known about a value: what was not given, or that it must be 1."""
    needs, missing = measured.metric.needs, measured.missing
    if missing and not measured.denominator:
        return f"no {needs}"
    if missing:
        return f"{counted(missing, 'run')} without {needs}"
    return "must be 1" if measured.broken else ""


def drill_down(report: AuditReport) -> Iterator[str]:
    """Yield the runs that count against each metric, and why."""
    for measured in report.metrics:
        if not measured.against:
            continue
        yield f"\nagainst {measured.metric.name}"
        for one in measured.against[:LISTED]:
            yield f"  {one.run}: {one_line(one.what, WIDTH)}"
        if len(measured.against) > LISTED:
            yield f"  and {len(measured.against) - LISTED} more; --json lists all"


def left_out(report: AuditReport) -> Iterator[str]:
    """Yield the runs that are in no metric."""
    for status, runs in (("unfinished", report.unfinished), ("corrupt", report.corrupt)):
        if runs:
            yield f"\nleft out, {status}"
        for one in runs:
            yield f"  {one.run}: {one_line(one.reason, WIDTH)}"


def as_json(report: AuditReport) -> dict[str, object]:
    """Return a report as plain JSON; what was not measured is null, never 0."""
    return {
        "runs": {
            "finished": report.finished,
            "solved": report.solved,
            "unfinished": _listed(report.unfinished),
            "corrupt": _listed(report.corrupt),
        },
        "repairs": dict(report.decisions),
        "sound": report.sound,
        "metrics": [_metric(measured) for measured in report.metrics],
    }


def _listed(runs: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [{"run": one.run, "reason": one.reason} for one in runs]


def _metric(measured: Measured) -> dict[str, object]:
    metric = measured.metric
    return {
        "key": metric.key,
        "name": metric.name,
        "source": metric.source,
        "numerator": measured.numerator,
        "denominator": measured.denominator,
        "value": measured.value,
        "mean": measured.mean,
        "mean_over": metric.mean_over or None,
        "by_construction": metric.by_construction,
        "missing": {"what": metric.needs, "runs": measured.missing} if measured.missing else None,
        "against": [{"run": one.run, "what": one.what} for one in measured.against],
    }
