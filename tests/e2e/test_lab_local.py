"""Studies on local worker processes against a scripted model server: killed workers, killed studies, no call twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.eval.lab.grid import Grid
from auditcoder.eval.lab.local import LocalWorkers
from auditcoder.eval.lab.loop import LOG, Progress, run_study
from auditcoder.ledger.outputs import load_ledger
from auditcoder.records.events import ModelCalled
from tests.loopback import Server, serving

TASK = """
id = "{name}"
statement = "Return twice the number ({name})."
[entry]
signature = "double(n: int) -> int"
[[examples]]
args = [2]
expected = 4
"""
WRONG = "```python\ndef double(n: int) -> int:\n    return n + 3\n```"
METHODS = ("direct", "fresh-start")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.answers = [WRONG]
        yield made


@pytest.fixture
def grid(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Grid:
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    tasks = []
    for name in ("one", "two", "three"):
        path = tmp_path / f"{name}.toml"
        path.write_text(TASK.format(name=name), encoding="utf-8")
        tasks.append(str(path))
    return Grid(tasks=tuple(tasks), methods=METHODS, models=(server.model,), protocols=("k:2",))


def calls(out: Path) -> list[ModelCalled]:
    """Return the answered calls in all ledgers of a study."""
    ledgers = [load_ledger(path.parent) for path in sorted(out.glob("runs/**/ledger.jsonl"))]
    return [event for ledger in ledgers for event in ledger.events if isinstance(event, ModelCalled)]


def programs(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.glob("runs/**/program.py"))}


def test_a_study_is_made_on_several_processes_and_found_finished_later(
    tmp_path: Path, grid: Grid, server: Server
) -> None:
    cells, out = list(grid.cells()), tmp_path / "study"
    results = run_study(cells, out, LocalWorkers(2, 2))
    assert [(each.cell, each.attempt.state, each.attempt.made) for each in results] == [
        (cell, "finished", True) for cell in cells
    ]
    assert len(calls(out)) == len(server.prompts) == 3 * (1 + 3)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    again = run_study(cells, out, LocalWorkers(1, 1))
    assert [(each.attempt.state, each.attempt.made) for each in again] == [("finished", False)] * len(cells)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert len(server.prompts) == 12


def test_a_killed_worker_is_replaced_and_its_runs_go_on(tmp_path: Path, grid: Grid, server: Server) -> None:
    cells, out, workers = list(grid.cells()), tmp_path / "study", LocalWorkers(2, 1)
    killed: list[int] = []

    def step(progress: Progress) -> None:
        if not killed:
            killed.append(workers.pids()[0])
            os.kill(killed[0], signal.SIGKILL)

    results = run_study(cells, out, workers, on_step=step)
    assert [each.attempt.state for each in results] == ["finished"] * len(cells)
    log = [json.loads(line) for line in (out / LOG).read_text(encoding="utf-8").splitlines()]
    assert [line["what"] for line in log] == ["lost"]
    assert len(calls(out)) == 12
    assert len(server.prompts) <= 13, "at most the call under way is asked again"


@pytest.mark.slow
def test_a_study_that_is_killed_five_times_ends_with_the_same_bytes(tmp_path: Path, grid: Grid, server: Server) -> None:
    cells, calm = list(grid.cells()), tmp_path / "calm"
    run_study(cells, calm, LocalWorkers(2, 1))
    asked, out, chance = len(server.prompts), tmp_path / "killed", random.Random(5)
    script = (
        "import sys\nfrom pathlib import Path\nfrom auditcoder.eval.lab.grid import Grid\n"
        "from auditcoder.eval.lab.local import LocalWorkers\nfrom auditcoder.eval.lab.loop import run_study\n"
        "if __name__ == '__main__':\n"
        "    grid = Grid.model_validate_json(sys.argv[1])\n"
        "    run_study(list(grid.cells()), Path(sys.argv[2]), LocalWorkers(2, 1))\n"
    )
    (tmp_path / "study.py").write_text(script, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "study.py"), grid.model_dump_json(), str(out)]

    def answered(least: int) -> bool:
        return len(server.prompts) - asked >= least

    for _ in range(5):
        target = len(server.prompts) - asked + chance.randint(1, 2)
        with subprocess.Popen(command, start_new_session=True) as study:
            while study.poll() is None and not answered(target):
                time.sleep(0.01)
            os.killpg(study.pid, signal.SIGKILL) if study.poll() is None else None
    subprocess.run(command, check=True)
    assert programs(out) == programs(calm)
    assert [shown(event) for event in calls(out)] == [shown(event) for event in calls(calm)]
    assert len(server.prompts) - asked <= 12 + 5 * 2, "only calls under way were asked again"


def shown(event: ModelCalled) -> dict[str, Any]:
    return event.model_dump(mode="json", exclude={"seconds"})
