"""Who may define which name: public names by node, foreign names, fresh names for private helpers."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.records.graph import ROOT, Node, TaskGraph
from auditcoder.records.task import EntryPoint, Task

ENTRY_FUNCTION = "main"
"""What a program or script starts with when its code does not start anything itself."""


def id_key(node_id: str) -> tuple[tuple[int, ...], str]:
    """Return the sort key of a node id: by numbers (`S2` before `S10`), parents before children."""
    return tuple(int(digits) for digits in re.findall(r"[0-9]+", node_id)), node_id


def entry_owner(graph: TaskGraph, entry: EntryPoint) -> Node | None:
    """Return the node whose code the program is entered by: the root when it owns code, else the one that fits.

    A structural root owns nothing; then it is the owner whose contract names the entry, or the only owner there is.
    """
    owners = sorted(graph.owners, key=lambda node: id_key(node.id))
    for node in owners:
        if node.id == ROOT:
            return node
    for node in owners:
        if entry.name and any(signature.name == entry.name for signature in node.contract.signatures):
            return node
    return owners[0] if len(owners) == 1 else None


def expected_names(graph: TaskGraph, node: Node, entry: EntryPoint) -> tuple[str, ...]:
    """Return the names that a node's code must define: the contract's functions; for the entry class, the class."""
    is_entry = entry_owner(graph, entry) == node
    if is_entry and entry.kind == "class":
        return (entry.name,)
    names = [signature.name for signature in node.contract.signatures]
    if is_entry and entry.kind == "function" and entry.name not in names:
        names.append(entry.name)
    return tuple(dict.fromkeys(names))


def foreign_names(graph: TaskGraph, node: Node, task: Task) -> tuple[str, ...]:
    """Return the names that a node's code must not define: other nodes' public names, and the prelude's."""
    own = set(expected_names(graph, node, task.entry))
    others = {
        name for other in graph.owners if other.id != node.id for name in expected_names(graph, other, task.entry)
    }
    return tuple(sorted((others | prelude_names(task)) - own))


def prelude_names(task: Task) -> frozenset[str]:
    """Return the functions and classes that the task's prelude defines; none when it does not parse."""
    tree = parse_source(normalize(task.prelude))
    if isinstance(tree, Refusal):
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(statement.name for statement in tree.body if isinstance(statement, kinds))


def fresh_name(name: str, node_id: str, taken: Collection[str]) -> str:
    """Return a name for a private helper inside its owner, `helper__S2`, that nobody uses.

    A leading double underscore is shortened to one, because it would be mangled inside a class.
    """
    stem = f"_{name.lstrip('_')}" if name.startswith("__") else name
    candidate, count = f"{stem}__{node_id}", 1
    while candidate in taken:
        count += 1
        candidate = f"{stem}__{node_id}_{count}"
    return candidate
