"""The static policy gate: labels programs that use what an ordinary solution does not need.

It only labels (`warn`) or turns away (`strict`) a program before it runs. It isolates nothing: a program that
passes can still do whatever its process may do, and the sandbox worker alone limits that. RestrictedPython's rules
are the base; they are widened by what ordinary programs use and what stays visible in the text (augmented
assignment to items, annotations, `nonlocal`, `match`, `_private` names, `self._x`, ordinary dunder methods).
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import Literal, NamedTuple

from RestrictedPython.transformer import RestrictingNodeTransformer

GateMode = Literal["off", "warn", "strict"]

ALLOWED_MODULES = frozenset(
    (
        "__future__ abc argparse array ast base64 bisect calendar cmath collections colorsys configparser "
        "contextlib copy csv dataclasses datetime decimal difflib enum fractions functools graphlib hashlib heapq "
        "html io itertools json keyword locale logging math numbers numpy operator pandas pprint queue random re "
        "scipy secrets statistics string struct sys textwrap threading time tokenize types typing "
        "typing_extensions unicodedata unittest uuid warnings zlib zoneinfo"
    ).split()
)
"""Modules whose import is no finding; everything else (os, subprocess, ctypes, socket, ...) is one."""
ORDINARY_DUNDERS = frozenset(
    f"__{name}__"
    for name in (
        "init repr str bytes hash bool len iter next getitem setitem delitem contains call enter exit eq ne lt le gt ge"
        " add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow neg pos abs invert"
        " and or xor int float index round reversed missing length_hint copy deepcopy format post_init lshift rshift"
    ).split()
)
_CLASS_NAMES = ORDINARY_DUNDERS | {"__slots__", "__match_args__"}
_DYNAMIC = frozenset({"eval", "exec", "compile", "globals", "locals", "vars", "breakpoint"})
_BY_NAME = frozenset({"getattr", "setattr", "delattr", "hasattr"})
_RECEIVERS = frozenset({"self", "cls"})


class GateFinding(NamedTuple):
    """One use that the policy names: 1-based line, rule, message for people."""

    line: int
    rule: str
    message: str


@dataclass(frozen=True)
class GateReport:
    """What the gate found; empty findings mean no objection, never that the program is safe."""

    findings: tuple[GateFinding, ...]

    @property
    def clean(self) -> bool:
        """Return whether nothing was found."""
        return not self.findings

    def rejects(self, mode: GateMode) -> bool:
        """Return whether the program is turned away: only in `strict` mode, for any finding."""
        return mode == "strict" and bool(self.findings)


def gate(source: str) -> GateReport:
    """Return the findings of the policy in line order; a program that does not parse is one finding."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        policy = _Policy(_facts(tree))
        policy.visit(tree)
    except SyntaxError as error:
        return GateReport((GateFinding(error.lineno or 0, "syntax", str(error.msg)),))
    except (ValueError, RecursionError, MemoryError) as error:
        return GateReport((GateFinding(0, "syntax", f"cannot be parsed: {error}"),))
    return GateReport(tuple(sorted(set(policy.found))))


class _Facts(NamedTuple):
    """What has to be known before the walk: methods, class-level names, receivers that stay what they are."""

    methods: frozenset[int]
    class_names: frozenset[int]
    receivers: frozenset[str]


def _facts(tree: ast.Module) -> _Facts:
    methods: set[int] = set()
    class_names: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods |= {id(child) for child in node.body if isinstance(child, ast.FunctionDef)}
            targets = [t for child in node.body if isinstance(child, ast.Assign) for t in child.targets]
            class_names |= {id(target) for target in targets if isinstance(target, ast.Name)}
    rebound = {name for node in ast.walk(tree) for name in _bound_names(node, methods)}
    return _Facts(frozenset(methods), frozenset(class_names), _RECEIVERS - rebound)


def _bound_names(node: ast.AST, methods: set[int]) -> set[str]:
    """Return the names that a node binds, the first parameter of a method left out."""
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Load) else {node.id}
    if isinstance(node, ast.alias):
        return {(node.asname or node.name).partition(".")[0]}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        args = node.args
        named = [*args.posonlyargs, *args.args, *args.kwonlyargs, *(a for a in (args.vararg, args.kwarg) if a)]
        names = {arg.arg for arg in named[1 if id(node) in methods else 0 :]}
        return names if isinstance(node, ast.Lambda) else names | {node.name}
    if isinstance(node, ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        return {node.name}
    return {node.rest} if isinstance(node, ast.MatchMapping) and node.rest else set()


class _Policy(RestrictingNodeTransformer):  # type: ignore[misc]
    """Walks the tree; nothing that it rewrites is used."""

    def __init__(self, facts: _Facts) -> None:
        super().__init__()
        self.facts = facts
        self.found: list[GateFinding] = []

    def error(self, node: ast.AST, info: str) -> None:
        """Take a complaint of the base rules."""
        self.note(node, _RULES.get(type(node).__name__, "statement"), info)

    def note(self, node: ast.AST, rule: str, message: str) -> None:
        """Add a finding."""
        self.found.append(GateFinding(int(getattr(node, "lineno", 0) or 0), rule, message))

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:  # noqa: FBT002
        """Admit `_x`; refuse dunders outside a class, and names that look like RestrictedPython's own hooks."""
        if name is None or name == "_" or name == "__name__":
            return
        if name.startswith("_") and name.endswith("_"):
            in_class = id(node) in self.facts.methods or id(node) in self.facts.class_names
            if not (in_class and name in _CLASS_NAMES):
                self.note(node, "name", f'the name "{name}" is reserved')
        elif name in ("builtins", "breakpoint"):
            self.note(node, "name", f'the name "{name}" is reserved')

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802 (name given by ast)
        self.check_name(node, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # noqa: N802
        admitted = self._own_attribute(node) or self._super_method(node)
        if admitted:
            return self._contents(node)
        super().visit_Attribute(node)
        return node

    def _own_attribute(self, node: ast.Attribute) -> bool:
        receiver = node.value.id if isinstance(node.value, ast.Name) else ""
        return receiver in self.facts.receivers and node.attr.startswith("_") and not node.attr.endswith("_")

    def _super_method(self, node: ast.Attribute) -> bool:
        call = node.value
        named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "super"
        return named and node.attr in ORDINARY_DUNDERS

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _DYNAMIC:
            self.note(node, "dynamic-code", f"{name}() runs or reaches what the text does not show")
        if name in _BY_NAME and not self._constant_plain_name(node):
            self.note(node, "computed-attribute", f"{name}() with a name that is computed or private")
        return self._contents(node)

    def _constant_plain_name(self, node: ast.Call) -> bool:
        name = node.args[1] if len(node.args) > 1 else None
        return isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("_")

    def visit_Import(self, node: ast.Import) -> ast.AST:  # noqa: N802
        for alias in node.names:
            self._check_module(node, alias.name)
        return self._imported(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:  # noqa: N802
        self._check_module(node, "." * node.level + (node.module or ""))
        return self._imported(node)

    def _check_module(self, node: ast.AST, name: str) -> None:
        if name.partition(".")[0] not in ALLOWED_MODULES:
            self.note(node, "import", f"the module {name} is not on the allow-list")

    def _imported(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        """Check what the import binds; `*` is a finding of its own."""
        for alias in node.names:
            if alias.name == "*":
                self.note(node, "import", "import * hides what is bound")
            else:
                self.check_name(node, alias.asname or alias.name.partition(".")[0])
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:  # noqa: N802
        for name in node.names:
            self.check_name(node, name)
        return node

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:  # noqa: N802
        self.check_name(node, node.name)
        return self._contents(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:  # noqa: N802
        self.check_name(node, node.rest)
        return self._contents(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:  # noqa: N802
        for name in node.kwd_attrs:
            if name.startswith("_"):
                self.note(node, "private-attribute", f'the attribute "{name}" is private')
        return self._contents(node)

    def _contents(self, node: ast.AST) -> ast.AST:
        visited: ast.AST = self.node_contents_visit(node)
        return visited

    visit_AugAssign = visit_AnnAssign = visit_Match = visit_match_case = _contents  # noqa: N815
    visit_MatchValue = visit_MatchSingleton = visit_MatchSequence = visit_MatchOr = _contents  # noqa: N815


_RULES = {
    "Attribute": "private-attribute",
    "Name": "name",
    "FunctionDef": "name",
    "Lambda": "name",
    "ClassDef": "metaclass",
    "ExceptHandler": "name",
}
