"""The runs of a folder, one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from auditcoder.cli.showing.part import Part, table
from auditcoder.cli.showing.run import verdict
from auditcoder.cli.text import clean, counted, one_line
from auditcoder.errors import AuditCoderError
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.outputs import load_ledger
from auditcoder.programs.variants import made_by
from auditcoder.records.events import RoundStarted
from auditcoder.records.run import RunRecord

WIDTH = 60


def runs_part(parent: Path, folders: Sequence[Path]) -> Part:
    """Return the runs in a folder: name, method, status, checks and repairs; one that cannot be read says why."""
    shown = table("run", "method", "status", "checks", "repairs", title=f"{len(folders)} runs in {clean(str(parent))}")
    data: list[dict[str, object]] = []
    for folder in folders:
        name = folder.relative_to(parent).as_posix()
        try:
            ledger = load_ledger(folder)
            record = fold_ledger(ledger)
        except AuditCoderError as error:
            shown.add_row(Text(clean(name)), "", "unreadable", Text(one_line(str(error), WIDTH)), "")
            data.append({"run": name, "status": "unreadable", "error": str(error)})
            continue
        rounds = sum(isinstance(event, RoundStarted) for event in ledger.events)
        told = repairs_text(record, rounds)
        shown.add_row(Text(clean(name)), made_by(record.config), record.status, verdict(record), told)
        data.append({**run_data(name, record), "rounds": rounds})
    return Part((shown,), data)


def repairs_text(record: RunRecord, rounds: int) -> str:
    """Return the decisions of a run's repairs, counted; of a run without bounded repairs, its rounds."""
    counts = Counter(done.decision for done in record.transactions)
    told = [f"{count} {decision}" for decision, count in counts.items()]
    return ", ".join([*told, *([counted(rounds, "round")] if rounds else [])]) or "none"


def run_data(name: str, record: RunRecord) -> dict[str, object]:
    """Return the line of a run as plain JSON."""
    results = record.report.results if record.report else ()
    return {
        "run": name, "task": record.task.id, "method": made_by(record.config), "status": record.status,
        "reason": record.reason, "checks": len(record.checks),
        "passed": sum(result.outcome == "pass" for result in results),
        "repairs": [done.decision for done in record.transactions],
    }  # fmt: skip
