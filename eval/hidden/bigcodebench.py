"""Hidden tests of BigCodeBench: one check for every test method of its unit tests."""

from __future__ import annotations

import ast
from pathlib import Path

from auditcoder.eval.hidden.classeval import single_tests
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import bigcodebench
from auditcoder.eval.suites.data import data_folder, field, found
from auditcoder.records.task import EntryPoint


def bigcodebench_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the tests of a BigCodeBench task."""
    folder = data_folder(data_dir) / bigcodebench.NAME
    row = found(bigcodebench.rows(folder), task_id, folder)
    source = field(row, "test", str, folder)
    cases = [node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    entry = EntryPoint(kind="function", name=field(row, "entry_point", str, folder))
    return HiddenTests(f"{bigcodebench.NAME}-{task_id}", entry, tuple(single_tests(source, cases)))
