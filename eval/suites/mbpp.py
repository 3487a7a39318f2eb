"""MBPP, the 500 tasks of its test split in the form with prompts; the first assertion is visible.

The other forms of the pack have other names and expected values in many tasks and are not mixed with this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites.assertions import before, checks_of, function_in, shown_by, signature
from auditcoder.eval.suites.data import Row, data_folder, field, picked, read_rows, texts
from auditcoder.records.task import EntryPoint, Task

NAME = "mbpp"
FILE = "ldb-tests.jsonl"
DEFECTIVE = {
    "56": "the function is named as the published test function, which overwrites it",
    "349": "the function is named as the published test function, which overwrites it",
    "436": "the reference prints what the test wants returned",
    "123": "the reference is at the limit of time",
}


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these numbers in their order, or all of the pack.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    path = data_folder(data_dir) / NAME / FILE
    return tuple(_task(number, row, path) for number, row in picked(rows(path), ids, path))


def rows(path: Path) -> dict[str, Row]:
    """Return the rows by number. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {field(row, "task_id", str, path).rpartition("/")[2]: row for row in read_rows(path)}


def _task(number: str, row: Row, path: Path) -> Task:
    prompt, name = field(row, "prompt", str, path), field(row, "entry_point", str, path)
    function = function_in(prompt, name)
    shown = [found for text in texts(row, "given_tests", path) if (found := shown_by(text, name))]
    return Task(
        id=f"{NAME}-{number}",
        statement=f"Write the function `{name}` that this text describes.\n\n```python\n{prompt.strip()}\n```\n",
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, shown)),
        examples=checks_of(shown),
        prelude=before(prompt, function) if function else "",
    )
