"""Which occurrences of a name mean the module's own binding: Python's scoping rules over the syntax tree.

One walk records every scope's bindings and every use; the uses are resolved after it, when all bindings are known.
Rules followed (language reference, "Naming and binding"): class bodies are invisible to the functions inside them;
decorators, defaults, annotations and the first iterable of a comprehension belong to the enclosing scope; a walrus
binds outside comprehensions; `global` and `nonlocal` win; a name with two leading underscores is mangled in a class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Use(NamedTuple):
    """One occurrence of an identifier that means a module-level (or built-in) name."""

    name: str
    """The name that is looked up, mangled where Python mangles it."""
    written: str
    """The identifier as written."""
    node: ast.AST
    """The node that carries the identifier."""
    statement: int
    """Index of the top-level statement that it is in."""
    stores: bool
    """Whether it binds (or deletes) the name."""
    nested: bool
    """Whether it stands in a function or class, not directly at module level."""
    fstring: ast.JoinedStr | None
    """The outermost f-string around it: its own position is not reliable before Python 3.12."""


class ModuleNames(NamedTuple):
    """What a module binds and uses at module level."""

    uses: tuple[Use, ...]
    bound: frozenset[str]
    """Names that the module binds, also through `global`."""
    ambiguous: frozenset[str]
    """Names that a class body both binds and reads where only running tells which binding it reads."""

    @property
    def free(self) -> frozenset[str]:
        """Return the names that are used and not bound: built-ins, and what others define."""
        return frozenset(use.name for use in self.uses) - self.bound


@dataclass
class _Scope:
    kind: Literal["module", "function", "comprehension", "class"]
    parent: _Scope | None
    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    sure: set[str] = field(default_factory=set)
    """class: what its straight-line statements have bound so far."""
    loops: int = 0
    """class: loops around the current place; what a loop binds below may be read above."""


class _Seen(NamedTuple):
    use: Use
    scope: _Scope
    sure: bool
    """class: read behind a straight-line binding, so it means the class's own."""
    early: bool
    """class: read before anything in the class binds it, so it means the module's (never an enclosing function's)."""


def module_names(tree: ast.Module) -> ModuleNames:
    """Return every module-level binding and use of a tree, in source order."""
    walker = _Walker(tree)
    uses = tuple(seen.use for seen in walker.seen if _means_global(seen))
    ambiguous = {
        seen.use.name
        for seen in walker.seen
        if seen.scope.kind == "class"
        and not (seen.use.stores or seen.sure or seen.early)
        and seen.use.name in seen.scope.bound - seen.scope.globals
    }
    return ModuleNames(uses, frozenset(use.name for use in uses if use.stores), frozenset(ambiguous))


def mangle(name: str, class_name: str) -> str:
    """Return the name that Python looks up for an identifier inside a class; empty class name for none."""
    stem = class_name.lstrip("_")
    if not stem or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{stem}{name}"


def _means_global(seen: _Seen) -> bool:
    own = seen.scope.bound - seen.scope.nonlocals
    if seen.early and seen.use.name in own:
        return True
    return _is_global(seen.use.name, seen.scope)


def _is_global(name: str, scope: _Scope) -> bool:
    current: _Scope | None = scope
    while current is not None and current.kind != "module":
        if current is scope or current.kind != "class":
            if name in current.globals:
                return True
            if name in current.nonlocals or name in current.bound:
                return False
        current = current.parent
    return True


class _Walker:
    """Walks a module once; `seen` holds every identifier with its scope."""

    def __init__(self, tree: ast.Module) -> None:
        self.seen: list[_Seen] = []
        self._scope = _Scope("module", None)
        self._class = ""
        self._fstring: ast.JoinedStr | None = None
        for self._statement, statement in enumerate(tree.body):
            self._visit(statement)

    def _visit(self, node: ast.AST) -> None:
        method = getattr(self, f"_on_{type(node).__name__}", None)
        if method is not None:
            method(node)
        else:
            self._visit_all(ast.iter_child_nodes(node))

    def _visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self._visit(node)

    def _note(
        self, written: str, node: ast.AST, *, stores: bool, scope: _Scope | None = None, early: bool = True
    ) -> None:
        scope = scope or self._scope
        name = mangle(written, self._class)
        early = early and scope.kind == "class" and not (stores or scope.loops or name in scope.bound)
        if stores:
            scope.bound.add(name)
        nested = scope.kind != "module"
        use = Use(name, written, node, self._statement, stores, nested, self._fstring)
        self.seen.append(_Seen(use, scope, name in scope.sure, early))

    def _inside(self, kind: Literal["function", "comprehension", "class"]) -> _Scope:
        self._scope = _Scope(kind, self._scope)
        return self._scope

    def _leave(self) -> None:
        assert self._scope.parent is not None
        self._scope = self._scope.parent

    def _on_Name(self, node: ast.Name) -> None:  # noqa: N802 - named for the node class
        self._note(node.id, node, stores=not isinstance(node.ctx, ast.Load))

    def _on_NamedExpr(self, node: ast.NamedExpr) -> None:  # noqa: N802
        target = self._scope
        while target.kind == "comprehension" and target.parent is not None:
            target = target.parent
        self._visit(node.value)
        self._note(node.target.id, node.target, stores=True, scope=target)

    def _on_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        self._visit_all([node.value, *node.targets])

    def _on_AnnAssign(self, node: ast.AnnAssign) -> None:  # noqa: N802
        bare = node.value is None  # the annotation is evaluated last; without a value nothing is bound before it
        self._visit_all([node.annotation, node.target] if bare else [node.value, node.target, node.annotation])

    def _on_AugAssign(self, node: ast.AugAssign) -> None:  # noqa: N802
        if isinstance(node.target, ast.Name):  # one identifier that is read and bound: never early
            self._note(node.target.id, node.target, stores=False, early=False)
        self._visit_all([node.value, node.target])

    def _on_For(self, node: ast.For | ast.AsyncFor) -> None:  # noqa: N802
        self._visit(node.iter)
        self._scope.loops += 1
        self._visit_all([node.target, *node.body])
        self._scope.loops -= 1
        self._visit_all(node.orelse)

    _on_AsyncFor = _on_For  # noqa: N815

    def _on_While(self, node: ast.While) -> None:  # noqa: N802
        self._scope.loops += 1
        self._visit_all([node.test, *node.body])
        self._scope.loops -= 1
        self._visit_all(node.orelse)

    def _on_Global(self, node: ast.Global) -> None:  # noqa: N802
        for name in node.names:
            self._scope.globals.add(mangle(name, self._class))
            self._note(name, node, stores=False)

    def _on_Nonlocal(self, node: ast.Nonlocal) -> None:  # noqa: N802
        self._scope.nonlocals.update(mangle(name, self._class) for name in node.names)

    def _on_Import(self, node: ast.Import) -> None:  # noqa: N802
        for alias in node.names:
            self._note(alias.asname or alias.name.partition(".")[0], alias, stores=True)

    def _on_ImportFrom(self, node: ast.ImportFrom) -> None:  # noqa: N802
        for alias in node.names:
            if alias.name != "*" and node.module != "__future__":
                self._note(alias.asname or alias.name, alias, stores=True)

    def _on_ExceptHandler(self, node: ast.ExceptHandler) -> None:  # noqa: N802
        self._visit_all([node.type])
        if node.name:
            self._note(node.name, node, stores=True)
        self._visit_all(node.body)

    def _on_MatchAs(self, node: ast.MatchAs) -> None:  # noqa: N802
        self._visit_all([node.pattern])
        if node.name:
            self._note(node.name, node, stores=True)

    def _on_MatchStar(self, node: ast.MatchStar) -> None:  # noqa: N802
        if node.name:
            self._note(node.name, node, stores=True)

    def _on_MatchMapping(self, node: ast.MatchMapping) -> None:  # noqa: N802
        self._visit_all([*node.keys, *node.patterns])
        if node.rest:
            self._note(node.rest, node, stores=True)

    def _on_JoinedStr(self, node: ast.JoinedStr) -> None:  # noqa: N802
        outer = self._fstring
        self._fstring = outer or node
        self._visit_all(node.values)
        self._fstring = outer

    def _on_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:  # noqa: N802
        self._visit_all(node.decorator_list)
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        self._note(node.name, node, stores=True)
        generic = self._enter_type_parameters(node)
        self._visit_all([*(argument.annotation for argument in _arguments(node.args)), node.returns])
        self._enter_function(node.args, node.body)
        if generic:
            self._leave()

    _on_AsyncFunctionDef = _on_FunctionDef  # noqa: N815

    def _on_Lambda(self, node: ast.Lambda) -> None:  # noqa: N802
        self._visit_all([*node.args.defaults, *node.args.kw_defaults])
        self._enter_function(node.args, [node.body])

    def _enter_function(self, arguments: ast.arguments, body: Iterable[ast.AST]) -> None:
        scope = self._inside("function")
        scope.bound.update(mangle(argument.arg, self._class) for argument in _arguments(arguments))
        self._visit_all(body)
        self._leave()

    def _enter_type_parameters(self, node: ast.AST) -> bool:
        parameters = getattr(node, "type_params", [])
        if parameters:
            scope = self._inside("function")
            scope.bound.update(mangle(parameter.name, self._class) for parameter in parameters)
            self._visit_all(parameters)
        return bool(parameters)

    def _on_TypeAlias(self, node: ast.AST) -> None:  # noqa: N802
        self._visit_all([getattr(node, "name", None)])
        generic = self._enter_type_parameters(node)
        self._visit_all([getattr(node, "value", None)])
        if generic:
            self._leave()

    def _on_ClassDef(self, node: ast.ClassDef) -> None:  # noqa: N802
        self._visit_all(node.decorator_list)
        self._note(node.name, node, stores=True)
        generic = self._enter_type_parameters(node)
        self._visit_all([*node.bases, *node.keywords])
        outer, self._class = self._class, node.name
        scope = self._inside("class")
        for statement in node.body:
            self._visit(statement)
            scope.sure.update(mangle(name, self._class) for name in bound_by(statement))
        self._leave()
        self._class = outer
        if generic:
            self._leave()

    def _on_comprehension_like(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self._visit(node.generators[0].iter)
        self._inside("comprehension")
        for index, generator in enumerate(node.generators):
            self._visit_all([*([generator.iter] if index else []), generator.target, *generator.ifs])
        self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self._leave()

    _on_ListComp = _on_SetComp = _on_DictComp = _on_GeneratorExp = _on_comprehension_like  # noqa: N815


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None)


def bound_by(statement: ast.stmt) -> tuple[str, ...]:
    """Return the names that a straight-line statement binds for sure when it has run."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Assign(targets=targets):
            names = (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
            return tuple(part.id for part in names if isinstance(part.ctx, ast.Store))
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return tuple(alias.asname or alias.name.partition(".")[0] for alias in aliases)
    return ()
