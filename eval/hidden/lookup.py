"""From the id of a task to its hidden tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.hidden.aerocomm import aerocomm_hidden
from auditcoder.eval.hidden.apps import apps_hidden
from auditcoder.eval.hidden.bigcodebench import bigcodebench_hidden
from auditcoder.eval.hidden.classeval import classeval_hidden
from auditcoder.eval.hidden.humaneval import humaneval_hidden, humanevalet_hidden, humanevalfix_hidden
from auditcoder.eval.hidden.livecodebench import livecodebench_hidden
from auditcoder.eval.hidden.mbpp import mbpp_hidden
from auditcoder.eval.hidden.qf import qf_hidden
from auditcoder.eval.hidden.quixbugs import quixbugs_hidden
from auditcoder.eval.hidden.scicode import scicode_hidden
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.records.task import Task

Builder = Callable[[str, Path | str | None], HiddenTests]
BUILDERS: Mapping[str, Builder] = {
    "aerocomm": aerocomm_hidden,
    "apps": lambda task_id, data_dir: apps_hidden(_number("apps", task_id), data_dir),
    "bigcodebench": bigcodebench_hidden,
    "classeval": classeval_hidden,
    "humaneval": lambda task_id, data_dir: humaneval_hidden(_number("humaneval", task_id), data_dir),
    "humanevalet": humanevalet_hidden,
    "humanevalfix": humanevalfix_hidden,
    "livecodebench": livecodebench_hidden,
    "mbpp": mbpp_hidden,
    "qf": qf_hidden,
    "quixbugs": quixbugs_hidden,
    "scicode": scicode_hidden,
}
"""By name of the suite: from a task's id within the suite to its hidden tests."""


def hidden_tests(task: Task, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the hidden tests of a task that a suite made.

    Raises:
        TaskError: the task is of no suite, the data is absent, or the tests of this task are not public.
    """
    suite, _, task_id = task.id.partition("-")
    if suite not in BUILDERS or not task_id:
        raise TaskError(f"{task.id}: there are no hidden tests for this task", field="id")
    return BUILDERS[suite](task_id, data_dir)


def _number(suite: str, task_id: str) -> int:
    if not task_id.isdecimal():
        raise TaskError(f"{suite}-{task_id}: there are no hidden tests for this task", field="id")
    return int(task_id)
