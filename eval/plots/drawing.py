"""Draws plots with matplotlib (extra `lab`): PNG or SVG by the name of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditcoder.errors import ConfigError
from auditcoder.eval.plots.plot import Plot, Series

_SIZE = (7.0, 4.2)
_WIDTH = 0.8
"""Of all bars of a category together."""
_MARKERS = "osD^vPX*<>"
"""Methods are told apart by shape as well as by colour."""
_NO_DATE: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".png": {"Software": None}}
"""Keeps what differs from day to day, or between versions, out of the file."""


def draw(plot: Plot, path: Path) -> Plot:
    """Write the figure of a plot, and return the plot: the data that the figure shows.

    Raises:
        ConfigError: matplotlib is not installed, or the name ends in neither .png nor .svg.
    """
    if path.suffix not in _NO_DATE:
        raise ConfigError(f"{path.name}: a plot is a .png or a .svg file", hint="Name it so.")
    try:
        import matplotlib  # pyright: ignore[reportMissingImports]
        from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        hint = "Install it: pip install 'auditcoder[lab]'; the tables hold the same figures."
        raise ConfigError("a plot needs matplotlib", hint=hint) from error
    with matplotlib.rc_context({"svg.hashsalt": plot.title, "svg.fonttype": "none"}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        _fill(axes, plot)
        if plot.series:
            figure.legend(loc="outside lower center", ncols=2, fontsize="small")
        figure.savefig(path, dpi=150, metadata=_NO_DATE[path.suffix])
    return plot


def _fill(axes: Any, plot: Plot) -> None:
    for number, series in enumerate(plot.series):
        if plot.kind == "bars":
            _bars(axes, series, number, len(plot.series))
        else:
            _line(axes, series, _MARKERS[number % len(_MARKERS)], steps=plot.kind == "steps")
    axes.set_title(plot.title)
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    if plot.kind == "bars":
        axes.set_xticks(range(len(plot.categories)), plot.categories, rotation=30, ha="right")
    if plot.share:
        axes.set_ylim(0, 1.05)


def _line(axes: Any, series: Series, marker: str, *, steps: bool) -> None:
    xs, ys = [dot.x for dot in series.dots], [dot.y for dot in series.dots]
    if steps:
        axes.step(xs, ys, where="post", label=series.name)
        return
    axes.errorbar(xs, ys, yerr=_errors(series), marker=marker, capsize=3, label=series.name)
    for dot in series.dots:
        axes.annotate(dot.label, (dot.x, dot.y), textcoords="offset points", xytext=(4, 4), fontsize="small")


def _bars(axes: Any, series: Series, number: int, of: int) -> None:
    width = _WIDTH / of
    xs = [dot.x + (number - (of - 1) / 2) * width for dot in series.dots]
    ys = [dot.y for dot in series.dots]
    axes.bar(xs, ys, width=width, yerr=_errors(series), capsize=2, label=series.name)
    for x, dot in zip(xs, series.dots, strict=True):
        axes.annotate(dot.label, (x, dot.y), textcoords="offset points", xytext=(0, 2), ha="center", fontsize="x-small")


def _errors(series: Series) -> list[list[float]] | None:
    """Return how far the bounds are below and above; None where no dot has any."""
    if all(dot.low is None for dot in series.dots):
        return None
    low = [0.0 if dot.low is None else max(0.0, dot.y - dot.low) for dot in series.dots]
    high = [0.0 if dot.high is None else max(0.0, dot.high - dot.y) for dot in series.dots]
    return [low, high]
