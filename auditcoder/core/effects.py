"""What a module-level statement does when its module is loaded: start the program, read, print, or prepare data."""

from __future__ import annotations

import ast

ENTRY_FUNCTION = "main"
"""What a program or script starts with when its code does not start anything itself."""
_NOISY = frozenset({"print", "input", "open", "exit", "quit", "breakpoint", "help"})
_STREAMS = frozenset({"stdin", "stdout", "stderr", "exit", "argv"})
_SETTINGS = frozenset({"setrecursionlimit", "set_int_max_str_digits", "stack_size", "seed", "setcontext", "getcontext"})
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def is_guard(statement: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == ...:`."""
    return isinstance(statement, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(statement.test)
    )


def is_docstring(statement: ast.stmt) -> bool:
    """Return whether a statement is a bare string."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant | ast.JoinedStr)


def is_noisy(node: ast.AST) -> bool:
    """Return whether running the code touches the outside: standard streams, files, the end of the process."""
    return any(_touches_outside(part) for part in ast.walk(node))


def is_setting(statement: ast.stmt) -> bool:
    """Return whether a statement sets a process-wide or object setting, as `sys.setrecursionlimit(...)` does."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name))):
            return name in _SETTINGS
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        case ast.AugAssign(target=target):
            return isinstance(target, ast.Attribute | ast.Subscript)
    return False


def is_main(statement: ast.stmt) -> bool:
    """Return whether a statement defines a `main` that can be called without arguments."""
    if not isinstance(statement, ast.FunctionDef) or statement.name != ENTRY_FUNCTION:
        return False
    arguments = statement.args
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return required == 0 and None not in arguments.kw_defaults


def starts_program(statement: ast.stmt) -> bool:
    """Return whether a statement of the entry owner belongs to `<entry>`; the others prepare, define or import."""
    if is_docstring(statement) or isinstance(statement, _DEFINITIONS):
        return False
    quiet = isinstance(statement, _ASSIGNMENTS) or is_setting(statement) or _is_optional_import(statement)
    return not quiet or is_noisy(statement)


def _is_optional_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Try) and all(isinstance(s, ast.Import | ast.ImportFrom) for s in statement.body)


def _touches_outside(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _NOISY:
            return True
        case ast.Call(func=function, args=arguments):
            return _is_stream(function) or any(_is_stream(argument) for argument in arguments)
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            return _is_stream(iterable)
        case ast.Raise():
            return True
    return False


def _is_stream(node: ast.expr) -> bool:
    """`sys.stdin`, `sys.stdin.read`, `os._exit` and the like."""
    while isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in ("sys", "os"):
            return node.attr in _STREAMS or node.attr in ("_exit", "read", "write")
        node = node.value
    return False
