"""One table of a task file, read field by field, with errors that name file, field and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from auditcoder.errors import TaskError
from auditcoder.tasks.format import Field

_NAMES = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


class Place(NamedTuple):
    """Where in which file something is."""

    file: str
    field: str

    def at(self, name: str) -> Place:
        """Return the place of a field inside this one."""
        return Place(self.file, f"{self.field}.{name}" if self.field else name)

    def error(self, expected: str, *, hint: str = "") -> TaskError:
        """Return the error that this field is not what was expected."""
        where = f"{self.file}: {self.field}" if self.field else self.file
        return TaskError(f"{where}: {expected}", hint=hint, file=self.file, field=self.field, expected=expected)


class Section:
    """A table whose field names are known to be valid.

    Raises:
        TaskError: on construction, for an unknown name (the nearest valid one is named).
    """

    def __init__(self, place: Place, table: Mapping[str, Any], fields: Sequence[Field]) -> None:
        self.place = place
        self.table = table
        known = [field.name for field in fields]
        for name in table:
            if name not in known:
                raise place.at(name).error(f"unknown field {name!r}", hint=_nearest(name, known))

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def given(self, *names: str) -> str:
        """Return which one of several alternative fields is given, or ''.

        Raises:
            TaskError: more than one is.
        """
        found = [name for name in names if name in self.table]
        if len(found) > 1:
            raise self.place.at(found[1]).error(f"expected only one of {', '.join(found)}")
        return found[0] if found else ""

    def text(self, name: str) -> str | None:
        """Return a string field, or None when it is left out."""
        value = self._typed(name, str)
        return value if isinstance(value, str) else None

    def items(self, name: str) -> list[Any] | None:
        """Return a list field, or None when it is left out."""
        value = self._typed(name, list)
        return value if isinstance(value, list) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings, empty when it is left out."""
        items = self.items(name) or []
        for index, item in enumerate(items, start=1):
            if not isinstance(item, str):
                raise Place(self.place.file, f"{self.place.at(name).field}[{index}]").error(_wanted(str, item))
        return tuple(items)

    def mapping(self, name: str) -> dict[str, Any] | None:
        """Return a table field, or None when it is left out."""
        value = self._typed(name, dict)
        return value if isinstance(value, dict) else None

    def section(self, name: str, fields: Sequence[Field]) -> Section | None:
        """Return a table field as a section, or None when it is left out."""
        table = self.mapping(name)
        return None if table is None else Section(self.place.at(name), table, fields)

    def sections(self, name: str, fields: Sequence[Field]) -> list[Section]:
        """Return a list of tables as sections, numbered from 1 in messages."""
        found: list[Section] = []
        for index, item in enumerate(self.items(name) or [], start=1):
            place = Place(self.place.file, f"{self.place.at(name).field}[{index}]")
            if not isinstance(item, dict):
                raise place.error(_wanted(dict, item))
            found.append(Section(place, item, fields))
        return found

    def _typed(self, name: str, kind: type[Any]) -> object:
        if name not in self.table:
            return None
        value = self.table[name]
        if type(value) is not kind:
            raise self.place.at(name).error(_wanted(kind, value))
        return value


def _wanted(kind: type[Any], value: object) -> str:
    shown = ascii(value)
    shown = shown if len(shown) <= 40 else f"{shown[:39]}..."
    return f"expected {_NAMES[kind]}, got {_NAMES.get(type(value), type(value).__name__)} ({shown})"


def _nearest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    guess = f"Did you mean {close[0]!r}? " if close else ""
    return f"{guess}Fields here: {', '.join(known)}."
