"""Hidden tests of ClassEval: one check for every test method of the published test cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auditcoder.eval.containment.classeval import unit_checks
from auditcoder.eval.hidden.assertions import unittest_check
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import classeval
from auditcoder.eval.suites.data import data_folder, field, found, texts
from auditcoder.records.task import Check, EntryPoint

JOINED = frozenset({"25"})
"""Tasks whose tests read files that earlier ones wrote: all tests are one check."""


def classeval_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the tests of a ClassEval task; blanks around the names of test cases are a fault of the list."""
    folder = data_folder(data_dir) / classeval.NAME
    row = found(classeval.rows(folder), task_id, folder)
    cases = [case.strip() for case in texts(row, "test_classes", folder)]
    source = field(row, "test", str, folder)
    checks = (unittest_check("hidden-1", source),) if task_id in JOINED else tuple(single_tests(source, cases))
    entry = EntryPoint(kind="class", name=field(row, "class_name", str, folder))
    return HiddenTests(f"{classeval.NAME}-{task_id}", entry, checks)


def single_tests(source: str, cases: list[str]) -> Iterator[Check]:
    """Yield one check for every test method of the named test cases."""
    for number, check in enumerate(unit_checks(_placed(source), cases), start=1):
        yield check.model_copy(update={"id": f"hidden-{number}-{check.id}", "origin": "example"})


def _placed(source: str) -> str:
    """Return the tests with a place of their own, which they take for the folder of their files."""
    return f'__file__ = "hidden_test.py"\n{source}' if "__file__" in source else source
