"""The frozen list of what a study runs: every cell, in an order that keeps comparisons paired at any time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from auditcoder.errors import ConfigError
from auditcoder.eval.lab.protocols import protocol_settings
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig

GRID = "grid.json"
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")


class Grid(Record):
    """What is compared, frozen before the first run (rule 20: the denominator is all of it)."""

    tasks: tuple[str, ...]
    """References of single tasks, `humaneval:26`, or paths of task files."""
    methods: tuple[str, ...]
    """Methods and variants."""
    models: tuple[str, ...]
    """Profiles."""
    protocols: tuple[str, ...] = ("k1",)
    seeds: tuple[int, ...] = (0,)

    def cells(self) -> Iterator[Cell]:
        """Yield every cell: seeds outside, methods inside, so a stopped study has the same tasks for all methods."""
        for seed in self.seeds:
            for model in self.models:
                for protocol in self.protocols:
                    for task in self.tasks:
                        for method in self.methods:
                            yield Cell(task, method, model, protocol, seed)


class Cell(NamedTuple):
    """One run of a study."""

    task: str
    method: str
    model: str
    protocol: str
    seed: int

    @property
    def place(self) -> str:
        """Return the folder of its run below that of the study."""
        parts = (self.model, self.protocol, f"seed-{self.seed}", self.method, self.task)
        return "/".join(("runs", *(_UNSAFE.sub("-", part).strip("-.") or "-" for part in parts)))

    def config(self) -> RunConfig:
        """Return the configuration of its run; a variant's own settings come before the protocol's.

        Raises:
            ConfigError: the method, the protocol or both together are none.
        """
        own = preset(self.method) if self.method in VARIANTS else {"method": self.method}
        try:
            return RunConfig.model_validate(
                {"model": self.model, "seed": self.seed, **protocol_settings(self.protocol), **own}
            )
        except ValidationError as error:
            told = error.errors(include_url=False)[0]["msg"]
            raise ConfigError(f"{self.method} under {self.protocol}: {told}", field="method") from error


def freeze(grid: Grid, out: Path) -> Grid:
    """Write the list of a new study, or return that of one that goes on.

    Raises:
        ConfigError: the study in the folder has another list, two cells would share a folder, or a cell is none.
    """
    cells = list(grid.cells())
    places: dict[str, Cell] = {}
    for cell in cells:
        cell.config()
        if cell.place in places:
            raise ConfigError(
                f"{cell} and {places[cell.place]} would have the same folder", hint="Name every task and method once."
            )
        places[cell.place] = cell
    path = out / GRID
    if path.is_file():
        kept = load_grid(out)
        if kept != grid:
            changed = [name for name in Grid.model_fields if getattr(kept, name) != getattr(grid, name)]
            raise ConfigError(
                f"the study in {out} has other {', '.join(changed)}",
                hint="Go on without these options, or use another --out: a list is not changed once runs are made.",
            )
        return kept
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(grid.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return grid


def load_grid(out: Path) -> Grid:
    """Return the list of the study in a folder.

    Raises:
        ConfigError: there is none, or it is damaged.
    """
    try:
        return Grid.model_validate_json((out / GRID).read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"there is no study in {out}", hint=f"A study has a file {GRID}.") from None
    except (OSError, ValidationError) as error:
        raise ConfigError(f"{out / GRID} cannot be read: {error}"[:300], hint="Restore it, or begin anew.") from error
