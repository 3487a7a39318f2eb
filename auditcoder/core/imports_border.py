"""What a change of the merged import block does to code outside a scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable

STAR = "*"


def disturbed_names(old: str, new: str, outside: Iterable[str]) -> tuple[str, ...]:
    """Return the names whose import differs between two import blocks and that occur in a text outside the scope.

    Unreadable text, a changed star import, a changed `__future__` import, anything besides imports in a changed block,
    or a block that is not written as the linker writes it could touch every name: then `*` is among the names. Without
    code outside nothing is disturbed.
    """
    texts = tuple(outside)
    if not texts:
        return ()
    try:
        if ast.unparse(ast.parse(new)) != new:
            return (STAR,)
        before, after = _bindings(old), _bindings(new)
        used = set().union(*(_names(text) for text in texts))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (STAR,)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return tuple(sorted(changed & (used | {STAR})))


def _bindings(block: str) -> dict[str, tuple[str, ...]]:
    """Return what each name is bound to; several imports of one name (`import a.b`, `import a.c`) add up in order."""
    bound: dict[str, tuple[str, ...]] = {}
    for statement in ast.parse(block).body:
        for name, target in _bound_by(statement):
            bound[name] = (*bound.get(name, ()), target)
    return bound


def _bound_by(statement: ast.stmt) -> list[tuple[str, str]]:
    if isinstance(statement, ast.Import):
        names = statement.names
        return [(alias.asname or alias.name.split(".")[0], f"{alias.name} as {alias.asname}") for alias in names]
    if isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        if module == "__future__":
            return [(STAR, f"{module}:{alias.name}") for alias in statement.names]
        return [(alias.asname or alias.name, f"{module}:{alias.name}") for alias in statement.names]
    return [(STAR, ast.dump(statement))]


def _names(text: str) -> set[str]:
    """Return every plain name in a text; names inside string annotations are not seen.

    A local variable counts as well, which errs on the strict side.
    """
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
