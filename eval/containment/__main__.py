"""Runs the study: `python -m auditcoder.eval.containment --data DATA --out FOLDER`. A stopped run goes on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from auditcoder.errors import AuditCoderError
from auditcoder.eval.containment import classeval, humaneval
from auditcoder.eval.containment.measuring import measure
from auditcoder.eval.containment.rows import Row, append_row, read_rows, write_rows
from auditcoder.eval.containment.subject import Subject
from auditcoder.eval.containment.table import tables
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator

ROWS, TABLE = "rows.jsonl", "table.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status of a run: 0, or the error's."""
    options = _options().parse_args(arguments)
    try:
        _run(options.data, options.out, options.seed, only_table=options.table)
    except AuditCoderError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m auditcoder.eval.containment", description=__doc__)
    parser.add_argument("--data", help="folder with the packs humaneval and classeval; default: AUDITCODER_DATA")
    parser.add_argument("--out", type=Path, required=True, help="folder for rows.jsonl and table.md")
    parser.add_argument("--seed", type=int, default=20261201, help="chooses the faults")
    parser.add_argument("--table", action="store_true", help="only write the table of the rows that are there")
    return parser


def _run(data: str | None, out: Path, seed: int, *, only_table: bool) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows = list(read_rows(out / ROWS))
    write_rows(out / ROWS, rows)  # without what a stopped run had begun to write
    if not only_table:
        with SandboxExecutor() as executor:
            done = frozenset(row.key for row in rows)
            for row in measure(programs(data), seed, executor, MeteredEvaluator(), done):
                append_row(out / ROWS, row)
                rows.append(row)
                _progress(len(rows), row)
    (out / TABLE).write_text(tables(rows), encoding="utf-8")


def programs(data: str | None) -> list[Subject]:
    """Return the programs in the order of the study: several owners first.

    Raises:
        TaskError: the data is absent or malformed.
    """
    found = [*classeval.subjects(data), *humaneval.subjects(data)]
    return sorted(found, key=lambda subject: len(subject.graph.owners) == 1)


def _progress(count: int, row: Row) -> None:
    what = f"{row.mutator} in {row.unit}: {row.failure}" if row.owner else "no fault"
    sys.stderr.write(f"{count:5d} {row.subject} {row.aim}: {what}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
