"""CCR, the changed-code ratio: how much of the final program a repair wrote (paper 4.3, core.md section 8).

Changed lines of a repair are the lines of the program behind it that a line diff does not find in the program before
it; retained are those of them that a second diff still finds in the final program. A rollback keeps nothing: 0. Deleted
lines are no part of the final program, so they do not count; nor do blank lines, as the paper counts lines of code [R].
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from auditcoder.audit.metrics.loading import LoadedRepair, LoadedRun
from auditcoder.audit.metrics.metric import Part


def changed_code(run: LoadedRun) -> Sequence[Part]:
    """Return, of each repair with a scope, its retained changed lines over the lines of the final program."""
    return [_change(repair, run) for repair in run.repairs if repair.localized]


def changed_code_accepted(run: LoadedRun) -> Sequence[Part]:
    """Return the same of accepted repairs alone."""
    return [_change(repair, run) for repair in run.repairs if repair.transaction.decision == "accepted"]


def _change(repair: LoadedRepair, run: LoadedRun) -> Part:
    final = run.final.program.assembly.program
    size = sum(bool(line.strip()) for line in final.splitlines())
    if repair.transaction.decision != "accepted":
        return Part(0, size)
    return Part(retained(repair.before.assembly.program, repair.after.assembly.program, final), size)


def retained(before: str, after: str, final: str) -> int:
    """Return how many non-blank lines of `after` are not from `before` and are still in `final`."""
    lines = after.splitlines()
    kept = _same(lines, final.splitlines()) - _same(lines, before.splitlines())
    return sum(bool(lines[number].strip()) for number in kept)


def _same(lines: list[str], other: list[str]) -> set[int]:
    """Return the places of lines that a line diff finds again in another text."""
    blocks = SequenceMatcher(None, lines, other, autojunk=False).get_matching_blocks()
    return {block.a + offset for block in blocks for offset in range(block.size)}
