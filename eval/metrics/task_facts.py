"""What kind of task a task is: its suite, difficulty and problem type."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from auditcoder.errors import ConfigError
from auditcoder.eval.metrics.row import TaskFacts
from auditcoder.eval.suites import apps
from auditcoder.eval.suites.data import data_folder
from auditcoder.records.task import Task

OWN = "own"
"""Suite of a task that is of none."""


class TaskKinds:
    """Looks tasks up. The packs tell the difficulty of APPS tasks alone, and no problem type.

    Args:
        data: Folder with the packs; where the environment says without it.
        types: Problem type by task id, as somebody assigned it.
    """

    def __init__(self, data: str = "", types: dict[str, str] | None = None) -> None:
        self._data, self._types = data, types or {}

    def __call__(self, task: Task) -> TaskFacts:
        """Return the facts of a task.

        Raises:
            TaskError: it is an APPS task, and the pack is absent or malformed.
        """
        suite, _, rest = task.id.partition("-")
        difficulty = _apps_levels(self._data).get(rest, "") if suite == "apps" else ""
        kind = self._types.get(task.id, "")
        return TaskFacts(suite=suite if rest else OWN, task=task.id, difficulty=difficulty, problem_type=kind)


def read_types(path: Path) -> dict[str, str]:
    """Return problem types by task id from a JSON object.

    Raises:
        ConfigError: it is none, or cannot be read.
    """
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="It is a JSON object: task id to type.") from error
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(f"{path} is no object of texts", hint="It is a JSON object: task id to type.")
    return found


@lru_cache(maxsize=4)
def _apps_levels(data: str) -> dict[str, str]:
    rows = apps.rows_by_id(data_folder(data or None) / "apps")
    return {str(number): str(row.get("difficulty", "")) for number, row in rows.items()}
