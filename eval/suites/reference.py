"""Names of benchmark tasks on the command line: `apps:1613`, `humaneval:56`, several as `apps:1613,1616`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.suites import apps, humaneval
from auditcoder.records.task import Task

Loader = Callable[[Sequence[int] | None, Path | str | None], tuple[Task, ...]]
SUITES: dict[str, Loader] = {"apps": apps.load, "humaneval": humaneval.load}
_SHAPE = re.compile(r"([a-z]+):(all|\d{1,6}(?:,\d{1,6})*)")


def is_reference(text: str) -> bool:
    """Return whether a text is meant as a reference: it begins with the name of a suite and a colon."""
    return text.partition(":")[0] in SUITES and ":" in text


def resolve(reference: str, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks of a reference, visible examples only.

    Raises:
        TaskError: the reference is malformed, the data is absent, or a task is not there.
    """
    match = _SHAPE.fullmatch(reference.strip())
    if match is None or match[1] not in SUITES:
        known = ", ".join(f"{name}:<number>" for name in sorted(SUITES))
        raise TaskError(f"{reference!r} is no task reference", hint=f"Write {known}, or {min(SUITES)}:all.")
    ids = None if match[2] == "all" else [int(number) for number in match[2].split(",")]
    return SUITES[match[1]](ids, data_dir)
