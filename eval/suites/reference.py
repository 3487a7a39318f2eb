"""Names of benchmark tasks on the command line: `apps:1613`, `quixbugs:gcd`, several as `apps:1613,1616`."""

from __future__ import annotations

import re
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.suites.registry import SUITES
from auditcoder.records.task import Task

_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
_SHAPE = re.compile(rf"([a-z0-9]+):(all|{_ID}(?:,{_ID})*)")


def is_reference(text: str) -> bool:
    """Return whether a text is meant as a reference: it begins with the name of a suite and a colon."""
    return text.partition(":")[0] in SUITES and ":" in text


def resolve(reference: str, data_dir: Path | str | None = None, *, include_defective: bool = False) -> tuple[Task, ...]:
    """Return the tasks of a reference, visible examples only.

    `all` leaves out what has no public tests, and known defective tasks unless they are asked for; a task that is
    named is always given.

    Raises:
        TaskError: the reference is malformed, the data is absent, or a task is not there.
    """
    match = _SHAPE.fullmatch(reference.strip())
    if match is None or match[1] not in SUITES:
        known = ", ".join(f"{name}:<id>" for name in sorted(SUITES))
        raise TaskError(f"{reference!r} is no task reference", hint=f"Write {known}, or {min(SUITES)}:all.")
    suite = SUITES[match[1]]
    if match[2] == "all":
        return suite.load(suite.chosen(data_dir, include_defective=include_defective), data_dir)
    return suite.load(match[2].split(","), data_dir)
