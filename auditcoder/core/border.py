"""Nothing outside a repair's final scope may change (paper 3.4, core.md section 6, "frozen complement")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from auditcoder.core.imports_border import disturbed_names
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.graph import ROOT
from auditcoder.records.localization import Scope
from auditcoder.records.transaction import BorderViolation

PROGRAM = "<program>"
"""Unit of a violation that is about text that belongs to no unit, or a program that is not the one of its digest."""


def frozen_complement(assembly: Assembly, scope: Scope) -> tuple[tuple[str, str], ...]:
    """Return (unit, digest of its text) of every unit that a repair of `scope` must reuse byte for byte."""
    outside = _outside(assembly, assembly, scope)
    expanded = _expanded(scope)
    return tuple((unit.name, sha256_text(unit.text)) for unit in outside if (unit.name, unit.owner) not in expanded)


def border_violations(before: Assembly, after: Assembly, scope: Scope) -> tuple[BorderViolation, ...]:
    """Return every unit outside the final scope that `after` changed, added or removed, in program order.

    A unit is inside when a scope node owns it, or a node that a replan put below the branch, so new private helpers of
    these are inside; a unit that changes hands across the border is not. A declared expansion lets that one unit
    change, and nothing else of its owner. Texts are compared by their own hash, never by the recorded digest. The
    merged import block is derived, so it is judged by what its change does: a name whose import appeared, vanished or
    was rebound may not occur in a unit outside the scope. Where the program is given with a line map, the lines of
    each unit outside must read as before too, under the same owner, and its owner's renames must be the same.
    """
    old = {unit.name: unit for unit in _outside(before, before, scope)}
    new = {unit.name: unit for unit in _outside(after, before, scope)}
    expanded = _expanded(scope)
    changes = [_compare(unit, new.get(name), expanded) for name, unit in old.items()]
    units = [change for change in changes if change]
    units += [_violation(unit.name, unit.owner, "added") for name, unit in new.items() if name not in old]
    frozen = [unit for unit in old.values() if (unit.name, unit.owner) not in expanded]
    lines = _line_violations(before, after, frozen)
    found = (*units, *lines, *_rename_violations(before, after, scope), *_import_violation(before, after, frozen))
    first: dict[tuple[str, str], BorderViolation] = {}
    for violation in found:
        first.setdefault((violation.unit, violation.owner), violation)
    return tuple(first.values())


def _expanded(scope: Scope) -> frozenset[tuple[str, str]]:
    return frozenset((expansion.unit, expansion.owner) for expansion in scope.expansions)


def _outside(assembly: Assembly, before: Assembly, scope: Scope) -> list[CodeUnit]:
    known = {unit.owner for unit in before.units}
    return [unit for unit in assembly.units if unit.name != IMPORTS and not _is_inside(unit.owner, scope, known)]


def _is_inside(owner: str, scope: Scope, known: Collection[str]) -> bool:
    """Return whether a node is in the scope; `known` are the owners at the snapshot, so that others are new."""
    if owner in scope.nodes:
        return True
    if not scope.branch or owner in known:
        return False
    return scope.branch == ROOT or owner.startswith(f"{scope.branch}_")


def _compare(old: CodeUnit, new: CodeUnit | None, expanded: Collection[tuple[str, str]]) -> BorderViolation | None:
    if new is None:
        return _violation(old.name, old.owner, "removed")
    if (old.owner, old.kind) == (new.owner, new.kind):
        if (old.name, old.owner) in expanded or sha256_text(old.text) == sha256_text(new.text):
            return None
    return _violation(old.name, old.owner, "changed")


def _line_violations(before: Assembly, after: Assembly, frozen: Iterable[CodeUnit]) -> Iterator[BorderViolation]:
    """What the line map and the program's bytes say, against units of which only the texts were compared."""
    if sha256_text(after.program) != after.digest:
        yield _violation(PROGRAM, ROOT, "changed")
    if not before.lines and not after.lines:
        return
    old, new = _read(before), _read(after)
    for unit in frozen:
        if old.get(unit.name) != new.get(unit.name):
            yield _violation(unit.name, unit.owner, "changed")
    if any(text.strip() for _, text in new.get("", ())):
        yield _violation(PROGRAM, ROOT, "added")
    if "\n".join(text for _, text in new.get(IMPORTS, ())) != _imports(after):
        yield _violation(IMPORTS, ROOT, "changed")  # the block that was judged is not the one that runs


def _read(assembly: Assembly) -> dict[str, list[tuple[str, str]]]:
    """Return (owner, text) of every line by the unit that the line map names first; the empty unit for none."""
    lines = assembly.program.split("\n")
    named: list[tuple[str, str]] = [("", "")] * len(lines)
    for entry in reversed(assembly.lines):
        for number in range(max(entry.first, 1), min(entry.last, len(lines)) + 1):
            named[number - 1] = (entry.unit, entry.owner)
    found: dict[str, list[tuple[str, str]]] = {}
    for (unit, owner), text in zip(named, lines, strict=True):
        found.setdefault(unit, []).append((owner, text))
    return found


def _rename_violations(before: Assembly, after: Assembly, scope: Scope) -> Iterator[BorderViolation]:
    known = {unit.owner for unit in before.units} | {rename.node for rename in before.renames}
    old, new = (
        {(each.node, each.old, each.new) for each in assembly.renames if not _is_inside(each.node, scope, known)}
        for assembly in (before, after)
    )
    for node, _, name in sorted(old ^ new):
        yield _violation(name, node, "removed" if (node, _, name) in old else "added")


def _import_violation(before: Assembly, after: Assembly, frozen: Iterable[CodeUnit]) -> tuple[BorderViolation, ...]:
    old, new = _imports(before), _imports(after)
    if sha256_text(old) == sha256_text(new):
        return ()
    outside = [unit.text for unit in frozen if unit.kind != "method"]  # the class's text holds it
    if not disturbed_names(old, new, outside):
        return ()
    owner = next((unit.owner for unit in (*before.units, *after.units) if unit.name == IMPORTS), "")
    return (_violation(IMPORTS, owner, "changed"),)


def _imports(assembly: Assembly) -> str:
    return "\n".join(unit.text for unit in assembly.units if unit.name == IMPORTS)


def _violation(unit: str, owner: str, change: Literal["changed", "added", "removed"]) -> BorderViolation:
    return BorderViolation(unit=unit, owner=owner, change=change)
