"""Hidden tests of LiveCodeBench: the private test cases."""

from __future__ import annotations

from pathlib import Path

from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import livecodebench
from auditcoder.eval.suites.data import data_folder, field, found


def livecodebench_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the public and the private test cases of a question: a program is scored on both."""
    folder = data_folder(data_dir) / livecodebench.NAME
    row = found(livecodebench.rows(folder), task_id, folder)
    fields = ("public_test_cases", "private_test_cases")
    cases = [case for name in fields for case in livecodebench.cases_in(field(row, name, str, folder), folder)]
    checks = tuple(
        livecodebench.check_of(f"hidden-{number}", case, row, folder) for number, case in enumerate(cases, start=1)
    )
    return HiddenTests(f"{livecodebench.NAME}-{task_id}", livecodebench.entry_of(row, folder), checks)
