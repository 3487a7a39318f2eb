"""All owners' code linked into one program with its ownership map and line map (paper 3.2, core.md section 2).

The program is: the merged imports and the task's prelude (both owned by the root), the owners in dependency-then-id
order, each with its pieces in the order in which it wrote them, the root last. Linking is not written by a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from auditcoder.core.claims import Claimant, plan_renames
from auditcoder.core.cleaning import Module
from auditcoder.core.effects import ENTRY_FUNCTION, is_main
from auditcoder.core.graph import topological_order
from auditcoder.core.imports import Import, hoist, render_imports
from auditcoder.core.naming import expected_names, starts_here
from auditcoder.core.page import Page
from auditcoder.core.parsing import MAX_SOURCE, Refusal, normalize, parse_source
from auditcoder.core.pieces import split
from auditcoder.core.renaming import rename_globals
from auditcoder.core.units import ENTRY, IMPORTS, PRELUDE, Segment, segments, to_units
from auditcoder.errors import AssemblyError
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, NodeCode, Rename
from auditcoder.records.graph import ROOT, TaskGraph
from auditcoder.records.task import EntryPoint, Task

_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=]")
_CALL_MAIN = f'if __name__ == "__main__":\n    {ENTRY_FUNCTION}()'


class _Owner(NamedTuple):
    node: str
    source: str
    module: Module
    public: frozenset[str]


class _Linked(NamedTuple):
    """An owner's code as it stands in the program."""

    node: str
    imports: tuple[Import, ...]
    segments: tuple[Segment, ...]


def assemble(graph: TaskGraph, codes: Mapping[str, NodeCode], task: Task, before: Assembly | None = None) -> Assembly:
    """Return the program of all owners' codes: same inputs, same bytes, whatever the order of `codes`.

    Args:
        graph: Gives owners, order and public names.
        codes: The code of every owner.
        task: Gives the entry point and the prelude.
        before: The assembly before a repair: owners whose code did not change keep the names it gave them, so that
            their units stay the same bytes.

    Raises:
        AssemblyError: an owner has no code or a code no owner, a promised unit is missing or defined twice, a source
            does not parse, a name cannot be renamed, or nothing starts the program.
    """
    owners = _owners(graph, codes, task.entry)
    prelude = _module(normalize(task.prelude), "the task's prelude")
    public = _public(owners, prelude)
    claimants = [_claimant(owner, _kept(owner, before, task.entry)) for owner in owners]
    provided = Claimant("", prelude.names, frozenset(), _targets(prelude))
    words = (word for text in (task.prelude, *(owner.source for owner in owners)) for word in re.findall(r"\w+", text))
    renames = plan_renames(claimants, provided, public, words)
    linked = [_link(owner, renames.get(owner.node, {}), task.entry) for owner in owners]
    return _compose(linked, prelude, renames)


def _owners(graph: TaskGraph, codes: Mapping[str, NodeCode], entry: EntryPoint) -> list[_Owner]:
    nodes = {node.id: node for node in graph.owners}
    for node_id in sorted(codes.keys() - nodes.keys()):
        raise AssemblyError(f"nobody owns the code given for {node_id}", unit="", nodes=(node_id,))
    owners = []
    for node_id in (each for each in topological_order(graph) if each in nodes):
        if node_id not in codes:
            raise AssemblyError(f"there is no code for node {node_id}", unit="", nodes=(node_id,))
        source = normalize(codes[node_id].source)
        module = _module(source, f"the code of {node_id}")
        public = set(expected_names(nodes[node_id], entry))
        if starts_here(node_id, entry) and _defines(module, ENTRY_FUNCTION):
            public.add(ENTRY_FUNCTION)
        owners.append(_Owner(node_id, source, module, frozenset(public)))
    return sorted(owners, key=lambda owner: owner.node == ROOT)


def _module(source: str, what: str) -> Module:
    tree = parse_source(source)
    if isinstance(tree, Refusal):
        raise AssemblyError(f"{what} cannot be used: {tree.reason}" + (f" (line {tree.line})" if tree.line else ""))
    return Module.of(tree, split(source, tree))


def _defines(module: Module, name: str) -> bool:
    return any(piece.name == name for piece in module.pieces)


def _public(owners: Sequence[_Owner], prelude: Module) -> dict[str, str]:
    """Return the owner of every public name; each must be defined by its owner and by nobody else."""
    public: dict[str, str] = {}
    for owner in owners:
        for name in sorted(owner.public):
            if name in public:
                nodes = (public[name], owner.node)
                raise AssemblyError(f"nodes {nodes[0]} and {nodes[1]} both promise `{name}`", unit=name, nodes=nodes)
            if not _defines(owner.module, name):
                raise AssemblyError(f"node {owner.node} does not define `{name}`", unit=name, nodes=(owner.node,))
            public[name] = owner.node
    for owner in owners:
        _refuse_foreign(owner, public)
    for name in sorted(prelude.names.bound & public.keys()):
        message = f"node {public[name]} and the task's prelude both define `{name}`"
        raise AssemblyError(message, unit=name, nodes=(public[name], ROOT))
    return public


def _refuse_foreign(owner: _Owner, public: Mapping[str, str]) -> None:
    """A private `main` beside the root's is no claim on anything: it is renamed like any helper."""
    for piece in owner.module.pieces:
        holder = public.get(piece.name, owner.node)
        if holder != owner.node and piece.name != ENTRY_FUNCTION:
            message = f"nodes {holder} and {owner.node} both define `{piece.name}`"
            raise AssemblyError(message, unit=piece.name, nodes=(holder, owner.node))


def _claimant(owner: _Owner, kept: Mapping[str, str] | None) -> Claimant:
    return Claimant(owner.node, owner.module.names, owner.public, _targets(owner.module), kept)


def _targets(module: Module) -> dict[str, tuple[str, str]]:
    """Return what each imported name means, without names that are bound in another way too."""
    moved, _ = hoist(module)
    return {one.local: one.target for one in moved if one.local}


def _kept(owner: _Owner, before: Assembly | None, entry: EntryPoint) -> dict[str, str] | None:
    """Return the renames of `before` for an owner whose units they reproduce byte for byte, else None."""
    if before is None:
        return None
    renames = {rename.old: rename.new for rename in before.renames if rename.node == owner.node}
    try:
        linked = _link(owner, renames, entry)
    except AssemblyError:
        return None
    now = {unit.name: unit.digest for unit in to_units(linked.segments, owner.node)}
    then = {unit.name: unit.digest for unit in before.units if unit.owner == owner.node}
    same = now.items() <= then.items() and (owner.node == ROOT or now.keys() == then.keys())
    return renames if same else None


def _link(owner: _Owner, renames: Mapping[str, str], entry: EntryPoint) -> _Linked:
    try:
        text = rename_globals(owner.source, renames)
    except AssemblyError as error:
        error.fields["nodes"] = (owner.node,)
        raise
    module = _module(text, f"the code of {owner.node}") if renames else owner.module
    moved, kept = hoist(module)
    starts = starts_here(owner.node, entry)
    placed = segments(kept, module.tree, owner.node, starts=starts)
    return _Linked(owner.node, moved, (*placed, *(_entry(module, placed) if starts else ())))


def _entry(module: Module, placed: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the computed call of `main`, where the code defines it and no statement of the code refers to it."""
    statements = [piece for piece in module.pieces if piece.kind == "statement"]
    called = any(ENTRY_FUNCTION in module.loads[piece.place] for piece in statements)
    if not called and any(is_main(statement) for statement in module.tree.body):
        return (Segment(ENTRY, "block", _CALL_MAIN, 2),)
    if not any(segment.unit == ENTRY for segment in placed):
        raise AssemblyError("nothing starts the program", unit=ENTRY, nodes=(ROOT,))
    return ()


def _compose(linked: Sequence[_Linked], prelude: Module, renames: Mapping[str, Mapping[str, str]]) -> Assembly:
    moved, kept = hoist(prelude)
    block = render_imports([*moved, *(one for owner in linked for one in owner.imports)])
    imports = (Segment(IMPORTS, "block", block, 0),) if block else ()
    given = [_named_prelude(segment) for segment in segments(kept, prelude.tree, ROOT, starts=False)]
    groups = [_Linked(ROOT, (), imports), _Linked(ROOT, (), tuple(given)), *linked]
    page = Page()
    for group in groups:
        page.add(group.node, group.segments)
    if any(_CODING.match(line) for line in page.lines[:2]):
        page.push_down(2)  # a coding comment in line 1 or 2 would change how the file is read
    units = tuple(unit for group in groups for unit in to_units(group.segments, group.node))
    _check(page.text, units)
    return Assembly(
        program=page.text,
        digest=sha256_text(page.text),
        units=units,
        lines=page.owners(),
        renames=tuple(
            Rename(node=node, old=old, new=names[old]) for node, names in renames.items() for old in sorted(names)
        ),
    )


def _named_prelude(segment: Segment) -> Segment:
    return segment._replace(unit=PRELUDE) if segment.kind == "block" else segment


def _check(program: str, units: Iterable[CodeUnit]) -> None:
    owners: dict[str, str] = {}
    for unit in units:
        if unit.name in owners:
            nodes = (owners[unit.name], unit.owner)
            message = f"nodes {nodes[0]} and {nodes[1]} both define `{unit.name}`"
            raise AssemblyError(message, unit=unit.name, nodes=nodes)
        owners[unit.name] = unit.owner
    tree = parse_source(program, most=20 * MAX_SOURCE)
    if isinstance(tree, Refusal):
        raise AssemblyError(f"the linked program does not compile: {tree.reason} (line {tree.line})")
