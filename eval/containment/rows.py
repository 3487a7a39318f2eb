"""The rows of the study: ids and figures only, one line a fault, so that a stopped run can go on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from auditcoder.errors import RecordError
from auditcoder.records.base import Record, canonical_json


class Located(Record):
    """What one arm under one policy made of a fault."""

    arm: str
    policy: str
    rule: str = ""
    defect: str = ""
    grade: str = ""
    action: str = ""
    abstained: str = ""
    """Reason of localization or scope selection; empty when a scope was selected."""
    implicated: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    """Nodes of the selected scope; empty on abstention."""
    lines: int = 0
    """Lines of the program that the scope's nodes own."""

    def contains(self, owner: str) -> bool:
        """Return whether an owner is in the selected scope."""
        return owner in self.scope


class Row(Record):
    """One fault; without one when no place of the program fails as the aim wants."""

    subject: str
    pack: str
    aim: str
    seed: int
    place: str = ""
    mutator: str = ""
    unit: str = ""
    owner: str = ""
    """Node whose code has the fault; empty without a fault."""
    failure: str = ""
    """Type of the first failing check: WA, RE, TLE, MLE."""
    nodes: int = 0
    lines: int = 0
    checks: int = 0
    failing: int = 0
    examples: int = 0
    suspects: tuple[str, ...] = ()
    """Who took part in every failing run."""
    left: tuple[str, ...] = ()
    """Suspects that no passing run clears."""
    located: tuple[Located, ...] = ()

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what identifies a row within one set of programs."""
        return self.subject, self.aim, self.seed


def read_rows(path: Path) -> tuple[Row, ...]:
    """Return the rows of a file, none when it is absent; a last line that was cut is left out.

    Raises:
        RecordError: another line is malformed.
    """
    if not path.exists():
        return ()
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")[:-1]  # behind the last line feed stands nothing, or what a stopped run had begun
    try:
        return tuple(Row.model_validate_json(line) for line in lines)
    except ValidationError as error:
        raise RecordError(f"{path}: a row is malformed: {error}", hint="Remove the line and run again.") from error


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a file of rows anew."""
    data = b"".join(canonical_json(row.model_dump(mode="json")) + b"\n" for row in rows)
    path.write_bytes(data)


def append_row(path: Path, row: Row) -> None:
    """Append one row to a file."""
    with path.open("ab") as file:
        file.write(canonical_json(row.model_dump(mode="json")) + b"\n")
