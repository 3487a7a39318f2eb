"""A plot as data, before it is drawn."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Dot(NamedTuple):
    """One point, or the end of one bar."""

    x: float
    """Of a bar: the number of its category."""
    y: float
    low: float | None = None
    high: float | None = None
    """Bounds of y."""
    label: str = ""


class Series(NamedTuple):
    """What belongs to one name in the legend."""

    name: str
    dots: tuple[Dot, ...]


class Plot(NamedTuple):
    """Everything that a figure shows."""

    kind: Literal["line", "steps", "bars"]
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    categories: tuple[str, ...] = ()
    """bars: their names, from left to right."""
    share: bool = True
    """Whether y is a share: its axis is then from 0 to 1."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
