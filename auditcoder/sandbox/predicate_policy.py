"""What a predicate may say: an allow-list of syntax, then RestrictedPython, then metered calls for every operator.

Compiling decides nothing about values: each operation that could be long or large becomes a call into
`predicate_runtime`, which meters it.
"""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Collection
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from RestrictedPython.compile import compile_restricted_eval
from RestrictedPython.transformer import RestrictingNodeTransformer

from auditcoder.errors import PredicateError
from auditcoder.sandbox.predicate_methods import METHOD_NAMES

MAX_LENGTH = 600
MAX_NODES = 300
MAX_DEPTH = 60
MAX_LITERAL_BITS = 64
BUILTINS = frozenset(
    "abs all any bool chr dict divmod enumerate float frozenset int isinstance len list map max min ord pow range"
    " reversed round set sorted str sum tuple zip".split()
)
"""The functions that a predicate may call."""

_NODES = (
    ast.Expression, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.IfExp, ast.Dict,
    ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.cmpop,
    ast.Call, ast.keyword, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.List, ast.Tuple,
    ast.expr_context,
)  # fmt: skip
_LITERALS = (str, int, float, bool, type(None))


class Compiled(NamedTuple):
    """A predicate ready to be evaluated, and the names that it reads from outside."""

    code: CodeType
    names: frozenset[str]


@lru_cache(maxsize=2048)
def compile_predicate(expression: str) -> Compiled:
    """Return the compiled expression.

    Raises:
        PredicateError: the policy refuses it; field `reason` is `refused`.
    """
    source = expression.strip()
    if len(source) > MAX_LENGTH:
        raise _refused(f"longer than {MAX_LENGTH} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _parse(source)
        complaint = _complaint(tree)
        if complaint:
            raise _refused(complaint)
        try:
            return Compiled(_compile(tree), _free_names(symtable.symtable(source, "<predicate>", "eval")))
        except (SyntaxError, ValueError, RecursionError) as error:
            raise _refused(f"cannot be compiled: {error}") from error


def check_expression(expression: str, names: Collection[str]) -> str:
    """Return '' when the expression is an admissible predicate over `names`, else why it is refused.

    Args:
        expression: A candidate predicate, as a planner wrote it.
        names: Parameter names (and `result`) that it may read; they win over builtins of the same name.
    """
    try:
        compiled = compile_predicate(expression)
    except PredicateError as error:
        return error.message
    unknown = sorted(compiled.names - set(names) - BUILTINS)
    if unknown:
        known = ", ".join(sorted(names)) or "nothing"
        return f"unknown name {unknown[0]!r}: only {known} and the builtins {', '.join(sorted(BUILTINS))} are known"
    return ""


def _refused(why: str) -> PredicateError:
    return PredicateError(why, reason="refused")


def _parse(source: str) -> ast.Expression:
    try:
        return ast.parse(source, mode="eval")
    except SyntaxError as error:
        raise _refused(f"not an expression: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise _refused(f"not an expression: {error}") from error


def _complaint(tree: ast.Expression) -> str:
    """Return the first thing that the policy refuses, or ''."""
    level: list[ast.AST] = [tree]
    count = depth = 0
    while level:
        count, depth = count + len(level), depth + 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            return f"more than {MAX_NODES} syntax nodes, or more than {MAX_DEPTH} levels"
        for node in level:
            found = _node_complaint(node)
            if found:
                return found
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return ""


def _node_complaint(node: ast.AST) -> str:
    if not isinstance(node, _NODES):
        return f"{type(node).__name__} is not allowed in a predicate"
    if isinstance(node, ast.Attribute) and node.attr not in METHOD_NAMES:
        return f"the attribute {node.attr!r} is not allowed in a predicate"
    if isinstance(node, ast.Name) and node.id in ("print", "printed"):
        return f"the name {node.id!r} is not allowed in a predicate"
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, _LITERALS):
            return f"a literal of type {type(node.value).__name__} is not allowed"
        if isinstance(node.value, int) and node.value.bit_length() > MAX_LITERAL_BITS:
            return f"an integer literal of more than {MAX_LITERAL_BITS} bits"
    if isinstance(node, ast.keyword) and node.arg is None:
        return "** in a call is not allowed"
    if isinstance(node, ast.Dict) and None in node.keys:
        return "** in a dict is not allowed"
    if isinstance(node, ast.comprehension) and node.is_async:
        return "async is not allowed"
    if isinstance(node, ast.MatMult):
        return "@ is not allowed"
    if isinstance(node, ast.Attribute | ast.Subscript | ast.List) and not isinstance(node.ctx, ast.Load):
        return "only names can be bound"
    return ""


def _free_names(table: symtable.SymbolTable) -> frozenset[str]:
    """Return the names read from outside; what a comprehension binds is bound inside it only."""
    top = table.get_type() == "module"
    here = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return frozenset(here).union(*(_free_names(child) for child in table.get_children()))


def _compile(tree: ast.Expression) -> CodeType:
    result: Any = compile_restricted_eval(tree, filename="<predicate>", policy=_Policy)
    if result.errors:
        raise _refused("; ".join(result.errors))
    code: CodeType = result.code
    return code


class _Policy(RestrictingNodeTransformer):  # type: ignore[misc]
    """RestrictedPython's rules, with operators, comparisons and hashed elements as metered calls."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802 (name given by ast)
        name = ast.Constant(type(node.op).__name__)
        return _call(node, "_bin_", name, self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:  # noqa: N802
        """Operands after the second are thunks, so that a chain stops early as Python's does."""
        ops = ast.Constant(" ".join(type(op).__name__ for op in node.ops))
        first, second, *rest = (self.visit(item) for item in (node.left, *node.comparators))
        return _call(node, "_cmp_", ops, first, second, *(_thunk(item) for item in rest))

    def visit_Set(self, node: ast.Set) -> ast.AST:  # noqa: N802
        node.elts = [_call(item, "_key_", self.visit(item)) for item in node.elts]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # noqa: N802
        node.keys = [_call(key, "_key_", self.visit(key)) for key in node.keys if key is not None]
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:  # noqa: N802
        visited: ast.SetComp = self.node_contents_visit(node)
        visited.elt = _call(visited.elt, "_key_", visited.elt)
        return visited

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:  # noqa: N802
        visited: ast.DictComp = self.node_contents_visit(node)
        visited.key = _call(visited.key, "_key_", visited.key)
        return visited


def _call(place: ast.AST, name: str, *args: ast.expr) -> ast.Call:
    call = ast.Call(func=ast.Name(name, ast.Load()), args=list(args), keywords=[])
    ast.copy_location(call, place)
    ast.fix_missing_locations(call)
    return call


def _thunk(body: ast.expr) -> ast.Lambda:
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    thunk = ast.copy_location(ast.Lambda(args=empty, body=body), body)
    ast.fix_missing_locations(thunk)
    return thunk
