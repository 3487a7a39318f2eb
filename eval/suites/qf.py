"""QF-Small6: finance tasks, scripts that read data files and write result files.

The pack's paths are absolute (`/app/...`); here they are relative to the folder that a script runs in. The only visible
check is that the script ends well on the public files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.suites.data import data_folder
from auditcoder.records.task import Check, EntryPoint, Expected, FilesInput, Limits, Task, TextFile

NAME = "qf"
STATEMENT = "instruction.md"
TESTS = "tests_and_solution*.json"
LIMITS = Limits(cpu_seconds=20.0, memory_mb=2048)
SMALL6 = (
    "earnings-surprise-calculator", "interest-rate-cap-floor", "pca-factor-portfolio", "corporate-action-adjustment",
    "zero-coupon-bootstrapping", "historical-var-data-prep",
)  # fmt: skip
NEEDS = {
    "earnings-surprise-calculator": ("numpy",),
    "interest-rate-cap-floor": ("numpy", "scipy"),
    "pca-factor-portfolio": ("numpy", "sklearn"),
    "corporate-action-adjustment": ("numpy", "pandas"),
    "zero-coupon-bootstrapping": ("numpy",),
    "historical-var-data-prep": ("numpy", "pandas"),
    "historical-var": ("numpy",),
}
CLARIFIED = {
    "earnings-surprise-calculator": "The input file is an object; the list of companies is under its key `companies`.",
    "corporate-action-adjustment": "The file of actions is an object; the list is under its key `corporate_actions`.",
    "zero-coupon-bootstrapping": "Maturities may have gaps: a forward rate is that between neighbouring maturities.",
    "pca-factor-portfolio": "`target_weights` is a mapping by ticker; standard deviations are those of a sample.",
}
"""By task: what the statement leaves open, in our words, as part of the public task."""


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these names in their order, or the six; the pack's stand-in only by its name.

    Raises:
        TaskError: the data is absent or malformed, or a task is not there.
    """
    return tuple(_task(one, data_dir) for one in (SMALL6 if ids is None else ids))


def folder_of(task_id: str, data_dir: Path | str | None = None) -> Path:
    """Return the folder of a task.

    Raises:
        TaskError: there is none.
    """
    folder = data_folder(data_dir) / NAME
    if task_id not in NEEDS or not (folder / task_id / STATEMENT).is_file():
        hint = f"Tasks: {', '.join(sorted(NEEDS))}."
        raise TaskError(f"{folder}: there is no task {task_id}", hint=hint, field="id")
    return folder / task_id


def ids(data_dir: Path | str | None = None) -> tuple[str, ...]:
    """Return the six names.

    Raises:
        TaskError: the data is absent.
    """
    return tuple(one for one in SMALL6 if folder_of(one, data_dir))


def untested(data_dir: Path | str | None = None) -> Mapping[str, str]:
    """Return the tasks whose tests the pack does not hold, and why.

    Raises:
        TaskError: the data is absent.
    """
    return {one: "its tests are held out" for one in ids(data_dir) if not any(folder_of(one, data_dir).glob(TESTS))}


def local(text: str) -> str:
    """Return a text with its absolute paths made relative to the folder of the run."""
    return re.sub(r"/app(?![\w-])", ".", re.sub(r"/app/", "", text))


def statement(folder: Path) -> str:
    """Return the statement of a task as it was published.

    Raises:
        TaskError: it cannot be read.
    """
    return _text(folder / STATEMENT)


def given_files(folder: Path) -> tuple[TextFile, ...]:
    """Return the public input files of a task, named as its statement names them.

    Raises:
        TaskError: one cannot be read.
    """
    told = statement(folder)
    paths = sorted(path for path in (folder / "data").iterdir() if path.is_file())
    return tuple(
        TextFile(name=f"data/{path.name}" if f"/app/data/{path.name}" in told else path.name, text=_text(path))
        for path in paths
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise TaskError(f"{path}: benchmark data is not readable: {error}", file=str(path)) from error


def outputs(told: str) -> tuple[str, ...]:
    """Return the files that a statement wants written, in its order."""
    return tuple(dict.fromkeys(f"output/{name}" for name in re.findall(r"/app/output/([\w-]+\.\w+)", told)))


def _task(task_id: str, data_dir: Path | str | None) -> Task:
    folder = folder_of(task_id, data_dir)
    told, files = statement(folder), given_files(folder)
    parts = [
        local(told).strip(),
        CLARIFIED.get(task_id, ""),
        "Paths are relative to the folder that the script runs in.",
    ]
    runs = Check(
        id="example-1", input=FilesInput(files=files), expected=Expected(), note="ends well on the public files"
    )
    return Task(
        id=f"{NAME}-{task_id}",
        statement="\n\n".join(part for part in parts if part) + "\n",
        entry=EntryPoint(kind="script", outputs=outputs(told)),
        examples=(runs,),
        limits=LIMITS,
        files=files,
    )
