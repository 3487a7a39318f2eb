"""Statements of a node's code that would change what other nodes' code means, without defining their names.

All owners share one process, so `builtins.len = ...`, `other.__code__ = ...` or `globals()["other"] = ...` in one node
would change the behaviour of units whose text stays the same: the frozen complement would be frozen in text only.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from auditcoder.core.cleaning import Module
from auditcoder.core.parsing import Refusal
from auditcoder.core.pieces import Piece

_INNARDS = frozenset({"__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__"})
"""What a function does; no program needs to assign it."""
_MUTATORS = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__", "__ior__"})
_STREAMS = frozenset({"stdin", "stdout", "stderr", "argv"})
"""What a program may replace in `sys`: it is its own input and output."""
_NAMESPACE = "globals()"
_NAMESPACES = frozenset({"globals", "locals", "__builtins__"})
_WAYS_IN = frozenset({"__globals__", "f_globals", "f_locals", "f_builtins", "f_back", "_getframe", "__builtins__"})
"""Attributes that lead from a function or a frame into the names that all nodes share."""


def find_intrusion(module: Module, pieces: Sequence[Piece], foreign: Collection[str]) -> Refusal | None:
    """Return why code reaches into other nodes, with the line; None when it does not.

    Assignments to and deletions of attributes and items count, wherever they stand: of other nodes' functions, of
    modules, of the global namespace; so do `setattr` and the methods of a dict that do the same.

    Args:
        module: The code of one of several owners.
        pieces: What stays of it.
        foreign: Names that other nodes define.
    """
    reach = _Reach(module, foreign)
    statements = (module.statement(piece) for piece in pieces if piece.kind != "comment")
    for node in (node for statement in statements for node in ast.walk(statement)):
        way = _way_in(node)
        if way:
            reason = f"`{way}` reaches the names that all nodes share; read and write this node's own names only"
            return Refusal(reason, getattr(node, "lineno", 0))
        for target in _changed(node):
            held = reach.held(target)
            if held:
                reason = f"{held} is changed; other nodes' code would change with it: change only what this node owns"
                return Refusal(reason, getattr(node, "lineno", 0))
    return None


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the attribute or item that a node changes; a call becomes the assignment that it stands for."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            yield node
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[thing, name, *_]):
            yield ast.Attribute(thing, _text(name), ast.Store())
        case ast.Call(func=ast.Attribute(value=thing, attr=name)) if name in _MUTATORS:
            yield ast.Subscript(thing, ast.Constant("?"), ast.Store())
        case ast.Call(func=ast.Attribute(value=thing, attr="__setattr__" | "__delattr__"), args=[name, *_]):
            yield ast.Attribute(thing, _text(name), ast.Store())


def _way_in(node: ast.AST) -> str:
    """Return the name by which a node gets hold of the shared namespace as a value; empty when it does not.

    Whoever has it can change it in more ways than can be told from the text, so having it is refused.
    """
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMESPACES:
            return name
        case ast.Attribute(attr=name) if name in _WAYS_IN:
            return name
        case ast.Call(func=ast.Name(id="vars"), args=[]):
            return "vars()"
        case ast.alias(name=name) if name in ("__dict__", "_getframe", "currentframe"):
            return name
    return ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "?"


class _Reach:
    """What the names of a module give access to."""

    def __init__(self, module: Module, foreign: Collection[str]) -> None:
        self._foreign = {id(use.node) for use in module.names.uses if use.name in foreign}
        self._imported = dict(_imported(module.tree))
        self._shared = {*_modules(module.tree), _NAMESPACE, "sys.modules", "builtins", "__builtins__"}

    def held(self, target: ast.expr) -> str:
        """Return what of others a changed attribute or item belongs to, for a message; empty when it is its own."""
        if isinstance(target, ast.Attribute) and target.attr in _INNARDS:
            return f"`{target.attr}` of a function or object"
        assert isinstance(target, ast.Attribute | ast.Subscript)
        base = self._place(target.value)
        place = f"{base}.{target.attr}" if isinstance(target, ast.Attribute) else base
        if self._is_foreign(target.value):
            return f"`{place}`"
        if base.removesuffix(".__dict__") not in self._shared or (base == "sys" and place[4:] in _STREAMS):
            return ""
        return f"`{place}`"

    def _is_foreign(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return id(node) in self._foreign

    def _place(self, node: ast.expr) -> str:
        """Return the dotted place of another's thing that an expression means; empty for the node's own."""
        match node:
            case ast.Name(id=name) if id(node) in self._foreign or name == "__builtins__":
                return name
            case ast.Name(id=name):
                return self._imported.get(name, "")
            case ast.Attribute(value=value, attr=name):
                outer = self._place(value)
                return f"{outer}.{name}" if outer else ""
            case ast.Subscript(value=value):
                outer = self._place(value)
                return outer if outer.removesuffix(".__dict__") in self._shared else ""
            case ast.Call(func=ast.Name(id="globals")):
                return _NAMESPACE
            case ast.Call(func=ast.Name(id="vars"), args=[thing]):
                outer = self._place(thing)
                return f"{outer}.__dict__" if outer else ""
            case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name)), *_]):
                return name if name in self._shared else ""
        return ""


def _modules(tree: ast.Module) -> Iterator[str]:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    return (alias.name for node in imports for alias in node.names)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that stand for modules, and the one name in `sys` that stands for all of them."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                bound |= {alias.asname: alias.name} if alias.asname else {top: top}
    yield from bound.items()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in bound:
            yield from ((target.id, bound[node.value.id]) for target in node.targets if isinstance(target, ast.Name))
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            yield from ((alias.asname or alias.name, "sys.modules") for alias in node.names if alias.name == "modules")
