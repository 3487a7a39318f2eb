"""Which runs a `solve --resume` means, and what is said about each."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.jobs import resumed_jobs, standings
from auditcoder.cli.main import app
from auditcoder.errors import ConfigError
from auditcoder.ledger.journal import FileJournal
from auditcoder.records.config import RunConfig
from auditcoder.records.events import RunFinished, RunStarted
from auditcoder.records.execution import IsolationReport
from auditcoder.records.transaction import Rank
from auditcoder.tasks.loader import load_task

TASK = 'id = "{0}"\nstatement = "Print {0}."\n[[examples]]\nstdin = ""\nstdout = "{0}"\n'


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUDITCODER_CONFIG", raising=False)
    Path("tasks").mkdir()
    for name in ("open", "done", "fresh"):
        Path(f"tasks/{name}.toml").write_text(TASK.format(name))


def start(name: str, config: RunConfig, *, finished: bool = False) -> Path:
    folder = Path("runs") / name
    folder.parent.mkdir(exist_ok=True)
    with FileJournal.create(folder) as journal:
        journal.emit(
            RunStarted(
                format="1.0", version="0", task=load_task(Path(f"tasks/{name}.toml")), config=config, config_hash="",
                models=(), isolation=IsolationReport(level=0, rung="none"),
            )
        )  # fmt: skip
        if finished:
            rank = Rank(full_pass=True, external=1, internal=0, clean=1)
            journal.emit(RunFinished(candidate=0, program="", rank=rank, reason="every check passes"))
    return folder


def test_every_task_of_a_resumed_folder_is_told_of() -> None:
    start("open", RunConfig())
    start("done", RunConfig(), finished=True)
    start("fresh", RunConfig(k=5))  # of other settings
    jobs = resumed_jobs(["tasks"], RunConfig(), None, Path("runs"))
    assert sorted(standings(jobs, Path("runs"))) == [
        "done: finished already: runs/done",
        "fresh: no run of it with these settings in runs: starting a new one",
        "open: going on with runs/open",
    ]


def test_neither_a_run_nor_a_task() -> None:
    with pytest.raises(ConfigError, match="no run folder and no task file at nope"):
        resumed_jobs(["nope"], RunConfig(), None, Path("runs"))


def test_a_recorded_profile_that_is_not_configured_names_the_run() -> None:
    start("open", RunConfig(model="mine"))
    result = CliRunner().invoke(app, ["solve", "--resume"])
    assert result.exit_code == 2, result.output
    assert "open: going on with runs/open" in result.stdout
    assert "error[config]: runs/open: There is no backbone profile 'mine'" in result.stderr
    assert "give the --config it was started with" in result.stderr
