"""Who may define which name: public names by node, names of the prelude, fresh names for private helpers."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.scopes import FUNCTIONS, module_names
from auditcoder.records.graph import ROOT, Node
from auditcoder.records.task import EntryPoint, Task


def id_key(node_id: str) -> tuple[tuple[int, ...], str]:
    """Return the sort key of a node id: by numbers (`S2` before `S10`), parents before children."""
    return tuple(int(digits) for digits in re.findall(r"[0-9]+", node_id)), node_id


def starts_here(node_id: str, entry: EntryPoint) -> bool:
    """Return whether the program is entered by running this node's code: the root of a program or script."""
    return node_id == ROOT and entry.kind in ("program", "script")


def expected_names(node: Node, entry: EntryPoint) -> tuple[str, ...]:
    """Return the names that a node's code must define: the contract's functions; the root of a class task, the class.

    The root also defines the entry function, whether or not its contract repeats it.
    """
    if node.id == ROOT and entry.kind == "class":
        return (entry.name,)
    names = [signature.name for signature in node.contract.signatures]
    if node.id == ROOT and entry.kind == "function":
        names.append(entry.name)
    return tuple(dict.fromkeys(names))


def prelude_names(task: Task) -> frozenset[str]:
    """Return the names that the task's prelude binds, imports included; none when it does not parse."""
    tree = parse_source(normalize(task.prelude))
    return frozenset() if isinstance(tree, Refusal) else module_names(tree).bound


def prelude_definitions(task: Task) -> frozenset[str]:
    """Return the names of the functions and classes that the task's prelude defines; none when it does not parse."""
    tree = parse_source(normalize(task.prelude))
    body = [] if isinstance(tree, Refusal) else tree.body
    return frozenset(part.name for part in body if isinstance(part, (*FUNCTIONS, ast.ClassDef)))


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
