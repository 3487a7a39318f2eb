"""What a program really does: the same program with an explicit call for each value that it takes."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from tests.property.tracer_programs import HEAD

Key = tuple[int, str, str]


def text(value: Any) -> str:
    """Return how a value of these programs is shown."""
    if isinstance(value, BaseException):
        shown = f"{type(value).__name__}({', '.join(map(repr, value.args))})"
    elif type(value).__name__ == "Box":
        shown = f"Box(n={value.n!r})" if "n" in vars(value) else "Box()"
    elif callable(value):
        shown = f"<function {value.__name__}>" if type(value) is not type else f"<class {value.__name__}>"
    elif type(value).__name__ == "generator":
        shown = f"<generator {value.__name__}>"
    else:
        shown = _contents(value)
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _contents(value: Any) -> str:
    """Return a constant or a container, where long lists show their ends, at any depth."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_contents(one)}' for key, one in value.items())}}}"
    if not isinstance(value, list):
        return repr(value)
    shown = [_contents(one) for one in value]
    return f"[{', '.join([*shown[:4], '…', *shown[-2:]] if len(shown) > 6 else shown)}]"


class Taken(NamedTuple):
    """What a program really did."""

    values: dict[Key, list[str]]
    result: str


def taken(program: str, call: str) -> Taken:
    """Return the values that a program took, by its own explicit calls."""
    tree = _Told().visit(ast.parse(program))
    ast.fix_missing_locations(tree)
    values: dict[Key, list[str]] = {}

    def tell(line: int, kind: str, name: str, value: Any) -> Any:
        shown = str(bool(value)) if kind == "condition" else str(value) if kind == "jump" else text(value)
        values.setdefault((line, kind, name), []).append(shown)
        return value

    space: dict[str, Any] = {"__name__": "solution", "tell__": tell}
    exec(HEAD, space)
    try:
        exec(compile(tree, "<oracle>", "exec", dont_inherit=True), space)
        result = repr(eval(call, space))
    except Exception as error:  # whatever the program does is a result
        result = type(error).__name__
    return Taken(values, result)


def _tell(line: int, kind: str, name: str, value: ast.expr) -> ast.Call:
    told = [ast.Constant(line), ast.Constant(kind), ast.Constant(name), value]
    return ast.Call(ast.Name("tell__", ast.Load()), told, [])


def _statements(source: str) -> list[ast.stmt]:
    return ast.parse(source).body


class _Told(ast.NodeTransformer):
    """Puts a call to `tell__` where a value is taken. No line number matters behind it: each call says its own."""

    def __init__(self) -> None:
        self._loops: list[tuple[int, bool]] = []
        self._count = 0

    def _body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            out += made if isinstance(made, list) else [made]
        return out

    def _names(self, line: int, kind: str, target: ast.expr) -> list[ast.stmt]:
        leaves: list[ast.expr] = []
        stack = [target]
        while stack:
            current = stack.pop(0)
            if isinstance(current, ast.Tuple | ast.List):
                stack = [*current.elts, *stack]
            else:
                leaves.append(current.value if isinstance(current, ast.Starred) else current)
        return [self._name(line, kind, ast.unparse(leaf)) for leaf in leaves]

    def _name(self, line: int, kind: str, name: str) -> ast.stmt:
        return ast.Expr(_tell(line, kind, name, ast.parse(name, mode="eval").body))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        outer, self._loops = self._loops, []
        line, arguments = node.lineno, node.args
        every = [*arguments.args, arguments.vararg, *arguments.kwonlyargs]
        told = [self._name(line, "call", each.arg) for each in every if each is not None]
        body = self._body(node.body)
        scope = [each for each in body if isinstance(each, ast.Global | ast.Nonlocal)]
        node.body = [*scope, *told, *(each for each in body if each not in scope)]
        self._loops = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        node.body = self._body(node.body)
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        line = node.lineno
        self.generic_visit(node)
        return [node, *(each for target in node.targets for each in self._names(line, "assign", target))]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        line, name = node.lineno, ast.unparse(node.target)
        self.generic_visit(node)
        if not isinstance(node.target, ast.Subscript):
            return [node, self._name(line, "assign", name)]
        index = ast.unparse(node.target.slice)
        before, told = _statements(f"at__ = xs, {index}\nif at__[0] is xs and at__[1] == {index}: pass")
        assert isinstance(told, ast.If)
        told.body = [self._name(line, "assign", name)]
        return [before, node, told]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = _tell(node.lineno, "assign", node.target.id, node.value)
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        line = node.lineno
        self.generic_visit(node)
        if node.value is not None:
            node.value = _tell(line, "return", "", node.value)
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        assert node.value is not None
        return ast.Yield(_tell(node.lineno, "yield", "", node.value))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        told = ast.GeneratorExp(
            _tell(node.lineno, "yield", "", ast.Name("each__", ast.Load())),
            [ast.comprehension(ast.Name("each__", ast.Store()), node.value, [], 0)],
        )
        return ast.YieldFrom(told)

    def _test(self, node: ast.If | ast.While) -> None:
        line = node.lineno
        node.test = _tell(line, "condition", "", self.visit(node.test))

    def visit_If(self, node: ast.If) -> ast.stmt:
        self._test(node)
        node.body, node.orelse = self._body(node.body), self._body(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self._test(node)
        return self._loop(node, [], None)

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        told, over = self._names(node.lineno, "loop", node.target), node.iter
        name = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
        source = over.args[0] if isinstance(over, ast.Call) and name in ("enumerate", "reversed") else over
        known = name in ("range", "enumerate", "reversed") or isinstance(over, ast.Constant | ast.Tuple)
        return self._loop(node, told, ast.unparse(source) if known else None)

    def _loop(self, node: ast.For | ast.While, told: list[ast.stmt], over: str | None) -> list[ast.stmt]:
        number, self._count = self._count, self._count + 1
        before = _statements(f"turn__{number} = 0" + (f"\nmost__{number} = len({over})" if over else ""))
        self._loops.append((number, over is not None))
        body = self._body(node.body)
        self._loops.pop()
        node.body = [*_statements(f"turn__{number} += 1"), *told, *body]
        node.orelse = self._body(node.orelse)
        return [*before, node]

    def _jump(self, node: ast.Break | ast.Continue, word: str) -> list[ast.stmt]:
        number, known = self._loops[-1]
        turn = f"turn__{number}"
        skipped = f"f'{{{turn}}} ({{most__{number} - {turn}}} skipped)'" if known and word == "break" else turn
        value = ast.parse(skipped, mode="eval").body
        return [ast.Expr(_tell(node.lineno, "jump", word, value)), node]

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return self._jump(node, "break")

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return self._jump(node, "continue")

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        node.body, node.orelse, node.finalbody = map(self._body, (node.body, node.orelse, node.finalbody))
        for handler in node.handlers:
            told = [self._name(handler.lineno, "assign", handler.name)] if handler.name else []
            handler.body = [*told, *self._body(handler.body)]
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        told = [each for item in node.items if item.optional_vars for each in
                self._names(node.lineno, "assign", item.optional_vars)]  # fmt: skip
        self.generic_visit_items(node)
        node.body = [*told, *self._body(node.body)]
        return node

    def generic_visit_items(self, node: ast.With) -> None:
        """Treat the expressions of a `with`."""
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
