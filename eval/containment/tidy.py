"""Units in the one form of the study: no docstring, written by `ast.unparse`."""

from __future__ import annotations

import ast


def tidy(function: ast.FunctionDef) -> str:
    """Return the text of a function without its docstring."""
    return ast.unparse(bare(function))


def bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function without its docstring; one that has nothing else keeps a `pass`."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    copied = ast.parse(ast.unparse(function)).body[0]
    assert isinstance(copied, ast.FunctionDef)
    copied.body = body or [ast.Pass()]
    return copied
