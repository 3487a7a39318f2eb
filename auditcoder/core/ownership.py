"""Whether every unit and every line of an assembled program has exactly one owner (core.md section 2, map `mu`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from auditcoder.records.code import Assembly
from auditcoder.records.graph import TaskGraph


def ownership_faults(assembly: Assembly, graph: TaskGraph) -> tuple[str, ...]:
    """Return what is wrong with the ownership and line map of a program; nothing when it is total and unambiguous.

    Every unit has one owner, which is a code owner of the plan; every line that is not blank stands in exactly one
    entry of the line map, in order, whose unit is one of that owner's; no entry reaches beyond the program.
    """
    return (*_units(assembly, graph), *_lines(assembly), *_renames(assembly, graph))


def _units(assembly: Assembly, graph: TaskGraph) -> Iterator[str]:
    owners = {node.id for node in graph.owners}
    for name, count in Counter(unit.name for unit in assembly.units).items():
        if count > 1:
            yield f"unit {name} is listed {count} times"
    for unit in assembly.units:
        if unit.owner not in owners:
            yield f"unit {unit.name} belongs to {unit.owner}, which owns no code in the plan"


def _lines(assembly: Assembly) -> Iterator[str]:
    lines = assembly.program.split("\n")
    owned = {(unit.name, unit.owner) for unit in assembly.units}
    covered = 0
    for entry in assembly.lines:
        if not covered < entry.first <= entry.last <= len(lines):
            yield f"lines {entry.first} to {entry.last} overlap others, are out of order, or lie outside the program"
            return
        if (entry.unit, entry.owner) not in owned:
            yield f"lines {entry.first} to {entry.last} belong to {entry.unit} of {entry.owner}, which is no unit"
        yield from _unowned(lines, covered + 1, entry.first - 1)
        covered = entry.last
    yield from _unowned(lines, covered + 1, len(lines))


def _unowned(lines: list[str], first: int, last: int) -> Iterator[str]:
    for number in range(first, last + 1):
        if lines[number - 1].strip():
            yield f"line {number} belongs to nobody"


def _renames(assembly: Assembly, graph: TaskGraph) -> Iterator[str]:
    owners = {node.id for node in graph.owners}
    for rename in assembly.renames:
        if rename.node not in owners:
            yield f"{rename.old} is renamed in {rename.node}, which owns no code in the plan"
