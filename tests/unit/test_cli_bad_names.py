"""Names that no file can have, pipes and devices, wherever one is named: a message, never a traceback or a wait."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.errors import ConfigError, TaskError
from auditcoder.paths import exists, is_dir, is_file, short
from auditcoder.tasks.loader import load_task, load_tasks

LONG = "x" * 5000
TASK = 'id = "t"\nstatement = "Print it."\n[entry]\nkind = "program"\n[[examples]]\nstdin = "a"\nstdout = "a"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("AUDITCODER_DATA", raising=False)
    Path("t.toml").write_text(TASK)
    os.mkfifo("pipe.toml")
    return tmp_path


COMMANDS = {
    "task": ["solve", LONG],
    "task file": ["solve", f"{LONG}.toml"],
    "task in a folder": ["solve", f"{LONG}/t.toml"],
    "behind a file": ["solve", "t.toml/t.toml"],
    "resume": ["solve", "--resume", LONG],
    "resume a path": ["solve", "--resume", "/".join(["y" * 200] * 30)],
    "show": ["show", LONG],
    "show a ledger": ["show", f"{LONG}/ledger.jsonl"],
    "data": ["solve", "humaneval:1", "--data", LONG],
    "out": ["solve", "--resume", "--out", LONG],
    "config": ["solve", "t.toml", "--config", LONG],
    "model file": ["solve", "t.toml", "--model", f"gguf:{LONG}"],
    "model name": ["solve", "t.toml", "--model", LONG],
    "model role": ["solve", "t.toml", "--role", f"verifier=gguf:{LONG}"],
    "model url": ["solve", "t.toml", "--model", "http://[::1#m"],
    "model port": ["solve", "t.toml", "--model", "http://h:port/v1#m"],
    "check": ["models", "check", f"gguf:{LONG}"],
    "check a url": ["models", "check", "http://[::1#m"],
    "fetch": ["models", "fetch", f"gguf:{LONG}"],
    "pipe": ["solve", "pipe.toml"],
    "pipe as configuration": ["solve", "t.toml", "--config", "pipe.toml"],
    "pipe as weights": ["solve", "t.toml", "--model", "gguf:pipe.toml"],
    "device": ["solve", "zero.toml"],
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_name_that_cannot_be_used_is_a_usage_error(arguments: list[str]) -> None:
    Path("zero.toml").symlink_to("/dev/zero")
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error["), result.stderr[:200]
    assert len(result.stderr) < 1500
    assert not Path("runs").exists()


def test_a_profile_whose_file_cannot_be_is_a_usage_error() -> None:
    Path("own.toml").write_text(f'[profiles.p]\nengine = "embedded"\npath = "{LONG}"\n')
    result = CliRunner().invoke(app, ["solve", "t.toml", "--model", "p", "--config", "own.toml"])
    assert result.exit_code == 2, result.output
    assert "error[config]: Profile 'p': no file at xxx" in result.stderr


@pytest.mark.parametrize("name", ["pipe.toml", "zero.toml", "socket.toml"])
def test_only_a_regular_file_is_a_task(name: str) -> None:
    Path("zero.toml").symlink_to("/dev/zero")
    os.mknod("socket.toml", 0o140600)
    with pytest.raises(TaskError, match="expected a regular file"):
        load_task(name)


def test_a_name_with_a_nul_character_is_a_task_error() -> None:
    with pytest.raises(TaskError, match="cannot be read"):
        load_task("a\0b.toml")
    given = {"a.txt": {"path": "in\0put.txt"}}
    script = {"id": "s", "statement": "Copy it.", "entry": {"kind": "script"}, "files": given}
    Path("s.json").write_text(json.dumps({**script, "examples": [{"outputs": {"b.txt": "x"}}]}))
    with pytest.raises(TaskError, match=r"s\.json"):
        load_task("s.json")


def test_a_pipe_in_a_folder_of_tasks_is_none_of_them() -> None:
    assert [task.id for task in load_tasks(Path())] == ["t"]


def test_a_pipe_beside_a_task_is_no_file_of_it() -> None:
    os.mkfifo("input.txt")
    script = 'id = "s"\nstatement = "Copy it."\nfiles = { "a.txt" = { path = "input.txt" } }\n'
    Path("s.toml").write_text(f'{script}[entry]\nkind = "script"\n[[examples]]\noutputs = {{ "b.txt" = "x" }}\n')
    with pytest.raises(TaskError, match="expected a regular file"):
        load_task("s.toml")


@pytest.mark.parametrize("name", [LONG, "/".join(["y"] * 5000), "a\0b", "none", "t.toml/x"], ids=range(5))
def test_a_name_of_nothing_leads_to_nothing(name: str) -> None:
    path = Path(name)
    assert (exists(path), is_file(path), is_dir(path)) == (False, False, False)


def test_a_long_name_is_short_in_a_message() -> None:
    assert len(short(LONG)) < 200
    assert short("runs/a") == "runs/a"
    assert ConfigError(short(Path("a"))).message == "a"
