"""Which tests a `unittest` source promises, read by the supervisor from its text."""

from __future__ import annotations

import ast
from collections.abc import Mapping

_Classes = Mapping[str, ast.ClassDef]


def count_tests(source: str) -> int:
    """Return the number of test methods that the source defines; 0 when it does not parse."""
    return len({(name, method.name) for name, cls in _classes(source).items() for method in _methods(cls)})


def promised_tests(source: str) -> frozenset[str]:
    """Return `Class.method` of the tests that must be reported; none when the source does not parse.

    Those are the test methods, inherited ones included, of the top-level classes that descend from a `...TestCase`.
    Decorators can rename or multiply what they stand on, so what has one is counted only (`count_tests`).
    """
    classes = _classes(source)
    return frozenset(
        f"{name}.{method.name}"
        for name, cls in classes.items()
        if not cls.decorator_list and _is_case(lineage := _lineage(name, classes), classes)
        for ancestor in lineage
        for method in _methods(classes[ancestor])
        if not method.decorator_list
    )


def _classes(source: str) -> dict[str, ast.ClassDef]:
    """Return the top-level classes that are there when the source has run, as far as its text tells."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    rebound = {
        part.id
        for node in tree.body
        if isinstance(node, ast.Delete | ast.Assign)
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    }
    return {name: node for name, node in found.items() if name not in rebound}


def _lineage(name: str, classes: _Classes) -> list[str]:
    """Return a class and the classes of the source that it descends from."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in classes and current not in found:
            found.append(current)
            waiting += [_last_name(base) for base in classes[current].bases]
    return found


def _is_case(lineage: list[str], classes: _Classes) -> bool:
    bases = [_last_name(base) for name in lineage for base in classes[name].bases]
    return any(base.endswith("TestCase") and base not in classes for base in bases)


def _last_name(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    functions = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [function for function in functions if function.name.startswith("test")]
