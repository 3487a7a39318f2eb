"""Which private names must be renamed so that all owners fit into one module, each meaning what it meant alone.

Public names are never renamed. A private name is, when another owner's public or private name is the same (equal
imports are not a collision), when it hides a built-in from other owners, or when another owner reads that name without
defining it: what fails alone must not start to work because of somebody's helper. An import may serve others that read
its name: it means the same to all, and the border check sees when it changes. Names are claimed in a fixed order: the
prelude, the owners whose code did not change since the last assembly (they keep its renames, so that a repair leaves
their bytes alone), the names that cannot be renamed, then the owners in program order.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from auditcoder.core.naming import fresh_name
from auditcoder.core.scopes import ModuleNames

_BUILTINS = frozenset(dir(builtins))
Target = tuple[str, str]
Renames = dict[str, str]


class Claimant(NamedTuple):
    """One owner's module-level names."""

    node: str
    names: ModuleNames
    public: frozenset[str]
    targets: Mapping[str, Target]
    """What its imported names mean."""
    kept: Mapping[str, str] | None = None
    """The renames of the last assembly when its code did not change; else None."""

    @property
    def private(self) -> list[str]:
        """Return the names that it binds for itself, sorted."""
        return sorted(self.names.bound - self.public)


@dataclass
class _Claims:
    public: Mapping[str, str]
    words: set[str]
    crowded: bool
    readers: Mapping[str, frozenset[str]]
    """The owners that use a name and do not bind it."""
    taken: dict[str, tuple[str, Target | None]] = field(default_factory=dict)

    def claim(self, owner: Claimant, name: str, new: str, *, anew: bool = True) -> bool:
        """Take `new` for an owner's name unless it collides; return whether it was taken.

        Names that are kept from the last assembly are not claimed `anew`: those that read them came later.
        """
        target = owner.targets.get(name)
        captured = anew and target is None and bool(self.readers.get(new, frozenset()) - {owner.node})
        if captured or self._collides(owner.node, name, new, target):
            return False
        self.taken[new] = (owner.node, target)
        self.words.add(new)
        return True

    def _collides(self, node: str, name: str, new: str, target: Target | None) -> bool:
        if self.public.get(new, node) != node or (self.crowded and new in _BUILTINS):
            return True
        holder, other = self.taken.get(new, (node, None))
        same_import = target is not None and target == other and new == name
        return holder != node and not same_import


def plan_renames(
    owners: Sequence[Claimant], provided: Claimant, public: Mapping[str, str], words: Iterable[str]
) -> dict[str, Renames]:
    """Return the renames (old to new) of every owner that needs some.

    Args:
        owners: In program order.
        provided: The task's prelude: its names stay.
        public: Public names and the nodes that define them.
        words: Every identifier in any source: fresh names avoid them.
    """
    crowded = len(owners) > 1 or bool(provided.names.uses)
    claims = _Claims(public, {*words, *public}, crowded, _readers([provided, *owners]))
    claims.taken = {name: ("", provided.targets.get(name)) for name in provided.names.bound}
    renames: dict[str, Renames] = {owner.node: {} for owner in owners}
    open_names = {owner.node: _keep(owner, claims, renames[owner.node]) for owner in owners}
    for owner in owners:
        fixed = [name for name in open_names[owner.node] if name in owner.names.ambiguous]
        open_names[owner.node] -= {name for name in fixed if claims.claim(owner, name, name)}
    for owner in owners:
        for name in sorted(open_names[owner.node]):
            if not claims.claim(owner, name, name):
                new = fresh_name(name, owner.node, claims.words)
                claims.claim(owner, name, new)
                renames[owner.node][name] = new
    return {node: found for node, found in renames.items() if found}


def _readers(owners: Sequence[Claimant]) -> dict[str, frozenset[str]]:
    pairs = {(name, owner.node) for owner in owners for name in owner.names.free}
    return {name: frozenset(node for other, node in pairs if other == name) for name, _ in pairs}


def _keep(owner: Claimant, claims: _Claims, renames: Renames) -> set[str]:
    """Claim the names of the last assembly; return those that are still open."""
    if owner.kept is None:
        return set(owner.private)
    left = set()
    for name in owner.private:
        new = owner.kept.get(name, name)
        if not claims.claim(owner, name, new, anew=False):
            left.add(name)
        elif new != name:
            renames[name] = new
    return left
