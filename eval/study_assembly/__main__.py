"""Runs the study: `python -m auditcoder.eval.study_assembly --data DATA --out RESULTS.jsonl`.

Results are appended, one JSON line a program and ownership map; started again with the same file, it goes on where it
was stopped. The table is printed at the end, or alone with `--table`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditcoder.eval.study_assembly.lines import Line, read_lines, table
from auditcoder.eval.study_assembly.maps import groups_of
from auditcoder.eval.study_assembly.outcomes import Seen
from auditcoder.eval.study_assembly.rows import PACKS, Row, load_rows
from auditcoder.eval.study_assembly.study import Bench, study_group, study_row
from auditcoder.sandbox.executor import SandboxExecutor


class _Job(NamedTuple):
    """A piece of work that is done whole."""

    rows: Sequence[Row]
    joined: bool


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing in the results file; return 1 when a crash, a fault or an unexplained difference is there."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--data", type=Path, default=None, help="folder of the packs; default: AUDITCODER_DATA")
    parser.add_argument("--out", type=Path, required=True, help="results file")
    parser.add_argument("--packs", nargs="*", default=list(PACKS), choices=PACKS)
    parser.add_argument("--checks", type=int, default=8, help="checks of one program at most")
    parser.add_argument("--table", action="store_true", help="only print the table of the results so far")
    given = parser.parse_args(arguments)
    if not given.table:
        with SandboxExecutor() as executor:
            bench = Bench(executor, given.checks)
            for pack in given.packs:
                rows = load_rows(pack, given.data)
                _run(f"{pack} alone", [_Job([row], joined=False) for row in rows], bench, given.out)
                _run(f"{pack} joined", _groups(rows, given.out), bench, given.out)
    lines = read_lines(given.out)
    sys.stdout.write(table(lines))
    return 1 if any(_is_bad(line) for line in lines) else 0


def _groups(rows: Sequence[Row], out: Path) -> list[_Job]:
    """Programs that do not load, or do not end, would take the others with them."""
    shown = {line.id: line.checks for line in read_lines(out) if line.map == "original"}
    entered = [row for row in rows if row.entry.kind != "program"]
    loading = [row for row in entered if all(_loads(seen) for seen in shown.get(row.id, ()))]
    return [_Job(group, joined=True) for group in groups_of(loading)]


def _loads(seen: Seen) -> bool:
    at_module_level = seen.frame is not None and seen.frame.function == "<module>"
    return seen.outcome in ("pass", "wrong-answer", "runtime-error") and not at_module_level


def _run(name: str, jobs: Sequence[_Job], bench: Bench, out: Path) -> None:
    lines = read_lines(out)
    done = {(line.id, line.map == "joined") for line in lines}
    shown = {line.id: line.checks for line in lines if line.map == "original"}
    waiting = [job for job in jobs if any((row.id, job.joined) not in done for row in job.rows)]
    with out.open("a", encoding="utf-8") as file:
        for job in _with_progress(name, waiting):
            made = study_group(job.rows, bench, shown) if job.joined else study_row(job.rows[0], bench)
            file.write("".join(f"{line.model_dump_json(exclude_defaults=True)}\n" for line in made))
            file.flush()


def _with_progress(name: str, jobs: Sequence[_Job], clock: Callable[[], float] = time.monotonic) -> Iterator[_Job]:
    start = told = clock()
    for number, job in enumerate(jobs):
        if clock() - told > 10:
            told = clock()
            left = (told - start) / number * (len(jobs) - number)
            sys.stderr.write(f"{name}: {number} of {len(jobs)}, {left / 60:.1f} min left\n")
        yield job


def _is_bad(line: Line) -> bool:
    unexplained = any(difference.why == "unexplained" for difference in line.differences)
    return bool(line.crash or line.faults or line.wrong_frames or unexplained)


if __name__ == "__main__":
    raise SystemExit(main())
