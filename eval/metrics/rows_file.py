"""Rows of runs in a file: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from auditcoder.errors import RecordError
from auditcoder.eval.metrics.row import RunRow
from auditcoder.ledger.files import replace_file


def write_rows(path: Path, rows: Iterable[RunRow]) -> None:
    """Write rows to a file, which appears whole.

    Raises:
        OSError: it cannot be written.
    """
    replace_file(path, "".join(f"{row.model_dump_json()}\n" for row in rows).encode("utf-8"))


def read_rows(path: Path) -> list[RunRow]:
    """Return the rows of a file.

    Raises:
        RecordError: it cannot be read, or a line of it is no row.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(RunRow.model_validate_json(line))
        except ValidationError as error:
            told = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise RecordError(f"{path}: line {number} is no row of a run: {told}") from error
    return rows
