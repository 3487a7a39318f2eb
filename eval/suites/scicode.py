"""SciCode, eight first steps of scientific problems: one function each, without visible checks.

The published test cases call the function with the inputs that are scored; so nothing of them is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.suites.assertions import function_in, signature
from auditcoder.eval.suites.data import Row, data_folder, field, picked, read_rows
from auditcoder.records.task import EntryPoint, Limits, Task

NAME = "scicode"
STEPS = "steps8.jsonl"
TARGETS = "targets_*.jsonl"
LIMITS = Limits(cpu_seconds=20.0, memory_mb=2048)
DEFECTIVE = {
    "28.1": "the statement leaves amplitude, sampling and grid open, and no published program confirms the targets",
    "37.1": "a formula is misprinted and a parameter unused, and no published program confirms the targets",
}
CLARIFIED = {"45.1": "The arrays are indexed [time, y, x] and [y, x]: Ny rows, Nx columns."}
"""By step: what the statement says otherwise than its targets, in our words, as part of the public task."""
_MOVED = {"from scipy.integrate import simps": "from scipy.integrate import simpson as simps"}
"""Imports that newer versions of a library refuse."""


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the steps with these names (`13.1`) in their order, or all of the pack.

    Raises:
        TaskError: the data is absent or malformed, or a step is not there.
    """
    path = data_folder(data_dir) / NAME / STEPS
    return tuple(_task(step, row, path) for step, row in picked(rows(path), ids, path))


def rows(path: Path) -> dict[str, Row]:
    """Return the rows by step. Inputs of hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {field(row, "step", str, path): row for row in read_rows(path)}


def targets(folder: Path) -> dict[str, dict[int, Row]]:
    """Return the expected values that the pack holds, by step and by number of the test. Only for eval.

    Raises:
        TaskError: the data is malformed.
    """
    found: dict[str, dict[int, Row]] = {}
    for path in sorted(folder.glob(TARGETS)):
        for row in read_rows(path):
            found.setdefault(field(row, "step", str, path), {})[field(row, "test", int, path)] = row
    return found


def untested(data_dir: Path | str | None = None) -> Mapping[str, str]:
    """Return the steps whose targets the pack does not hold, and why.

    Raises:
        TaskError: the data is absent or malformed.
    """
    folder = data_folder(data_dir) / NAME
    known = targets(folder)
    return {step: "its targets are held out" for step in rows(folder / STEPS) if step not in known}


def dependencies(row: Row, path: Path) -> str:
    """Return the imports that a step prescribes, as present versions of the libraries know them."""
    lines: list[str] = field(row, "required_dependencies", str, path).strip().splitlines()
    return "\n".join(_MOVED.get(line.strip(), line.rstrip()) for line in lines)


def entry_name(row: Row, path: Path) -> str:
    """Return the name of the function of a step.

    Raises:
        TaskError: its header has none.
    """
    header: str = field(row, "function_header", str, path)
    name = header.strip().removeprefix("def ").partition("(")[0].strip()
    if not name.isidentifier():
        raise TaskError(f"{path}: function header without a name: {header[:60]!r}", file=str(path))
    return name


def _task(step: str, row: Row, path: Path) -> Task:
    name, header = entry_name(row, path), field(row, "function_header", str, path).rstrip()
    told = [field(row, "step_description_prompt", str, path), str(row.get("step_background") or "")]
    told.append(CLARIFIED.get(step, ""))
    description = "\n\n".join(text.strip() for text in told if text.strip())
    function = function_in(f"{header}\n    pass\n", name)
    return Task(
        id=f"{NAME}-{step}",
        statement=f"{description}\n\nWrite this function:\n\n```python\n{header}\n```\n",
        entry=EntryPoint(kind="function", name=name, signature=signature(function, name, [])),
        limits=LIMITS,
        prelude=dependencies(row, path),
    )
