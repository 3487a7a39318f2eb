"""Nothing outside a repair's final scope may change (paper 3.4, core.md section 6, "frozen complement")."""

from __future__ import annotations

from auditcoder.core.imports_border import disturbed_names
from auditcoder.core.units import IMPORTS
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.localization import Scope
from auditcoder.records.transaction import BorderViolation


def frozen_complement(assembly: Assembly, scope: Scope) -> tuple[tuple[str, str], ...]:
    """Return (unit, digest of its text) of every unit that a repair of `scope` must reuse byte for byte."""
    return tuple((unit.name, sha256_text(unit.text)) for unit in _frozen(assembly, scope))


def border_violations(before: Assembly, after: Assembly, scope: Scope) -> tuple[BorderViolation, ...]:
    """Return every unit outside the scope that `after` changed, added or removed, in program order.

    A unit is inside when a scope node owns it, so new private helpers of a scope node are inside; a unit that changes
    hands across the border is not. Texts are compared by their own hash, never by the recorded digest. The merged
    import block is derived, so it is judged by what its change does: a name whose import appeared, vanished or was
    rebound may not occur in a unit outside the scope.
    """
    old = {unit.name: unit for unit in _frozen(before, scope)}
    new = {unit.name: unit for unit in _frozen(after, scope)}
    changes = [_compare(unit, new.get(name)) for name, unit in old.items()]
    added = [_violation(unit, "added") for name, unit in new.items() if name not in old]
    return tuple(change for change in changes if change) + tuple(added) + _import_violation(before, after, scope)


def _frozen(assembly: Assembly, scope: Scope) -> list[CodeUnit]:
    return [unit for unit in assembly.units if unit.owner not in scope.nodes and unit.name != IMPORTS]


def _compare(old: CodeUnit, new: CodeUnit | None) -> BorderViolation | None:
    if new is None:
        return _violation(old, "removed")
    same = (old.owner, old.kind, sha256_text(old.text)) == (new.owner, new.kind, sha256_text(new.text))
    return None if same else _violation(old, "changed")


def _violation(unit: CodeUnit, change: str) -> BorderViolation:
    return BorderViolation.model_validate({"unit": unit.name, "owner": unit.owner, "change": change})


def _import_violation(before: Assembly, after: Assembly, scope: Scope) -> tuple[BorderViolation, ...]:
    old, new = _imports(before), _imports(after)
    if sha256_text(old) == sha256_text(new):
        return ()
    outside = [unit.text for unit in _frozen(before, scope) if unit.kind != "method"]  # the class's text holds it
    if not disturbed_names(old, new, outside):
        return ()
    owner = next((unit.owner for unit in (*before.units, *after.units) if unit.name == IMPORTS), "")
    return (BorderViolation(unit=IMPORTS, owner=owner, change="changed"),)


def _imports(assembly: Assembly) -> str:
    return "\n".join(unit.text for unit in assembly.units if unit.name == IMPORTS)
