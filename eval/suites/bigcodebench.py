"""BigCodeBench, read from its published JSON lines: functions with a docstring, often over libraries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites.assertions import before, checks_of, function_in, shown_in_text, signature
from auditcoder.eval.suites.data import Row, data_folder, field, pack_files, picked, read_rows
from auditcoder.records.task import EntryPoint, Limits, Task

NAME = "bigcodebench"
FILES = "*.jsonl*"
LIMITS = Limits(cpu_seconds=10.0, memory_mb=2048)


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these numbers in their order, or all; visible are literal examples of the docstring.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    folder = data_folder(data_dir) / NAME
    return tuple(_task(number, row, folder) for number, row in picked(rows(folder), ids, folder))


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by number. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {
        field(row, "task_id", str, path).rpartition("/")[2]: row
        for path in pack_files(folder, FILES)
        for row in read_rows(path)
    }


def needs(task_id: str, data_dir: Path | str | None = None) -> tuple[str, ...]:
    """Return the modules that a task imports, by its own list; none where it is not readable."""
    told = rows(data_folder(data_dir) / NAME).get(task_id, {}).get("libs", "[]")
    try:
        names = ast.literal_eval(told) if isinstance(told, str) else told
    except (SyntaxError, ValueError):
        return ()
    return tuple(str(name).partition(".")[0] for name in names) if isinstance(names, list) else ()


def _task(number: str, row: Row, folder: Path) -> Task:
    prompt, name = field(row, "complete_prompt", str, folder), field(row, "entry_point", str, folder)
    function = function_in(prompt, name)
    shown = shown_in_text(ast.get_docstring(function) or "", name) if function else []
    return Task(
        id=f"{NAME}-{number}",
        statement=f"Write the function `{name}` that this text describes.\n\n```python\n{prompt.strip()}\n```\n",
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, shown)),
        examples=checks_of(shown),
        limits=LIMITS,
        prelude=before(prompt, function) if function else "",
    )
