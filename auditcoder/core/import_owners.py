"""Which nodes a line of the merged import block comes from.

The block is derived, so the root that owns it on paper need not have asked for what stands in it: a missing name is the
fault of the node whose code imports it.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditcoder.core.cleaning import Module
from auditcoder.core.imports import hoist, imports_of
from auditcoder.core.naming import id_key
from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import split
from auditcoder.records.code import NodeCode

_Wanted = tuple[str, str]
"""Module and name; what it is called there is left out, since private names are renamed when they collide."""


def import_contributors(line: str, codes: Mapping[str, NodeCode]) -> tuple[str, ...]:
    """Return the nodes whose code contributes an import of a line, in the order of ids.

    None when nobody's code accounts for the whole line: then the task's prelude has a part in it.
    """
    wanted = _imported(line)
    found = {node: given & wanted for node, code in codes.items() if (given := _moved(code.source)) & wanted}
    if not wanted or wanted - frozenset().union(*found.values()):
        return ()
    return tuple(sorted(found, key=id_key))


def _imported(line: str) -> frozenset[_Wanted]:
    tree = parse_source(normalize(line))
    body = [] if isinstance(tree, Refusal) else tree.body
    return frozenset((one.module, one.name) for statement in body for one in imports_of(statement))


def _moved(source: str) -> frozenset[_Wanted]:
    """Return what the linker takes out of a source for the block."""
    text = normalize(source)
    tree = parse_source(text)
    if isinstance(tree, Refusal):
        return frozenset()
    moved, _ = hoist(Module.of(tree, split(text, tree)))
    return frozenset((one.module, one.name) for one in moved)
