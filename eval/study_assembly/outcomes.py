"""A program's outcomes before and after assembly, and whether a fault is still laid at its owner's door."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from auditcoder.core.protocols import Executor
from auditcoder.core.units import IMPORTS
from auditcoder.eval.study_assembly.maps import Assembled
from auditcoder.eval.study_assembly.rows import Row
from auditcoder.records.base import Record, sha256_json
from auditcoder.records.code import Assembly
from auditcoder.records.execution import CheckResult, Frame
from auditcoder.records.task import Check, Limits

LIMITS = Limits(cpu_seconds=2.0, memory_mb=512)
GENEROUS = Limits(cpu_seconds=12.0, memory_mb=1024)
"""Decides whether two programs that differ at the limit differ at all."""


class Seen(Record):
    """What one check showed, as far as it must not change."""

    check: str
    outcome: str
    detail: str = ""
    """Exception type, exit status, kind of limit."""
    observed: str = ""
    """stdin programs: a hash of standard output."""
    frame: Frame | None = None
    """Innermost frame of generated code, where the program raised."""

    def same(self, other: Seen) -> bool:
        """Return whether two runs behaved alike; lines differ by design."""
        return (self.outcome, self.detail, self.observed) == (other.outcome, other.detail, other.observed)


class Difference(Record):
    """A check that behaved otherwise after assembly."""

    check: str
    before: str
    after: str
    why: str
    """nondeterministic; at the limit; the kinds of what acceptance changed; or unexplained."""


def run_program(program: str, row: Row, executor: Executor, most: int, limits: Limits = LIMITS) -> tuple[Seen, ...]:
    """Return what the first `most` checks of a row show; after a timeout no more are run.

    Raises:
        SandboxError: the isolation failed.
    """
    found: list[Seen] = []
    for check in row.checks[:most]:
        found.append(_seen(program, row, check, executor, limits))
        if found[-1].outcome == "timeout":
            break
    return tuple(found)


def _seen(program: str, row: Row, check: Check, executor: Executor, limits: Limits) -> Seen:
    result = executor.run(program, row.entry, [check], limits).results[0]
    kept = result.has_observed and row.entry.kind == "program" and result.clean_exit
    return Seen(
        check=check.id,
        outcome=result.outcome,
        detail=_detail(result),
        observed=sha256_json(result.observed)[:16] if kept else "",
        frame=result.frames[-1] if result.frames else None,
    )


def _detail(result: CheckResult) -> str:
    """An assertion that failed and one that passed partly are one kind; the wall clock decides between time limits."""
    return "" if result.outcome == "timeout" else result.detail


class Again(NamedTuple):
    """Runs to explain a difference with."""

    original: Callable[[Limits], Sequence[Seen]]
    assembled: Callable[[Limits], Sequence[Seen]]


def differences(before: Sequence[Seen], after: Sequence[Seen], again: Again, changed: str) -> tuple[Difference, ...]:
    """Return the checks that behaved otherwise, each explained.

    Args:
        before: What the original showed.
        after: What the assembled program showed.
        again: Runs both once more: what differs from itself is nondeterministic, what is equal under generous limits
            was at the limit.
        changed: What acceptance changed in the text, which is on record; empty for nothing.
    """
    pairs = [(a, b) for a, b in zip(before, after, strict=False) if not a.same(b)]
    if not pairs:
        return ()
    repeated = {seen.check: seen for seen in again.original(LIMITS)}
    limited = any({a.outcome, b.outcome} & _COSTLY for a, b in pairs)
    roomy = [{seen.check: seen for seen in run(GENEROUS)} for run in again] if limited else [{}, {}]
    return tuple(
        Difference(
            check=a.check,
            before=f"{a.outcome} {a.detail}".strip(),
            after=f"{b.outcome} {b.detail}".strip(),
            why=_reason(a, b, repeated.get(a.check), (roomy[0].get(a.check), roomy[1].get(a.check)), changed),
        )
        for a, b in pairs
    )


_COSTLY = frozenset({"timeout", "memory"})


def _reason(before: Seen, after: Seen, again: Seen | None, roomy: tuple[Seen | None, Seen | None], changed: str) -> str:
    if again is None or not before.same(again):
        return "nondeterministic"
    first, second = roomy
    if {before.outcome, after.outcome} & _COSTLY and first is not None and second is not None and first.same(second):
        return "at the limit"
    return changed or "unexplained"


class FrameCheck(NamedTuple):
    """Whether the frame of a fault is laid at its owner's door."""

    resolved: int
    wrong: tuple[str, ...]


def check_frames(
    before: Sequence[Seen], after: Sequence[Seen], row: Row, assembled: Assembled, owner_at: Callable[[int], str]
) -> FrameCheck:
    """Return how many innermost frames resolve to the right owner, and which ones do not.

    Right is: the same function (renames undone), the same text of the line, and the owner that `owner_at` gives for the
    line of the original program.
    """
    good, wrong = 0, list[str]()
    for old, new in zip(before, after, strict=False):
        if old.outcome == "runtime-error" and old.same(new) and old.frame and new.frame:
            fault = _frame_fault(row.program, old.frame, assembled.assembly, new.frame, owner_at(old.frame.line))
            good += not fault
            wrong += [f"{old.check}: {fault}"] if fault else []
    return FrameCheck(good, tuple(wrong))


def _frame_fault(program: str, old: Frame, assembly: Assembly, new: Frame, owner: str) -> str:
    entry = assembly.owner_of_line(new.line)
    if entry is None:
        return f"line {new.line} has no owner"
    if entry.unit == IMPORTS:
        return "" if "import" in _line(program, old.line) else f"line {old.line} became an import"
    names = {rename.new: rename.old for rename in assembly.renames if rename.node == entry.owner}
    if _restored(new.function, names) != old.function:
        return f"function {old.function} became {new.function}"
    if _restored(_line(assembly.program, new.line), names) != _line(program, old.line):
        return f"line {old.line} became another one, {new.line}"
    return "" if entry.owner == owner else f"line {old.line} of {owner} went to {entry.owner}"


def _line(program: str, number: int) -> str:
    lines = program.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _restored(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)
