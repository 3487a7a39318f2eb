"""Where benchmark data lives, and its rows. Data is never part of the project: a folder is named by the user."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from auditcoder.errors import TaskError

VARIABLE = "AUDITCODER_DATA"
Row = dict[str, Any]
"""One object of a pack's file. Readers do not change it: rows are kept for the next one who asks."""
T = TypeVar("T")


def data_folder(data_dir: Path | str | None) -> Path:
    """Return the folder with the benchmark packs: the argument, else the one that `AUDITCODER_DATA` names.

    Raises:
        TaskError: neither is given, or there is no such folder.
    """
    named = str(data_dir) if data_dir is not None else os.environ.get(VARIABLE, "")
    if not named:
        hint = f"Set {VARIABLE} to the folder that holds the packs, such as `apps` and `humaneval`, or give --data."
        raise TaskError("no folder with benchmark data is named", hint=hint, field=VARIABLE)
    folder = Path(named)
    if not folder.is_dir():
        raise TaskError(f"{folder}: no such folder", hint=f"Check {VARIABLE}.", file=str(folder))
    return folder


def read_rows(path: Path) -> list[Row]:
    """Return the objects of a JSON lines file, plain or gzipped, or of a file that is one JSON list.

    Raises:
        TaskError: the file is absent or malformed.
    """
    try:
        facts = path.stat()
        return list(_rows(path, facts.st_mtime_ns, facts.st_size))
    except FileNotFoundError as error:
        hint = f"{VARIABLE} must name the folder above `{path.parent.name}`."
        raise TaskError(f"{path}: benchmark data is absent", hint=hint, file=str(path)) from error
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise TaskError(f"{path}: benchmark data is not readable: {error}", file=str(path)) from error


@lru_cache(maxsize=12)
def _rows(path: Path, changed: int, size: int) -> tuple[Row, ...]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    if path.name.endswith(".json"):
        rows = json.loads(text)
        if not isinstance(rows, list):
            raise TaskError(f"{path}: expected a list of objects", file=str(path))
    else:
        rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise TaskError(f"{path}: line {number}: expected an object", file=str(path))
    return tuple(rows)


def pack_files(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a pack whose names fit, sorted: a pack may come in parts.

    Raises:
        TaskError: there is none.
    """
    found = sorted(folder.glob(pattern))
    if not found:
        hint = f"{VARIABLE} must name the folder above `{folder.name}`."
        raise TaskError(f"{folder / pattern}: benchmark data is absent", hint=hint, file=str(folder))
    return found


def field(row: Mapping[str, Any], name: str, kind: type[Any], path: Path) -> Any:
    """Return a field of a row.

    Raises:
        TaskError: it is missing or of another type.
    """
    value = row.get(name)
    if not isinstance(value, kind):
        raise TaskError(f"{path}: field {name!r}: expected {kind.__name__}", file=str(path), field=name)
    return value


def texts(row: Mapping[str, Any], name: str, path: Path) -> list[str]:
    """Return a field of a row that is a list of texts.

    Raises:
        TaskError: it is missing, no list, or something else is in it.
    """
    found: list[str] = field(row, name, list, path)
    if not all(isinstance(one, str) for one in found):
        raise TaskError(f"{path}: field {name!r}: expected a list of texts", file=str(path), field=name)
    return found


def picked(rows: Mapping[str, T], ids: Sequence[str] | None, path: Path) -> list[tuple[str, T]]:
    """Return the rows with these ids in their order, or all of them, each with its id.

    Raises:
        TaskError: an id is not there.
    """
    return [(one, found(rows, one, path)) for one in (rows if ids is None else ids)]


def found(rows: Mapping[str, T], task_id: str, path: Path) -> T:
    """Return one row.

    Raises:
        TaskError: the id is not there.
    """
    if task_id not in rows:
        known = ", ".join(list(rows)[:5])
        raise TaskError(
            f"{path}: there is no task {task_id}", hint=f"{len(rows)} tasks are there: {known}, ...", field="id"
        )
    return rows[task_id]
