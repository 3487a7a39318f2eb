"""How runs are named in a list, the folder that all of them are in once above it; and how they are counted off."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from os.path import commonpath
from pathlib import Path
from typing import NamedTuple

from auditcoder.cli.text import clean, one_line
from auditcoder.paths import short


class RunNames(NamedTuple):
    """The folder of several runs, empty when there is none to say, and how each run is named in it."""

    folder: str
    names: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Return the line above the list; empty when there is none."""
        return f"runs in {one_line(short(self.folder))}" if self.folder else ""


def run_names(runs: Sequence[str | Path]) -> RunNames:
    """Return the names of runs without the folder that they share; one run, and runs of no one folder, keep theirs."""
    paths = [Path(run) for run in runs]
    shared = ""
    if len(set(paths)) > 1 and len({path.is_absolute() for path in paths}) == 1:
        shared = commonpath([path.parent for path in paths])
    if shared in ("", ".", "/"):
        return RunNames("", tuple(one_line(short(path)) for path in paths))
    return RunNames(shared, tuple(one_line(short(path.relative_to(shared))) for path in paths))


def counted_off(runs: Sequence[Path], *, quiet: bool) -> Iterator[Path]:
    """Yield runs; a person who waits at a terminal is told the present one."""
    told = not quiet and len(runs) > 1 and sys.stderr.isatty()
    for number, run in enumerate(runs, start=1):
        if told:
            print(f"\r\x1b[K{number}/{len(runs)} {clean(short(run))}", end="", file=sys.stderr, flush=True)
        yield run
    if told:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
