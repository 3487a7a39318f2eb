"""HumanEval with the assertions of HumanEval-ET as hidden tests: the same tasks under another name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites import humaneval
from auditcoder.eval.suites.data import Row, data_folder, field, picked, read_rows
from auditcoder.records.task import Task

NAME = "humanevalet"
TESTS = "HumanEvalET.jsonl"
DEFECTIVE = {
    "2": "the tests compare floats with == against another way of computing them",
    "39": "one test takes a right program longer than the limit",
}


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the HumanEval tasks with these numbers in their order, or all that have such tests.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    folder = data_folder(data_dir) / "humaneval"
    numbers = [int(number) for number, _ in picked(rows(folder), ids, folder / TESTS)]
    tasks = humaneval.load(numbers, data_dir)
    return tuple(task.model_copy(update={"id": f"{NAME}-{task.id.rpartition('-')[2]}"}) for task in tasks)


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by number. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    path = folder / TESTS
    return {str(int(field(row, "task_id", str, path).rpartition("/")[2])): row for row in read_rows(path)}
