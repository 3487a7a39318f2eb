"""The study of the tracer: `python -m auditcoder.eval.study_tracer --data DATA --out RESULTS.jsonl`.

Every recorded program that fails is traced on its first failing check, by line and by block. Results are appended, one
JSON line a program; started again with the same file, the study goes on where it was stopped. The table is printed at
the end, or alone with `--table`. Ids and figures only, no program text.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from auditcoder.core.annotate import annotated
from auditcoder.core.blocks import block_map
from auditcoder.core.protocols import Executor
from auditcoder.eval.study_assembly.rows import PACKS, Row, load_rows
from auditcoder.records.base import Record
from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, Limits
from auditcoder.records.trace import Trace, TracePlan
from auditcoder.sandbox.executor import SandboxExecutor

_LIMITS = Limits()
_UNLIMITED = 10**7
"""Characters: no annotation is cut."""
_NO_BLOCKS = Trace(check="", reason="there are no blocks")
_CHANGED = "otherwise than the run before"
"""In the reason of a trace that is refused since the traced run showed something else."""


class Line(Record):
    """What one program showed."""

    id: str
    outcome: str = ""
    """Of the first check that fails; empty when none of those that were run fails here."""
    events: int = 0
    refused: str = ""
    """Why there is no trace by line."""
    blocks_refused: str = ""
    """Why there is no trace by block."""
    varies: bool = False
    """Refused for another outcome, and the program shows another one without a tracer too."""
    shown: int = 0
    """Characters of the annotated program, nothing left out; 0 without one."""
    fits: bool = False
    """Whether the annotated program fits into its limit, with a part of the values at least."""
    faults: tuple[str, ...] = ()
    """What must never be."""


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing in the results file; return 1 when something is there that must never be."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--data", type=Path, default=None, help="folder of the packs; default: AUDITCODER_DATA")
    parser.add_argument("--out", type=Path, required=True, help="results file")
    parser.add_argument("--packs", nargs="*", default=list(PACKS), choices=PACKS)
    parser.add_argument("--checks", type=int, default=8, help="checks of one program at most")
    parser.add_argument("--limit", type=int, default=None, help="programs of a pack at most")
    parser.add_argument("--table", action="store_true", help="only print the table of the results so far")
    given = parser.parse_args(arguments)
    if not given.table:
        done = {line.id for line in read_lines(given.out)}
        with SandboxExecutor() as executor, given.out.open("a", encoding="utf-8") as file:
            for pack in given.packs:
                for row in islice(failing(load_rows(pack, given.data)), given.limit):
                    if row.id not in done:
                        file.write(f"{study_row(row, executor, given.checks).model_dump_json(exclude_defaults=True)}\n")
                        file.flush()
    lines = read_lines(given.out)
    sys.stdout.write(table(lines))
    return 1 if any(line.faults for line in lines) else 0


def failing(rows: Iterable[Row]) -> Iterable[Row]:
    """Return the programs that do not pass by the pack's own finding."""
    return (row for row in rows if row.rerun != "pass")


def study_row(row: Row, executor: Executor, most: int = 8) -> Line:
    """Return what tracing a program on its first failing check shows."""
    try:
        failed = _first_failing(row, executor, row.checks[:most])
        if failed is None:
            return Line(id=row.id)
        return _traced(row, executor, *failed)
    except Exception as error:  # the edge of the study: a crash of ours is a result to report
        return Line(id=row.id, faults=(f"crash: {type(error).__name__}: {error}"[:300],))


def _first_failing(row: Row, executor: Executor, checks: Sequence[Check]) -> tuple[Check, CheckResult] | None:
    for check in checks:
        result = executor.run(row.program, row.entry, [check], _LIMITS).results[0]
        if result.outcome != "pass":
            return check, result
    return None


def _traced(row: Row, executor: Executor, check: Check, result: CheckResult) -> Line:
    module = row.entry.kind == "program"
    blocks = TracePlan(blocks=block_map(row.program, module=module).lines)
    trace = executor.trace(row.program, row.entry, check, _LIMITS, TracePlan())
    by_block = executor.trace(row.program, row.entry, check, _LIMITS, blocks) if blocks.blocks else _NO_BLOCKS
    text = annotated(row.program, trace, _UNLIMITED)
    changed = any(_CHANGED in each.reason for each in (trace, by_block))
    return Line(
        id=row.id,
        outcome=result.outcome,
        events=trace.events,
        refused=trace.reason,
        blocks_refused=by_block.reason,
        varies=changed and _varies(lambda: executor.run(row.program, row.entry, [check], _LIMITS).results[0]),
        shown=len(text or ""),
        fits=annotated(row.program, trace) is not None,
        faults=tuple(_faults(row.program, trace, text)),
    )


def _varies(run: Callable[[], CheckResult]) -> bool:
    """Return whether three runs without a tracer show more than one thing."""
    seen = [
        (each.outcome, each.detail, each.has_observed, each.observed, each.stdout) for each in (run(), run(), run())
    ]
    return any(each != seen[0] for each in seen)


def _faults(program: str, trace: Trace, text: str | None) -> Iterable[str]:
    """Yield what an annotation must not be: the program in another form."""
    if text is None:
        if trace.lines:
            yield "values, but no annotated program"
        return
    if ast.dump(ast.parse(text)) != ast.dump(ast.parse(program)):
        yield "the annotated program is another program"
    pairs = list(zip(program.split("\n"), text.split("\n"), strict=False))
    added = [new.removeprefix(old.rstrip("\r")) for old, new in pairs]
    if any(part and not part.startswith("  # ") for part in added) or "left out" in text.split("\n")[-1]:
        yield "a line of the program is changed"


def read_lines(path: Path) -> list[Line]:
    """Return the results in a file; a last line that was cut off is left out."""
    found: dict[str, Line] = {}
    for raw in path.read_text(encoding="utf-8").split("\n") if path.exists() else ():
        try:
            line = Line.model_validate_json(raw)
        except ValidationError:
            continue
        found[line.id] = line
    return list(found.values())


_HEAD = ("pack", "programs", "fail here", "traced", "refused", "by block", "refused by block", "annotated",
         "fits in 6,000", "events, median", "outcome changed", "faults")  # fmt: skip


def table(lines: Sequence[Line]) -> str:
    """Return the counts of each pack, and why traces are refused, as Markdown."""
    packs = list(dict.fromkeys(line.id.partition(":")[0] for line in lines))
    rows = [_HEAD, ("---",) * len(_HEAD)]
    for name in (*packs, "all"):
        group = [line for line in lines if name in (line.id.partition(":")[0], "all")]
        rows.append((name, *map(str, _counts(group))))
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", *_reasons(lines), ""])


def _counts(group: Sequence[Line]) -> tuple[int, ...]:
    failed = [line for line in group if line.outcome]
    traced = [line for line in failed if not line.refused]
    events = sorted(line.events for line in traced)
    changed = [line for line in failed if _CHANGED in f"{line.refused} {line.blocks_refused}" and not line.varies]
    return (
        len(group),
        len(failed),
        len(traced),
        len(failed) - len(traced),
        sum(not line.blocks_refused for line in failed),
        sum(bool(line.blocks_refused) for line in failed),
        sum(line.shown > 0 for line in traced),
        sum(line.fits for line in traced),
        events[len(events) // 2] if events else 0,
        len(changed),
        sum(bool(line.faults) for line in group),
    )


def _reasons(lines: Iterable[Line]) -> list[str]:
    counts = Counter[tuple[str, str]]()
    for line in lines:
        for how, reason in (("line", line.refused), ("block", line.blocks_refused)):
            if reason:
                varies = " (and so does a run without a tracer)" if line.varies and _CHANGED in reason else ""
                counts[how, re.sub(r"^more than \d+", "too many", reason) + varies] += 1
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]), reverse=False)
    rows = [("by", "reason of the refusal", "programs"), ("---",) * 3, *((*key, str(n)) for key, n in ordered)]
    return [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    raise SystemExit(main())
