"""What `solve` says at the end: a line and the files of one run, a table of several, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from auditcoder.cli.exits import FINDINGS, OK
from auditcoder.cli.live.render import duration
from auditcoder.cli.show_work import solved
from auditcoder.cli.showing.part import table
from auditcoder.cli.showing.run import status, verdict
from auditcoder.cli.text import clean, counted, one_line
from auditcoder.errors import AuditCoderError
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME, load_ledger
from auditcoder.programs.variants import made_by
from auditcoder.records.events import RoundStarted
from auditcoder.records.run import RunRecord, Usage


class Outcome(NamedTuple):
    """How one task of a call ended: with a record, or with an error."""

    task: str
    folder: Path
    record: RunRecord | None = None
    error: AuditCoderError | None = None

    @property
    def code(self) -> int:
        """Return the exit code that this outcome stands for."""
        if self.error is not None or self.record is None:
            return self.error.exit_code if self.error else FINDINGS
        return OK if solved(self.record) else FINDINGS

    @property
    def unchecked(self) -> bool:
        """Return whether the run ended well with a program that no check could be run on."""
        return self.code == OK and self.record is not None and not self.record.checks

    @property
    def solved(self) -> bool:
        """Return whether there were checks and the program passes them all."""
        return self.code == OK and not self.unchecked


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return the exit code of the call: the gravest one."""
    return max((outcome.code for outcome in outcomes), default=OK)


def report(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print the end of a call for people."""
    if len(outcomes) == 1:
        for line in closing(outcomes[0]):
            console.print(Text(line), soft_wrap=True)
        return
    shown = table("task", "checks", ">repairs, rounds", ">calls", ">tokens", ">seconds", "run", title="results")
    for outcome in outcomes:
        shown.add_row(*(Text(cell) for cell in row(outcome)))
    console.print(shown)
    done, unchecked = sum(one.solved for one in outcomes), sum(one.unchecked for one in outcomes)
    more = f"; {unchecked} not checked: no examples" if unchecked else ""
    console.print(Text(f"{done} of {counted(len(outcomes), 'task')} solved: every check passes{more}"))


def closing(outcome: Outcome) -> list[str]:
    """Return the closing lines on one run."""
    record = outcome.record
    if record is None:
        return [f"{outcome.task}: {clean(str(outcome.error))}"]
    spent = total(record)
    kept = spent.cached
    calls = counted(spent.calls, "model call") + (f" ({kept} from the cache)" if kept else "")
    tokens = f"{spent.prompt_tokens} + {spent.completion_tokens} tokens"
    cost = f", ${spent.usd:.4f}" if spent.usd else ""
    return [
        f"{record.task.id}: {status(record)}",
        f"{calls}, {tokens}, {duration(spent.seconds)}{cost}",
        f"program  {outcome.folder / PROGRAM_NAME}",
        f"record   {outcome.folder / RECORD_NAME}",
        f"look at it with: auditcoder show {outcome.folder}",
    ]


def row(outcome: Outcome) -> tuple[str, ...]:
    """Return the table row of one run."""
    record = outcome.record
    if record is None:
        return (outcome.task, one_line(str(outcome.error), 60), "", "", "", "", str(outcome.folder))
    spent = total(record)
    tokens = str(spent.prompt_tokens + spent.completion_tokens)
    reactions = len(record.transactions) + rounds_of(outcome.folder)
    numbers = (str(reactions), str(spent.calls), tokens, f"{spent.seconds:.1f}")
    return (record.task.id, verdict(record), *numbers, str(outcome.folder))


def total(record: RunRecord) -> Usage:
    """Return the usage of all roles together."""
    return next((row for row in record.usage if row.role == "total"), Usage(role="total"))


def rounds_of(folder: Path) -> int:
    """Return how often a run reacted to a failure outside of bounded repairs; 0 where its ledger cannot be read."""
    try:
        return sum(isinstance(event, RoundStarted) for event in load_ledger(folder).events)
    except AuditCoderError:
        return 0


def report_json(outcomes: Sequence[Outcome]) -> None:
    """Print the end of a call for programs, as one JSON object."""
    runs = [as_json(outcome) for outcome in outcomes]
    solved_runs = sum(outcome.solved for outcome in outcomes)
    print(json.dumps({"tasks": len(runs), "solved": solved_runs, "runs": runs}, indent=2))


def as_json(outcome: Outcome) -> dict[str, object]:
    """Return one outcome as plain JSON."""
    record, error = outcome.record, outcome.error
    known: dict[str, object] = {"task": outcome.task, "run": str(outcome.folder), "solved": outcome.solved}
    if error is not None:
        known["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
    if record is not None:
        results = record.report.results if record.report else ()
        known |= {
            "method": made_by(record.config),
            "status": record.status,
            "reason": record.reason,
            "program": str(outcome.folder / PROGRAM_NAME) if record.assembly else None,
            "checked": bool(record.checks),
            "checks": {result.check: result.outcome for result in results},
            "passed": sum(result.outcome == "pass" for result in results),
            "rank": record.rank.model_dump(mode="json") if record.rank else None,
            "nodes": len(record.graph.nodes) if record.graph else 0,
            "repairs": [done.decision for done in record.transactions],
            "rounds": rounds_of(outcome.folder),
            "usage": total(record).model_dump(mode="json"),
        }
    return known
