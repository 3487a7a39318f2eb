"""Hidden tests of SciCode: the published cases against the targets of the pack, compared as `numpy.allclose` does."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.hidden.assertions import unittest_check
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import scicode
from auditcoder.eval.suites.data import Row, data_folder, field, found, texts
from auditcoder.records.task import Check, EntryPoint

_OWN_MODULE = "scicode"
_HELPERS = """
import json
import unittest

import numpy as np


def array_or_parts(value):
    try:
        return np.array(value)
    except ValueError:
        return [np.array(part) for part in value]


def cmp_tuple_or_list(one, other):
    return len(one) == len(other) and all(np.allclose(a, b) for a, b in zip(one, other))


def fits_samples(result, parts):
    if len(result) != len(parts):
        return False
    for array, part in zip(map(np.asarray, result), parts):
        if list(array.shape) != part["shape"]:
            return False
        spread = array.size * (1e-8 + 1e-5 * part["max_abs"])
        seen = [array[tuple(place)] for place in part["indices"]]
        good = np.allclose(seen, part["values"]) and abs(array.sum() - part["sum"]) <= spread
        if not (good and np.isclose(np.abs(array).max(), part["max_abs"])):
            return False
    return True
"""


def scicode_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the tests of a step.

    Raises:
        TaskError: the step is unknown, or the pack does not hold its targets.
    """
    path = data_folder(data_dir) / scicode.NAME / scicode.STEPS
    row = found(scicode.rows(path), task_id, path)
    targets = scicode.targets(path.parent).get(task_id)
    if not targets:
        raise TaskError(f"{scicode.NAME}-{task_id}: its targets are held out", field="id")
    cases = texts(row, "test_cases", path)
    head = f"{scicode.dependencies(row, path)}\n{_HELPERS}"
    checks = tuple(_check(place, cases[place], target, head, path) for place, target in sorted(targets.items()))
    entry = EntryPoint(kind="function", name=scicode.entry_name(row, path))
    return HiddenTests(f"{scicode.NAME}-{task_id}", entry, checks)


def _check(place: int, case: str, target: Row, head: str, path: Path) -> Check:
    sampled = target.get("kind") == "sampled"
    value = field(target, "components", list, path) if sampled else target.get("value")
    tree = ast.parse(case)
    body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and _is_own(node))]
    if sampled:
        body = [_Sampled().visit(node) for node in body]
    lines = "\n".join(f"        {line}" for node in body for line in ast.unparse(node).splitlines())
    read = f"json.loads({json.dumps(value)!r})"
    source = (
        f"{head}\n\nclass HiddenCheck(unittest.TestCase):\n    def test_check(self):\n"
        f"        target = {read if sampled else f'array_or_parts({read})'}\n{lines}\n"
    )
    return unittest_check(f"hidden-{place + 1}", source)


def _is_own(node: ast.ImportFrom) -> bool:
    return (node.module or "").partition(".")[0] == _OWN_MODULE


class _Sampled(ast.NodeTransformer):
    """Turns `np.allclose(result, target)` into a comparison with samples of a large target."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        compares = isinstance(node.func, ast.Attribute) and node.func.attr == "allclose"
        if compares and any(isinstance(part, ast.Name) and part.id == "target" for part in node.args):
            return ast.Call(ast.Name("fits_samples", ast.Load()), node.args, [])
        return node
