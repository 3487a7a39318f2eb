"""Runs `unittest` source against a program's module.

The tests and the program share a process, so a program that is written to attack the tests can forge their result.
What is done here keeps out accidents and the simple tricks: what the program patched is put back before the tests run,
its own `__eq__` is not trusted across types, and a test counts only when it is reported as passed by name, which the
supervisor compares with its own reading of the source.
"""

from __future__ import annotations

import builtins
import json
import sys
import types
import unittest
import unittest.case
import unittest.loader
import unittest.result
import unittest.suite
import unittest.util
from typing import Any

from auditcoder.sandbox.worker import faults

globals()["__builtins__"] = dict(vars(builtins))

_GUARDED: tuple[Any, ...] = (
    builtins, json, unittest, unittest.case, unittest.suite, unittest.loader, unittest.result, unittest.util,
    unittest.case._Outcome,  # type: ignore[attr-defined]
    unittest.TestCase, unittest.TestSuite, unittest.BaseTestSuite, unittest.TestLoader, unittest.TestResult,
)  # fmt: skip
_PAIRS = 10_000


class Pristine:
    """The test library and the built-ins as they were before the program ran."""

    def __init__(self) -> None:
        self._modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "unittest"}
        self._states = [(item, dict(vars(item))) for item in _GUARDED]

    def restore(self) -> None:
        """Undo every change to them."""
        sys.modules.update(self._modules)
        for item, state in self._states:
            for name in [name for name in vars(item) if name not in state]:
                delattr(item, name)
            for name, value in state.items():
                if vars(item).get(name) is not value:
                    setattr(item, name, value)


class _Result(unittest.TestResult):
    """Counts, and keeps the names of the tests that ended well and the first bad test."""

    def __init__(self) -> None:
        super().__init__()
        self.bad = 0
        self.first: dict[str, Any] | None = None
        self.names: list[str] = []

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        self._good(test)

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._good(test)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self._good(test)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self._note(test, err[1], failed=False)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._note(test, err[1], failed=True)

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self._note(test, AssertionError("unexpected success"), failed=True)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            self._note(subtest, err[1], failed=issubclass(err[0], AssertionError))

    def _good(self, test: Any) -> None:
        test = getattr(test, "test_case", test)  # a skipped sub-test ends its test without another word
        self.names.append(f"{type(test).__name__}.{getattr(test, '_testMethodName', '')}"[:200])

    def _note(self, test: Any, error: BaseException, *, failed: bool) -> None:
        self.bad += 1
        if self.first is None:
            fault = faults.describe(error)
            self.first = {"test": str(test.id())[:200], "failed": failed, "x": fault}


def run(source: str, module: types.ModuleType) -> dict[str, Any]:
    """Return the counts and the first bad test of a run of all test cases in the source."""
    tests = types.ModuleType("solution_tests")
    tests.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
    tests.__dict__.update(__builtins__=builtins, unittest=unittest)
    sys.modules["solution_tests"] = tests
    result = _Result()
    _distrust_equality()
    try:
        exec(compile(source, "<tests>", "exec", dont_inherit=True), tests.__dict__)
    except BaseException as error:
        first = {"test": "", "failed": False, "x": faults.describe(error)}
        return {"ran": 0, "skipped": 0, "bad": 1, "names": [], "first": first}
    for case in _cases(tests, module):
        unittest.TestLoader().loadTestsFromTestCase(case).run(result)
    counts = {"ran": result.testsRun, "skipped": len(result.skipped), "bad": result.bad}
    return {**counts, "names": result.names, "first": result.first}


def _cases(tests: types.ModuleType, module: types.ModuleType) -> list[type[unittest.TestCase]]:
    """Return the test cases that the test source defines, not those of the program."""
    own = set(map(id, vars(module).values()))
    return [
        value
        for value in vars(tests).values()
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and id(value) not in own
    ]


def _distrust_equality() -> None:
    plain = unittest.TestCase.assertEqual

    def assert_equal(self: unittest.TestCase, first: Any, second: Any, msg: Any = None) -> None:
        if _lookalike([(first, second)]):
            self.fail("equal only by the program's own __eq__, to a value of another type")
        plain(self, first, second, msg)

    unittest.TestCase.assertEqual = assert_equal  # type: ignore[method-assign]


def _lookalike(pairs: list[tuple[Any, Any]]) -> bool:
    """Return whether, anywhere inside, values of two types would be compared by an `__eq__` of generated code."""
    budget = _PAIRS
    while pairs and budget:
        budget -= 1
        left, right = pairs.pop()
        kinds = type(left), type(right)
        if kinds[0] in (list, tuple) and kinds[1] in (list, tuple):
            pairs += zip(left, right, strict=False)
        elif kinds[0] is dict and kinds[1] is dict:
            pairs += [(left[key], right[key]) for key in right if key in left]
        elif kinds[0] is not kinds[1] and any(_own_equality(kind) for kind in kinds):
            return True
    return False


def _own_equality(kind: type) -> bool:
    for base in type.__dict__["__mro__"].__get__(kind):
        method = vars(base).get("__eq__")
        if method is not None:
            code = getattr(method, "__code__", None)
            return code is not None and code.co_filename == faults.SENTINEL
    return False
