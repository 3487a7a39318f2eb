"""One program, or one group of programs, through the study: assemble, check the properties, run, compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from auditcoder.core.parsing import normalize
from auditcoder.core.protocols import Executor
from auditcoder.eval.study_assembly.lines import Line, MapName
from auditcoder.eval.study_assembly.maps import (
    Assembled,
    Joined,
    Rejected,
    assemble_single,
    divided,
    join_rows,
    link,
    task_of,
)
from auditcoder.eval.study_assembly.outcomes import LIMITS, Again, Seen, check_frames, differences, run_program
from auditcoder.eval.study_assembly.properties import faults_of
from auditcoder.eval.study_assembly.rows import Row
from auditcoder.eval.study_assembly.splitting import Divided
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Limits


class Bench(NamedTuple):
    """Where programs run; without an executor only the properties are checked."""

    executor: Executor | None
    most: int = 8
    """Checks of one program at most."""

    def run(self, program: str, row: Row, limits: Limits = LIMITS) -> tuple[Seen, ...]:
        """Return what a program shows on a row's checks."""
        return run_program(program, row, self.executor, self.most, limits) if self.executor else ()


def study_row(row: Row, bench: Bench) -> list[Line]:
    """Return the original's line and those of the single and split maps.

    A program with only one definition is not split: that would be the single map again.
    """
    before = bench.run(row.program, row)
    single = _caught(row, "single", lambda: _line(row, "single", assemble_single(row), bench, before))
    split = _caught(row, "split", lambda: _split_line(row, bench, before))
    return [Line(id=row.id, map="original", checks=before), single, *([split] if split.nodes != 1 else [])]


def _split_line(row: Row, bench: Bench, before: Sequence[Seen]) -> Line:
    found = divided(row)
    if isinstance(found, Rejected):
        return Line(id=row.id, map="split", reason=found.reason)
    if len(found.graph.nodes) == 1:
        return Line(id=row.id, map="split", nodes=1)
    outcome = link(task_of(row), found.graph, found.sources)
    return _line(row, "split", outcome, bench, before, lambda line: _owner_at(row, found, line))


def study_group(rows: Sequence[Row], bench: Bench, before: Mapping[str, Sequence[Seen]]) -> list[Line]:
    """Return the lines of several programs joined into one.

    Args:
        rows: The programs, of different tasks.
        bench: Where they run.
        before: What each one shows alone.
    """
    try:
        joined, refused = join_rows(rows)
    except Exception as error:  # the edge of the study: a crash of ours is a result to report
        return [Line(id=row.id, map="joined", crash=f"{type(error).__name__}: {error}"[:300]) for row in rows]
    lines = [Line(id=row_id, map="joined", reason=no.reason) for row_id, no in refused.items()]
    if joined is not None:
        together = [row for row in rows if row.id in joined.owners]
        lines += [_joined_line(row, joined, bench, before[row.id]) for row in together]
    return lines


def _joined_line(row: Row, joined: Joined, bench: Bench, before: Sequence[Seen]) -> Line:
    node = joined.owners[row.id]
    return _caught(row, "joined", lambda: _line(row, "joined", joined.assembled, bench, before, lambda _: node, node))


def _caught(row: Row, owned: MapName, make: Callable[[], Line]) -> Line:
    try:
        return make()
    except Exception as error:  # the edge of the study: a crash of ours is a result to report
        return Line(id=row.id, map=owned, crash=f"{type(error).__name__}: {error}"[:300])


def _line(
    row: Row,
    owned: MapName,
    outcome: Assembled | Rejected,
    bench: Bench,
    before: Sequence[Seen],
    owner_at: Callable[[int], str] = lambda line: ROOT,
    node: str = "",
) -> Line:
    """`node` is the one of several that holds the row's program; all of them do by default."""
    if isinstance(outcome, Rejected):
        return Line(id=row.id, map=owned, reason=outcome.reason)
    program = outcome.assembly.program
    after = bench.run(program, row)
    again = Again(lambda limits: bench.run(row.program, row, limits), lambda limits: bench.run(program, row, limits))
    notes = [note for owner, found in outcome.notes.items() if node in ("", owner) for note in found]
    changed = tuple(sorted({note.split(" ")[0].rstrip(":") for note in notes}))
    frames = check_frames(before, after, row, outcome, owner_at)
    return Line(
        id=row.id,
        map=owned,
        nodes=1 if node else len(outcome.graph.nodes),
        faults=faults_of(outcome) if node in ("", ROOT) else (),
        renames=sum(node in ("", rename.node) for rename in outcome.assembly.renames),
        changed=changed,
        compared=min(len(before), len(after)),
        differences=differences(before, after, again, " ".join(changed)),
        frames=frames.resolved,
        wrong_frames=frames.wrong,
    )


def _owner_at(row: Row, found: Divided, line: int) -> str:
    """Return the node of a line of the original program."""
    offset = row.header.count("\n") + 1 if row.header else 0
    code = row.code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    skipped = len(code) - len(code.lstrip("\n"))
    assert normalize(row.code).strip("\n") == code.strip("\n")
    inside = line - offset - skipped
    return next((node for first, last, node in found.ranges if first <= inside <= last), ROOT)
