"""The work of `auditcoder audit`: find the runs, measure them, print the table."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from auditcoder.audit.auditing import AuditReport, LeftOut, audit_runs
from auditcoder.audit.metrics.metric import Measured
from auditcoder.audit.outcomes import OutcomeIndex, read_outcomes
from auditcoder.cli.exits import ENVIRONMENT, FINDINGS, OK
from auditcoder.cli.run_names import counted_off, run_names
from auditcoder.cli.runs import runs_of
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean, counted, one_line

WIDTH = 120
WHOLE = 110
"""Columns from which on the whole table is shown; a narrower one leaves out what the lines below it tell, too."""
SCHEMA = 1
"""Version of the form of `--json`."""
LISTED = 5
"""Runs that are listed below the table for each metric; --json lists all."""


def audit(named: Sequence[Path], outcomes: Path | None, *, replay: bool, json: bool, quiet: bool) -> int:
    """Print the metrics over runs, and return the exit code.

    Raises:
        ConfigError: a name leads to no run, or the outcomes file cannot be used, or does not fit the runs.
    """
    folders = run_folders(named)
    index = OutcomeIndex(read_outcomes(outcomes), folders) if outcomes else None
    report = audit_runs(counted_off(folders, quiet=quiet or json), index, replay=replay)
    if json:
        print(json_module.dumps(as_json(report), indent=2, ensure_ascii=True))
    else:
        show(report, folders)
    if report.unreadable:
        return ENVIRONMENT
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


def show(report: AuditReport, folders: Sequence[Path]) -> None:
    """Print a report for people."""
    console = terminal()
    console.print(Text(totals(report)))
    console.print()
    if report.finished:
        console.print(metrics_table(report, console.width))
    else:
        console.print("nothing was measured: no run is finished")
    named = run_names(folders)
    names = dict(zip(map(str, folders), named.names, strict=True))
    listed = [*drill_down(report, names, console.width), *left_out(report, names, console.width)]
    for line in ([f"\n{named.heading}"] if listed and named.heading else []) + listed:
        console.print(Text(clean(line)), soft_wrap=True)


def totals(report: AuditReport) -> str:
    """Return how many runs there are by status, and how many repairs by decision."""
    decided = ", ".join(f"{count} {decision}" for decision, count in report.decisions.items())
    repairs = counted(sum(report.decisions.values()), "repair")
    left = f"{len(report.unfinished)} unfinished, {len(report.corrupt)} corrupt"
    left += f", {len(report.unreadable)} unreadable" if report.unreadable else ""
    ended = f"{counted(report.finished, 'finished run')} ({report.solved} pass every check)"
    return f"{ended}, {left}; {repairs}" + (f": {decided}" if decided else "")


def metrics_table(report: AuditReport, width: int) -> Table:
    """Return one row a metric, in the order of the paper's Table 3, ours marked; no name or number is ever wrapped."""
    whole = width >= WHOLE
    shown = table("metric", ">n / d", ">value", ">mean", *(("mean over", ">against") if whole else ()), "note",
                  title="metrics")  # fmt: skip
    for column in shown.columns[:-1]:
        column.no_wrap = True
    for measured in report.metrics:
        metric = measured.metric
        name = f"[+] {metric.name}" if metric.source == "ours" else metric.name
        style = "red" if measured.broken else ""
        mean = _number(measured.mean) if metric.mean_over else ""
        against = str(len({one.run for one in measured.against}) or "")
        ratio = f"{measured.numerator} / {measured.denominator}"
        value = _number(measured.value)
        more = (metric.mean_over, against) if whole else ()
        shown.add_row(Text(name, style=style), ratio, value, mean, *more, note(measured))
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


def drill_down(report: AuditReport, names: Mapping[str, str], width: int) -> Iterator[str]:
    """Yield the runs that count against each metric, and why."""
    for measured in report.metrics:
        if not measured.against:
            continue
        yield f"\nagainst {measured.metric.name}"
        for one in measured.against[:LISTED]:
            yield from _named(names[one.run], one.what, width)
        if len(measured.against) > LISTED:
            yield f"  and {len(measured.against) - LISTED} more; --json lists all"


def left_out(report: AuditReport, names: Mapping[str, str], width: int) -> Iterator[str]:
    """Yield the runs that are in no metric, in the words of `verify` where there is nothing to read."""
    groups = {"unfinished": report.unfinished, "corrupt (verify tells the differences)": report.corrupt}
    for status in dict.fromkeys(one.status for one in report.unreadable):
        groups[status] = tuple(one for one in report.unreadable if one.status == status)
    for status, runs in groups.items():
        if runs:
            yield f"\nleft out, {status}"
        for one in runs:
            yield from _named(names[one.run], one.reason, width)


def _named(name: str, text: str, width: int) -> Iterator[str]:
    """Yield a run and a text on one line, or on two where one does not hold both."""
    told = one_line(text, WIDTH)
    if len(name) + len(told) + 4 <= width:
        yield f"  {name}: {told}"
    else:
        yield f"  {name}:"
        yield f"    {told}"


def as_json(report: AuditReport) -> dict[str, object]:
    """Return a report as plain JSON; what was not measured is null, never 0."""
    return {
        "schema": SCHEMA,
        "runs": {
            "finished": report.finished,
            "solved": report.solved,
            "unfinished": _listed(report.unfinished),
            "corrupt": _listed(report.corrupt),
            "unreadable": [one._asdict() for one in report.unreadable],
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
