"""Which hidden tests say nothing that the visible checks do not say already."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites.assertions import shown_in
from auditcoder.records.task import CallsInput, Check, FunctionInput, ProgramInput, Task, UnittestInput
from auditcoder.records.values import Value, encode

_EQUAL = ("assertEqual", "assertEquals")


def without_visible(hidden: HiddenTests, task: Task) -> HiddenTests:
    """Return the hidden tests without those that equal visible checks: the primary score is made on the others.

    Equal are checks of the same input, however they are written: as a call, as an assertion or as a unit test. A task
    may have no test left; `judge` then finds that nothing is passed, and a score leaves such a task out.
    """
    seen = {fact for check in task.examples for fact in _facts(check, hidden.entry.name)}
    kept = tuple(check for check in hidden.checks if not _is_seen(check, hidden.entry.name, seen))
    return replace(hidden, checks=kept)


def _is_seen(check: Check, name: str, seen: set[str]) -> bool:
    facts = set(_facts(check, name))
    return bool(facts) and facts <= seen


def _facts(check: Check, name: str) -> Iterator[str]:
    """Yield texts that are equal for equal inputs."""
    given = check.input
    if isinstance(given, ProgramInput):
        yield " ".join(["stdin", *given.stdin.split()])
    elif isinstance(given, FunctionInput):
        yield _call(given.args)
    elif isinstance(given, CallsInput):
        calls = [[call.method, *(_plain(arg) for arg in call.args)] for call in given.calls]
        yield json.dumps(["calls", [_plain(arg) for arg in given.init], calls], sort_keys=True)
    elif isinstance(given, UnittestInput):
        for case in ast.parse(given.source).body:
            for test in case.body if isinstance(case, ast.ClassDef) else []:
                if isinstance(test, ast.FunctionDef) and test.name.startswith("test"):
                    yield from _asserted(test.body, name)


def _call(args: tuple[Value, ...]) -> str:
    return json.dumps(["call", *(_plain(arg) for arg in args)], sort_keys=True)


def _plain(value: Any) -> Any:
    """Return an encoded value with tuples as lists and whole floats as integers, as the comparison takes them."""
    if isinstance(value, dict):
        inner = _plain(value.get("v"))
        return inner if value.get("t") == "tuple" else {**value, "v": inner}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _asserted(body: list[ast.stmt], name: str) -> Iterator[str]:
    """Yield one text an assertion: what is done before it, and what it compares, with local names written out."""
    names: dict[str, ast.expr] = {}
    done: list[str] = []
    for node in body:
        whole = ast.parse(ast.unparse(_Inlined(names).visit(ast.parse(ast.unparse(node))))).body[0]
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(target, ast.Name) and isinstance(whole, ast.Assign):
            names[target.id] = whole.value
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            continue
        elif (said := _said(whole, name, done)) is not None:
            yield said
        else:
            done.append(ast.unparse(whole))


def _said(node: ast.stmt, name: str, done: list[str]) -> str | None:
    compared = _as_assert(node)
    if compared is None:
        return None
    shown = shown_in(compared, name)
    if shown is not None and not done:
        return _call(tuple(encode(arg) for arg in shown.args))
    return json.dumps(["said", done, ast.unparse(compared.test)])


def _as_assert(node: ast.stmt) -> ast.Assert | None:
    """Return an `assert` or `self.assert...` statement as an `assert`, a literal on the right; None for any other."""
    if isinstance(node, ast.Assert):
        return ast.Assert(node.test)
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr in _EQUAL and len(call.args) >= 2:
        left, right = call.args[:2]
        if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            left, right = right, left
        return ast.Assert(ast.Compare(left, [ast.Eq()], [right]))
    return ast.Assert(call) if call.func.attr.startswith("assert") else None


class _Inlined(ast.NodeTransformer):
    """Replaces names by the expressions that they were bound to."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._names.get(node.id, node) if isinstance(node.ctx, ast.Load) else node
