"""The work of `auditcoder verify`: the runs that are meant, their audits, a table and the differences below it."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from auditcoder.audit.explain import explained
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.verification import Difference, Verification, unreadable_status
from auditcoder.audit.verify import verify_run
from auditcoder.cli.exits import FINDINGS, OK, error_data, usage_error
from auditcoder.cli.run_names import counted_off, run_names
from auditcoder.cli.runs import runs_of
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean, counted
from auditcoder.cli.wiring import Environment, sandbox
from auditcoder.core.protocols import Executor
from auditcoder.errors import AuditCoderError, LedgerError, RecordError
from auditcoder.ledger.chain import readable_chain

SHOWN = 20
"""Differences of one run that are shown; `--json` has all."""
SCHEMA = 1
"""Version of the form of `--json`."""


class Audited(NamedTuple):
    """A run folder and what its audit found, or why its ledger could not be read."""

    run: Path
    result: Verification
    error: AuditCoderError | None = None

    @property
    def status(self) -> str:
        """Return the word for the run: of an unreadable one which kind it is."""
        if self.error is None:
            return self.result.status
        return unreadable_status(self.error) or self.result.status

    @property
    def code(self) -> int:
        """Return the exit code that this run asks for."""
        if self.error is not None:
            return self.error.exit_code
        return OK if self.result.verified else FINDINGS


def explain(number: str, runs: Sequence[Path], *, json: bool) -> int:
    """Print what a check compares, and return the exit code.

    Raises:
        UsageError: there is no such check, or runs are named beside it.
    """
    known = [check.value for check in AuditCheck]
    if number.upper() not in known:
        raise usage_error(f"there is no check {number}", f"The checks are {known[0]} to {known[-1]}.")
    if runs:
        raise usage_error("--explain verifies nothing", "Leave the runs out.")
    check = AuditCheck(number.upper())
    rules = explained(check)
    if json:
        told = [{"events": list(rule.kinds), "text": rule.text} for rule in rules]
        data = {"schema": SCHEMA, "check": check.value, "compares": check.compares, "rules": told}
        print(json_module.dumps(data, indent=2, ensure_ascii=True))
        return OK
    console = terminal()
    console.print(Text(f"{check.value}  {check.compares}", style="bold"))
    for rule in rules:
        console.print(Text(f"\n{', '.join(rule.kinds) or 'the whole run'}", style="dim"))
        console.print(Text(indent(rule.text, "  ")))
    return OK


def verify(named: Sequence[Path], *, replay: bool, execute: bool, weak: bool, json: bool, quiet: bool) -> int:
    """Verify runs, print what was found, and return the exit code, of several runs the gravest.

    It is 1 for a difference or an unfinished run, and 3 for a ledger that cannot be read; the others are verified.

    Raises:
        ConfigError: no run is named, there is no such run, or a folder without runs.
        SandboxError: with `execute`, the isolation is too weak, or failed.
    """
    if not named:
        raise usage_error("no run is named", "auditcoder verify RUN, or a folder of runs such as runs")
    runs = list(dict.fromkeys(run for path in named for run in runs_of(path)))
    with ExitStack() as stack:
        executor: Executor | None = None
        if execute:
            executor = stack.enter_context(sandbox(Environment(weak_isolation=weak)))
        audited = list(_audits(runs, executor, replay=replay, quiet=quiet or json))
    if json:
        print(json_module.dumps(data_of(audited), indent=2, ensure_ascii=True))
    else:
        _print(audited, execute=execute)
    return max(each.code for each in audited)


def _audits(runs: Sequence[Path], executor: Executor | None, *, replay: bool, quiet: bool) -> Iterator[Audited]:
    for run in counted_off(runs, quiet=quiet):
        try:
            result = verify_run(run, executor=executor)
            found = Audited(run, _replayed(run, result) if replay else result)
        except (LedgerError, RecordError) as error:
            version = str(error.fields.get("format", ""))
            found = Audited(run, Verification(version, events=0, finished=False, differences=()), error)
        yield found


def _replayed(run: Path, found: Verification) -> Verification:
    """Return the result of an audit with what the pipeline does over the record (V23)."""
    from auditcoder.programs.replaying import replay_run

    replayed = replay_run(readable_chain(run).ledger)
    return replace(
        found,
        differences=tuple(sorted((*found.differences, *replayed.differences), key=lambda each: each.event)),
        comparisons={**found.comparisons, AuditCheck.REPLAYED: replayed.compared},
        notes=(*found.notes, *([replayed.note] if replayed.note else [])),
    )


def data_of(audited: Sequence[Audited]) -> dict[str, Any]:
    """Return the results as plain JSON; its form is versioned and only grows."""
    return {
        "schema": SCHEMA,
        "verified": all(each.code == OK for each in audited),
        "runs": [_run_data(each) for each in audited],
    }


def _run_data(each: Audited) -> dict[str, Any]:
    result = each.result
    return {
        "run": str(each.run),
        "status": each.status,
        "format": result.format,
        "events": result.events,
        "finished": result.finished,
        "compared": result.compared,
        "checks": {
            check.value: count for check, count in sorted(result.comparisons.items(), key=lambda c: int(c[0][1:]))
        },
        "failed": [check.value for check in result.failed],
        "differences": [{**difference._asdict(), "check": difference.check.value} for difference in result.differences],
        "explained": [explained._asdict() for explained in result.explained],
        "executions": result.executions,
        "notes": list(result.notes),
        "error": error_data(each.error) if each.error else None,
    }


def _print(audited: Sequence[Audited], *, execute: bool) -> None:
    console = terminal()
    named = run_names([each.run for each in audited])
    if named.heading:
        console.print(Text(named.heading), soft_wrap=True)
    console.print(_overview(audited, named.names, execute=execute))
    for each, name in zip(audited, named.names, strict=True):
        for line in details(each, name):
            console.print(Text(clean(line)), soft_wrap=True)
    verified = sum(each.code == OK for each in audited)
    if len(audited) > 1:
        console.print(Text(f"{verified} of {counted(len(audited), 'run')} verified"))


def _overview(audited: Sequence[Audited], names: Sequence[str], *, execute: bool) -> Table:
    """Return one row a run; a long name goes on in the next line, so that two runs never look the same."""
    shown = table("run", "status", ">events", ">compared", "differences", *([">executed"] if execute else []))
    shown.columns[0].overflow = "fold"
    for column in (*shown.columns[1:4], *shown.columns[5:]):
        column.no_wrap = True
    for each, name in zip(audited, names, strict=True):
        result = each.result
        failed = f" ({', '.join(check.value for check in result.failed)})" if result.failed else ""
        differences = "" if each.error else f"{len(result.differences)}{failed}"
        row: list[str | Text] = [Text(name), each.status, str(result.events), str(result.compared), differences]
        shown.add_row(*row, *([str(result.executions)] if execute else []))
    return shown


def details(each: Audited, name: str) -> Iterator[str]:
    """Yield the lines below the table: differences, explained ones and notes of one run."""
    result = each.result
    if each.code != OK or result.explained or result.notes:
        yield f"\n{name}"
    if each.error is not None:
        yield f"  {each.error.message}"
        yield from (f"  {line}" for line in each.error.hint.splitlines())
        return
    if not result.finished and not result.broken:
        yield "  not finished: what there is so far was verified"
    for difference in result.differences[:SHOWN]:
        yield from _difference(difference, result)
    if len(result.differences) > SHOWN:
        yield f"  and {len(result.differences) - SHOWN} more; --json has all"
    for known in result.explained:
        yield f"  event {known.event}  explained: {known.what}: {known.reason}"
    yield from (f"  note: {note}" for note in result.notes)
    if AuditCheck.OUTPUTS in result.failed and result.events:
        yield f"  the files as the ledger gives them: auditcoder restore {each.run} --at {result.events - 1} --out DIR"
    if result.broken:
        yield _behind_the_break(each.run, result.events)


def _difference(difference: Difference, result: Verification) -> Iterator[str]:
    ended = difference.event >= result.events and not result.broken
    where = "after the last event" if ended else f"event {difference.event}"
    yield f"  {where}  {difference.check.value} {difference.what}"
    if difference.recorded or difference.recomputed:
        yield f"      recorded    {difference.recorded}"
        yield f"      recomputed  {difference.recomputed}"


def _behind_the_break(run: Path, events: int) -> str:
    if not events:
        return "  nothing behind the break was verified"
    state = f"auditcoder restore {run} --at {events - 1} --out DIR"
    return f"  events 0 to {events - 1} were verified, and nothing behind them; the state there: {state}"
