"""Missing imports of well-known standard names, found on the symbol table and added to a node's source.

Models write `Counter(...)` or `math.gcd(...)` and leave the import out, most of all when their answer has to begin
with a given `def` line. Which import is meant is known, so no repair round is spent on it; the addition is recorded.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator

_MODULES = (
    "bisect", "collections", "copy", "csv", "datetime", "decimal", "fractions", "functools", "heapq", "io", "itertools",
    "json", "math", "operator", "os", "random", "re", "statistics", "string", "sys", "time",
)  # fmt: skip
_FROM = {
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"),
    "dataclasses": ("dataclass",),
    "decimal": ("Decimal",),
    "enum": ("Enum",),
    "fractions": ("Fraction",),
    "functools": ("cmp_to_key", "lru_cache", "reduce"),
    "heapq": ("heapify", "heappop", "heappush"),
    "itertools": ("accumulate", "combinations", "groupby", "permutations", "product"),
    "math": ("ceil", "comb", "factorial", "floor", "gcd", "inf", "isqrt", "log2", "sqrt"),
    "typing": ("Any", "Callable", "Dict", "Iterable", "Iterator", "List", "Optional", "Sequence", "Set", "Tuple",
               "Union"),
}  # fmt: skip
_KNOWN = {module: f"import {module}" for module in _MODULES} | {
    name: f"from {module} import {name}" for module, names in _FROM.items() for name in names
}


LATE = "from __future__ import annotations"
"""Keeps annotations unread; added when a method's annotation names its own class."""


def missing_imports(source: str, defined_elsewhere: Collection[str] = ()) -> tuple[str, ...]:
    """Return import statements for known names that `source` reads at module scope and nobody defines, sorted.

    Source that does not compile gives none: its error is reported where it is accepted.
    """
    try:
        table = symtable.symtable(source, "<node>", "exec")
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    late = (LATE,) if _named_too_early(tree) else ()
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    known = bound | set(dir(builtins)) | set(defined_elsewhere)
    names = {_KNOWN[name] for name in _global_reads(table) if name in _KNOWN and name not in known}
    return (*late, *sorted(names))


def _named_too_early(tree: ast.Module) -> bool:
    """Return whether an annotation inside a class names that class: without LATE it is read before it exists."""
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
        return False
    return any(
        isinstance(name, ast.Name) and name.id == outer.name
        for outer in tree.body
        if isinstance(outer, ast.ClassDef)
        for annotation in _annotations(outer)
        for name in ast.walk(annotation)
    )


def _annotations(outer: ast.ClassDef) -> Iterator[ast.expr]:
    for function in outer.body:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            yield from (argument.annotation for argument in given if argument.annotation)
            if function.returns:
                yield function.returns


def _global_reads(table: symtable.SymbolTable) -> set[str]:
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global())
    }
    for child in table.get_children():
        names |= _global_reads(child)
    return names
