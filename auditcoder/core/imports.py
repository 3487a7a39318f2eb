"""The imports of all owners as one block: deduplicated and sorted, `__future__` first."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from auditcoder.core.cleaning import Module
from auditcoder.core.pieces import Piece


class Import(NamedTuple):
    """One imported name, as written; equal imports are one."""

    module: str
    """Dots of a relative import included."""
    name: str
    """What is taken from the module; empty for `import module`."""
    alias: str
    """Empty when it keeps its name."""

    @property
    def local(self) -> str:
        """Return the name that it binds; empty for a star."""
        if self.name == "*":
            return ""
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def target(self) -> tuple[str, str]:
        """Return what the name means: `import os` and `import os.path` bind the same `os`."""
        return (self.module if self.name or self.alias else self.local, self.name)


def imports_of(statement: ast.stmt) -> tuple[Import, ...]:
    """Return the imports of an import statement; the only future that still changes anything is `annotations`."""
    if isinstance(statement, ast.Import):
        return tuple(Import(alias.name, "", _alias(alias.name, alias)) for alias in statement.names)
    if isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        found = (Import(module, alias.name, _alias(alias.name, alias)) for alias in statement.names)
        return tuple(one for one in found if module != "__future__" or one.name == "annotations")
    return ()


def _alias(name: str, alias: ast.alias) -> str:
    return "" if alias.asname in (None, name) else str(alias.asname)


def hoist(module: Module) -> tuple[tuple[Import, ...], tuple[Piece, ...]]:
    """Return the imports that move to the merged block, and the pieces that stay in place.

    An import stays where it is when the module binds one of its names in another way too: order matters then.
    """
    bindings: dict[str, set[object]] = {}
    for piece in module.pieces:
        if piece.kind == "import":
            for one in imports_of(module.statement(piece)):
                bindings.setdefault(one.local, set()).add(one.target)
        elif piece.kind != "comment":
            for name in module.stores[piece.place]:
                bindings.setdefault(name, set()).add(piece.place)
    moved: list[Import] = []
    kept: list[Piece] = []
    for piece in module.pieces:
        found = imports_of(module.statement(piece)) if piece.kind == "import" else ()
        if piece.kind != "import":
            kept.append(piece)
        elif any(len(bindings[one.local]) > 1 for one in found if one.local):
            kept.append(piece._replace(kind="statement"))
        else:
            moved += found
    return tuple(moved), tuple(kept)


def render_imports(found: Iterable[Import]) -> str:
    """Return the merged block without a final line feed: futures, stars, `import`s, `from`s, each sorted."""
    imports = sorted(set(found))
    futures = [one.name for one in imports if one.module == "__future__"]
    lines = [f"from __future__ import {', '.join(futures)}"] if futures else []
    lines += [f"from {one.module} import *" for one in imports if one.name == "*"]
    lines += [f"import {_named(one.module, one.alias)}" for one in imports if not one.name]
    parts: dict[str, list[str]] = {}
    for one in imports:
        if one.name not in ("", "*") and one.module != "__future__":
            parts.setdefault(one.module, []).append(_named(one.name, one.alias))
    return "\n".join([*lines, *(f"from {module} import {', '.join(names)}" for module, names in parts.items())])


def _named(name: str, alias: str) -> str:
    return f"{name} as {alias}" if alias else name
