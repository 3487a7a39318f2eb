"""A table as data, before it is written in any form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

NOTHING = "-"


class Bounded(NamedTuple):
    """A value with the bounds of its interval: one cell for people, three columns for programs."""

    value: float
    low: float
    high: float


Value = str | int | float | bool | Bounded | None
Plain = str | int | float | bool | None


class Column(NamedTuple):
    """How the values of a column are named and written."""

    name: str
    digits: int = 3
    """Decimals of floats, in text only."""
    bounded: bool = False
    """Whether its values have bounds."""


class Table(NamedTuple):
    """Named columns, rows of values, and what must be known to read them."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()

    def texts(self) -> Iterator[tuple[str, ...]]:
        """Yield the rows as people read them."""
        for row in self.rows:
            yield tuple(text_of(value, column.digits) for value, column in zip(row, self.columns, strict=True))

    def plain_columns(self) -> tuple[str, ...]:
        """Return the column names for programs; one with bounds is three."""
        return tuple(name for column in self.columns for name in _plain_names(column))

    def plain_rows(self) -> Iterator[tuple[Plain, ...]]:
        """Yield the rows for programs: nothing is rounded, and what is not known is None."""
        for row in self.rows:
            yield tuple(each for value, column in zip(row, self.columns, strict=True) for each in _plain(value, column))


def text_of(value: Value, digits: int = 3) -> str:
    """Return a value as people read it; a dash for what is not known, which is not 0."""
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.{digits}f}"
        case Bounded():
            return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"
    return str(value)


def _plain_names(column: Column) -> tuple[str, ...]:
    name = column.name.replace(" ", "_")
    return (name, f"{name}_low", f"{name}_high") if column.bounded else (name,)


def _plain(value: Value, column: Column) -> tuple[Plain, ...]:
    if column.bounded:
        return tuple(value) if isinstance(value, Bounded) else (None, None, None)
    assert not isinstance(value, Bounded)
    return (value,)
