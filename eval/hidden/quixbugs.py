"""Hidden tests of QuixBugs: the published cases, and for programs over graphs the published test functions."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from auditcoder.eval.hidden.assertions import unittest_check
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import quixbugs
from auditcoder.eval.suites.assertions import function_in
from auditcoder.eval.suites.data import Row, data_folder, field, found
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput
from auditcoder.records.values import encode

TOLERANCE_ARGUMENT = {"sqrt": 1}
"""Functions that are given the accuracy of their result: the place of that argument."""
_PLAIN = """
def plain(value):
    if isinstance(value, (int, float, str, bytes, dict, set, type(None))):
        return value
    return [plain(item) for item in value]
"""


def quixbugs_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the tests of a QuixBugs task; cases that take a right program minutes are left out."""
    folder = data_folder(data_dir) / quixbugs.NAME
    row = found(quixbugs.rows(folder), task_id, folder)
    checks = _cases(task_id, row, folder) if row.get("test_cases") else _functions(row, folder)
    return HiddenTests(f"{quixbugs.NAME}-{task_id}", EntryPoint(kind="function", name=task_id), tuple(checks))


def _cases(name: str, row: Row, folder: Path) -> list[Check]:
    slow = row.get("slow_cases") or []
    cases = field(row, "test_cases", list, folder)
    function = function_in(field(row, "correct", str, folder), name)
    generator = function is not None and quixbugs.yields(function)
    made = []
    for place, (given, expected) in enumerate(cases):
        args = given if isinstance(given, list) else [given]
        check_id = f"hidden-{place + 1}"
        if place not in slow:
            made.append(
                _listed(check_id, name, args, expected) if generator else _called(check_id, name, args, expected)
            )
    return made


def _called(check_id: str, name: str, args: list[Any], expected: Any) -> Check:
    place = TOLERANCE_ARGUMENT.get(name)
    loose = Comparator(rel_tol=0, abs_tol=float(args[place])) if place is not None else Comparator(bool_is_int=True)
    return Check(
        id=check_id,
        input=FunctionInput(args=tuple(encode(arg) for arg in args)),
        expected=Expected(value=encode(expected), has_value=True),
        comparator=loose,
    )


def _listed(check_id: str, name: str, args: list[Any], expected: Any) -> Check:
    """Return the check of a generator: what it yields, as a list."""
    call = f"{name}({', '.join(map(repr, args))})"
    source = (
        f"import unittest\n{_PLAIN}\n\nclass HiddenCheck(unittest.TestCase):\n"
        f"    def test_check(self):\n        self.assertEqual(plain({call}), {expected!r})\n"
    )
    return unittest_check(check_id, source)


def _functions(row: Row, folder: Path) -> list[Check]:
    """Return one check for every published test function; what picks the faulty or right package is taken out."""
    body = ast.parse(field(row, "pytest", str, folder)).body
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    around = [node for node in body if node not in tests and not isinstance(node, ast.Import | ast.ImportFrom | ast.If)]
    node_class = str(row.get("node_module") or "")
    before = f"import unittest\n\n{node_class}\n\n{ast.unparse(ast.Module(around, []))}\n"
    made = []
    for number, test in enumerate(tests, start=1):
        lines = "\n".join(f"        {line}" for node in test.body for line in ast.unparse(node).splitlines())
        source = f"{before}\n\nclass HiddenCheck(unittest.TestCase):\n    def test_check(self):\n{lines}\n"
        made.append(unittest_check(f"hidden-{number}", source))
    return made
