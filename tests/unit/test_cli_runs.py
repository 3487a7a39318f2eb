"""Run folders: names, and which run is gone on with."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

import pytest

from auditcoder.cli.runs import folder_name, is_run, new_folder, newest, opened, started_runs
from auditcoder.errors import AuditCoderError, ConfigError
from auditcoder.ledger.journal import FileJournal
from auditcoder.records.config import RunConfig
from auditcoder.records.events import RunFinished, RunStarted
from auditcoder.records.execution import IsolationReport
from auditcoder.records.task import EntryPoint, Task
from auditcoder.records.transaction import Rank

NOW = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001  (local time, as a person reads it)


def task(name: str, statement: str = "Do it.") -> Task:
    return Task(id=name, statement=statement, entry=EntryPoint(kind="program"))


def start(folder: Path, of: Task, *, finished: bool = False, age: int = 0) -> Path:
    with FileJournal.create(folder) as journal:
        journal.emit(
            RunStarted(
                format="1.0", version="0", task=of, config=RunConfig(k=2), config_hash="", models=(),
                isolation=IsolationReport(level=0, rung="none"),
            )
        )  # fmt: skip
        if finished:
            rank = Rank(full_pass=True, external=1, internal=0, clean=1)
            journal.emit(RunFinished(candidate=0, program="", rank=rank, reason="every check passes"))
    os.utime(folder / "ledger.jsonl", (1_000_000 - age, 1_000_000 - age))
    return folder


@pytest.mark.parametrize(
    ("task_id", "start_of_name"),
    [("passes", "passes-"), ("apps/1613", "apps-1613-"), ("../../etc/x", "etc-x-"), ("päß", "p-"), ("…", "task-")],
)
def test_folder_names_are_plain(task_id: str, start_of_name: str) -> None:
    name = folder_name(task(task_id), RunConfig(), NOW)
    assert name.startswith(start_of_name)
    assert re.fullmatch(r"[A-Za-z0-9-]+-20260102-030405-[0-9a-f]{6}", name)


def test_two_runs_in_one_second_get_two_folders(tmp_path: Path) -> None:
    folders = {new_folder(tmp_path / "runs", task("a"), RunConfig(), NOW) for _ in range(3)}
    assert len(folders) == 3
    assert all(folder.is_dir() for folder in folders)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made"):
        new_folder(tmp_path / "file", task("a"), RunConfig(), NOW)


def test_the_newest_unfinished_run_of_the_task(tmp_path: Path) -> None:
    start(tmp_path / "1", task("a"), age=30)
    start(tmp_path / "2", task("a"), age=20)
    start(tmp_path / "3", task("a"), finished=True, age=10)
    start(tmp_path / "4", task("b"), age=5)
    start(tmp_path / "5", task("a", "Another statement."), age=1)
    (tmp_path / "6").mkdir()
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "ledger.jsonl").write_text("garbage\n")
    runs = started_runs(tmp_path)
    assert [run.folder.name for run in runs] == ["5", "4", "3", "2", "1"]

    def name(of: Task | None, *, finished: bool) -> str:
        found = newest(runs, of, finished=finished)
        return found.folder.name if found else ""

    assert name(task("a"), finished=False) == "2"
    assert name(task("a"), finished=True) == "3"
    assert name(task("c"), finished=False) == ""
    assert name(None, finished=False) == "5"


def test_no_runs_folder_means_no_runs(tmp_path: Path) -> None:
    assert started_runs(tmp_path / "runs") == []


def test_a_run_is_opened_with_its_own_task_and_configuration(tmp_path: Path) -> None:
    run = opened(start(tmp_path / "r", task("a")))
    assert (run.task, run.config, run.finished) == (task("a"), RunConfig(k=2), False)
    assert is_run(tmp_path / "r")
    assert not is_run(tmp_path)


@pytest.mark.parametrize("content", [b"", b'{"at":"2'], ids=["empty", "torn"])
def test_a_run_that_had_not_begun(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger.jsonl").write_bytes(content)
    with pytest.raises(ConfigError, match="had not begun"):
        opened(tmp_path)


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(AuditCoderError, match="no ledger"):
        opened(tmp_path)
