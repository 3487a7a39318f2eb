"""Values that a program took on one check, seen by a line tracer: advisory data, never a verdict (BPD, LDB)."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record

LineKind = Literal["call", "assign", "loop", "condition", "jump", "return", "yield", "raise"]


class TracePlan(Record):
    """What a traced run watches."""

    lines: tuple[tuple[int, int], ...] = ()
    """(first, last) line of the parts of the program that are watched; empty: all of it."""
    blocks: tuple[tuple[int, int], ...] = ()
    """(line, block) of every line whose variables are kept block by block; empty: values by line instead."""
    kept: int = 10
    """Executed blocks that are kept at most, half of them from the beginning and half from the end."""


class TracedLine(Record):
    """What one line showed, over all the times that it ran."""

    line: int
    """Line of the program, from 1."""
    kind: LineKind
    name: str = ""
    """Parameter, target or loop variable; of a jump `break` or `continue`; empty where the line has none."""
    values: tuple[str, ...] = ()
    """Rendered values in order; of more than six the first four and the last two.

    condition: runs of equal outcomes, `True x3`. jump: the iteration, from 1, and what a `break` skipped, `3 (2
    skipped)`.
    """
    count: int = 0
    """How many there were."""


class TracedBlock(Record):
    """One execution of a block, with the variables before and after it."""

    index: int
    """0, 1, ... in the order of execution; blocks that are left out keep their numbers."""
    block: int
    function: str
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()


class Trace(Record):
    """The values of one run on one check."""

    check: str
    """Check id."""
    lines: tuple[TracedLine, ...] = ()
    """By line, then in the order of the program text."""
    blocks: tuple[TracedBlock, ...] = ()
    block_count: int = 0
    """Executed blocks in all."""
    events: int = 0
    """Line events that were seen."""
    reason: str = ""
    """Why there is no usable trace: a limit, a time-out, another result than the run before. Empty: there is one."""
