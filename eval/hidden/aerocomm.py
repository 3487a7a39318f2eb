"""Hidden tests of AeroComm-Small8: nominal, boundary, vectorised, dtype, invalid-input and tolerance cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditcoder.eval.hidden.assertions import unittest_check
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites.aerocomm.primitive import Case
from auditcoder.eval.suites.aerocomm.suite import NAME, PRIMITIVES, call_check
from auditcoder.eval.suites.data import found
from auditcoder.records.task import Check, EntryPoint


def aerocomm_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the hidden cases of a primitive, each named by its kind."""
    primitive = found(PRIMITIVES, task_id, Path(NAME))
    checks = tuple(
        _check(f"hidden-{number}-{case.kind}", primitive.name, case)
        for number, case in enumerate(primitive.hidden, start=1)
    )
    return HiddenTests(f"{NAME}-{task_id}", EntryPoint(kind="function", name=primitive.name), checks)


def _check(check_id: str, name: str, case: Case) -> Check:
    call = f"{name}({', '.join(map(_written, case.args))})"
    if case.refused:
        return unittest_check(check_id, _case(f"with self.assertRaises(ValueError):\n            {call}"))
    if case.holds:
        return unittest_check(check_id, _case(f"result = {call}\n        self.assertTrue({case.holds})"))
    return call_check(check_id, case)


def _case(body: str) -> str:
    return f"import unittest\n\n\nclass HiddenCheck(unittest.TestCase):\n    def test_check(self):\n        {body}\n"


def _written(value: Any) -> str:
    """Return an argument as source: `repr`, but for floats that it cannot write."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float) and repr(value) in ("inf", "-inf", "nan"):
        return f"float('{value!r}')"
    return repr(value)
