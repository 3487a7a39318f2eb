"""Hidden tests of MBPP: all assertions of a task, one check each."""

from __future__ import annotations

from pathlib import Path

from auditcoder.eval.hidden.assertions import split_test
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import mbpp
from auditcoder.eval.suites.data import data_folder, field, found
from auditcoder.records.task import EntryPoint


def mbpp_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the test of an MBPP task, one check an assertion."""
    path = data_folder(data_dir) / mbpp.NAME / mbpp.FILE
    row = found(mbpp.rows(path), task_id, path)
    name = field(row, "entry_point", str, path)
    checks = split_test(field(row, "test", str, path), name)
    return HiddenTests(f"{mbpp.NAME}-{task_id}", EntryPoint(kind="function", name=name), checks)
