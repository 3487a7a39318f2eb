"""Where benchmark data lives, and its rows. Data is never part of the project: a folder is named by the user."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

from auditcoder.errors import TaskError

VARIABLE = "AUDITCODER_DATA"


def data_folder(data_dir: Path | str | None) -> Path:
    """Return the folder with the benchmark packs: the argument, else the one that `AUDITCODER_DATA` names.

    Raises:
        TaskError: neither is given, or there is no such folder.
    """
    named = str(data_dir) if data_dir is not None else os.environ.get(VARIABLE, "")
    if not named:
        hint = f"Set {VARIABLE} to the folder that holds the packs `apps` and `humaneval`, or give --data."
        raise TaskError("no folder with benchmark data is named", hint=hint, field=VARIABLE)
    folder = Path(named)
    if not folder.is_dir():
        raise TaskError(f"{folder}: no such folder", hint=f"Check {VARIABLE}.", file=str(folder))
    return folder


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSON lines file, plain or gzipped.

    Raises:
        TaskError: the file is absent or malformed.
    """
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
        rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    except FileNotFoundError as error:
        hint = f"{VARIABLE} must name the folder above `{path.parent.name}`."
        raise TaskError(f"{path}: benchmark data is absent", hint=hint, file=str(path)) from error
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise TaskError(f"{path}: benchmark data is not readable: {error}", file=str(path)) from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise TaskError(f"{path}: line {number}: expected an object", file=str(path))
    return rows


def field(row: dict[str, Any], name: str, kind: type[Any], path: Path) -> Any:
    """Return a field of a row.

    Raises:
        TaskError: it is missing or of another type.
    """
    value = row.get(name)
    if not isinstance(value, kind):
        raise TaskError(f"{path}: field {name!r}: expected {kind.__name__}", file=str(path), field=name)
    return value
