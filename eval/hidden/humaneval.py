"""Hidden tests of the HumanEval family: the official assertions, those of HumanEval-ET, those of HumanEvalFix."""

from __future__ import annotations

from pathlib import Path

from auditcoder.eval.hidden.assertions import assertion_check, is_closed, split_test
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import humaneval, humanevalet, humanevalfix
from auditcoder.eval.suites.assertions import call_check, names_bound, shown_by
from auditcoder.eval.suites.data import data_folder, field, found, texts
from auditcoder.records.task import Check, EntryPoint


def humaneval_hidden(number: int, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the official test of a HumanEval task, one check an assertion."""
    folder = data_folder(data_dir) / "humaneval"
    path = folder / humaneval.OFFICIAL
    row = humaneval.row_of(humaneval.rows_by_number(path), number, folder)
    name = field(row, "entry_point", str, path)
    checks = split_test(field(row, "test", str, path), name)
    return HiddenTests(f"humaneval-{number}", EntryPoint(kind="function", name=name), checks)


def humanevalet_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the assertions of HumanEval-ET, literal calls as calls that are compared outside.

    Assertions with names that are defined nowhere are left out: no program can pass them.
    """
    folder = data_folder(data_dir) / "humaneval"
    path = folder / humanevalet.TESTS
    row = found(humanevalet.rows(folder), task_id, path)
    name = field(row, "entry_point", str, path)
    known = names_bound(field(row, "prompt", str, path))
    closed = [text for text in texts(row, "test_case_list", path) if is_closed(text, known)]
    checks = tuple(_check(f"hidden-{number}", text, name) for number, text in enumerate(closed, start=1))
    return HiddenTests(f"{humanevalet.NAME}-{task_id}", EntryPoint(kind="function", name=name), checks)


def _check(check_id: str, assertion: str, name: str) -> Check:
    shown = shown_by(assertion, name)
    return assertion_check(check_id, assertion.strip()) if shown is None else call_check(check_id, shown)


def humanevalfix_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the test of a HumanEvalFix task, one check an assertion."""
    folder = data_folder(data_dir) / humanevalfix.NAME
    row = found(humanevalfix.rows(folder), task_id, folder)
    name = field(row, "entry_point", str, folder)
    checks = split_test(field(row, "test", str, folder), name)
    return HiddenTests(f"{humanevalfix.NAME}-{task_id}", EntryPoint(kind="function", name=name), checks)
