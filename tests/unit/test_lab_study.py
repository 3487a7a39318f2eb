"""A study: its frozen list, its budgets, what is tried again, what is made once, and how it stops."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.errors import ConfigError, LabError
from auditcoder.eval.lab.attempt import Attempt
from auditcoder.eval.lab.grid import Cell, Grid, freeze, load_grid
from auditcoder.eval.lab.loop import LOG, TRIES, run_study
from auditcoder.eval.lab.protocols import protocol_name, protocol_settings
from auditcoder.eval.lab.work import Done, Lost, Order

GRID = Grid(tasks=("a.toml", "b.toml"), methods=("direct", "pycapsule"), models=("embedded",), seeds=(0, 1))


@pytest.mark.parametrize(
    ("name", "spelled", "settings"),
    [
        ("k1", "k1", {"k": 1}),
        ("k:1", "k1", {"k": 1}),
        ("k0", "k0", {"k": 0}),
        ("adaptive", "adaptive", {"adaptive": True}),
        ("calls:8", "calls:8", {"k": 30, "max_calls": 8}),
        ("tokens:8000", "tokens:8000", {"k": 30, "max_tokens": 8000}),
    ],
)
def test_a_protocol_is_a_budget(name: str, spelled: str, settings: dict[str, Any]) -> None:
    assert protocol_settings(name) == settings
    assert protocol_name(name) == spelled


@pytest.mark.parametrize("name", ["", "k", "K1", "calls", "calls:0", "tokens:-1", "k:1.5", "calls:8 "])
def test_what_is_no_protocol_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="is no protocol"):
        protocol_settings(name)


def test_cells_of_one_task_stand_together_and_have_folders_of_their_own(tmp_path: Path) -> None:
    cells = list(GRID.cells())
    assert [(cell.seed, cell.task, cell.method) for cell in cells[:4]] == [
        (0, "a.toml", "direct"), (0, "a.toml", "pycapsule"), (0, "b.toml", "direct"), (0, "b.toml", "pycapsule"),
    ]  # fmt: skip
    assert len({cell.place for cell in cells}) == len(cells) == 8
    assert all(".." not in cell.place and not cell.place.startswith("/") for cell in cells)
    assert freeze(GRID, tmp_path) == GRID == load_grid(tmp_path) == freeze(GRID, tmp_path)


def test_a_list_is_not_changed_once_it_is_frozen(tmp_path: Path) -> None:
    freeze(GRID, tmp_path)
    with pytest.raises(ConfigError, match="has other methods, seeds"):
        freeze(GRID.model_copy(update={"methods": ("direct",), "seeds": (0,)}), tmp_path)
    assert load_grid(tmp_path) == GRID


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"protocols": ("k9000",)}, "under k9000"),
        ({"methods": ("magic",)}, "magic under k1"),
        ({"tasks": ("a/b", "a#b")}, "the same folder"),
        ({"tasks": ("a", "a")}, "the same folder"),
    ],
)
def test_a_list_that_cannot_be_run_is_refused_before_anything_is_written(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    grid = GRID.model_copy(update=change)
    with pytest.raises(ConfigError, match=told):
        freeze(grid, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_study_or_with_a_damaged_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no study"):
        load_grid(tmp_path)
    (tmp_path / "grid.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_grid(tmp_path)


class Crew:
    """Workers on a script: by cell, what comes of each time that it is handed out; at last it is finished."""

    def __init__(self, script: dict[Cell, list[str]] | None = None) -> None:
        self.script, self.given = script or {}, []  # type: ignore[var-annotated]

    def run(self, orders: Iterable[Order]) -> Iterator[Done | Lost]:
        for order in orders:
            self.given.append(order.cell)
            what = (self.script.get(order.cell) or ["finished"]).pop(0)
            if what == "lost":
                yield Lost(order, "it was killed")
            elif what == "stop":
                yield Done(order, Attempt("failed", made=True, error="backbone-unavailable"), stop="no server")
            else:
                error = "" if what == "finished" else what
                yield Done(order, Attempt("failed" if error else "finished", made=True, error=error))


def test_every_cell_has_a_result_in_the_order_of_the_list(tmp_path: Path) -> None:
    cells = list(GRID.cells())
    steps: list[Any] = []
    results = run_study(cells, tmp_path, Crew(), on_step=steps.append)
    assert [result.cell for result in results] == cells
    assert [step.left for step in steps] == list(range(7, -1, -1))
    assert not (tmp_path / LOG).exists()


def test_what_a_worker_lost_is_tried_again_and_both_are_kept(tmp_path: Path) -> None:
    cells = list(GRID.cells())[:2]
    crew = Crew({cells[0]: ["lost", "finished"], cells[1]: ["lost"] * TRIES})
    results = run_study(cells, tmp_path, crew)
    assert [(each.attempt.state, each.attempt.error, each.tries) for each in results] == [
        ("finished", "", 2), ("failed", "worker-lost", TRIES),
    ]  # fmt: skip
    log = [json.loads(line) for line in (tmp_path / LOG).read_text(encoding="utf-8").splitlines()]
    assert [(line["method"], line["what"], line["try"]) for line in log if line["method"] == "pycapsule"] == [
        ("pycapsule", "lost", number) for number in range(1, TRIES + 1)
    ]


def test_an_error_of_one_run_is_its_result(tmp_path: Path) -> None:
    cells = list(GRID.cells())[:2]
    results = run_study(cells, tmp_path, Crew({cells[0]: ["task"]}))
    assert [(each.attempt.state, each.attempt.error) for each in results] == [("failed", "task"), ("finished", "")]


def test_what_every_run_would_meet_stops_the_study(tmp_path: Path) -> None:
    cells = list(GRID.cells())
    crew = Crew({cells[2]: ["stop"]})
    with pytest.raises(LabError, match="no server"):
        run_study(cells, tmp_path, crew)
    assert crew.given == cells[:3]


def test_ledgers_go_to_and_fro_where_workers_do_not_see_the_folder(tmp_path: Path) -> None:
    cells = list(GRID.cells())[:1]
    folder = tmp_path / cells[0].place
    folder.mkdir(parents=True)
    (folder / "ledger.jsonl").write_bytes(b"begun\n")

    class Far:
        def run(self, orders: Iterable[Order]) -> Iterator[Done | Lost]:
            for order in orders:
                assert order.ledger == b"begun\n"
                yield Done(order, Attempt("finished", made=True), ledger=order.ledger + b"ended\n")

    run_study(cells, tmp_path, Far(), sees_folder=False)
    assert (folder / "ledger.jsonl").read_bytes() == b"begun\nended\n"
