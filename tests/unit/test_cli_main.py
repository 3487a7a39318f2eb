"""The command line itself: quick help, examples, exit codes, errors without a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import auditcoder
from auditcoder.cli.exits import Interrupted, guarded
from auditcoder.cli.main import app
from auditcoder.errors import ConfigError, HarnessError
from auditcoder.records.config import RunConfig

COMMANDS = (
    ("solve",), ("show",), ("doctor",), ("schema",), ("models", "list"), ("models", "fetch"), ("models", "check"),
)  # fmt: skip
HEAVY = ("dspy", "litellm", "networkx", "xllamacpp", "numpy", "openai", "RestrictedPython", "auditcoder.records")
"""What no help may import; pydantic comes with Typer for every command that has options."""


def modules_after(*arguments: str) -> set[str]:
    program = (
        "import sys\nfrom auditcoder.cli.main import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert "Usage:" in run.stdout
    return set(run.stderr.splitlines())


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert modules_after(*arguments, "--help") & set(HEAVY) == set()


def test_the_first_help_imports_not_even_pydantic() -> None:
    assert modules_after("--help") & {*HEAVY, "pydantic"} == set()


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_every_command_has_an_example(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*arguments, "--help"])
    assert result.exit_code == 0
    assert f"auditcoder {' '.join(arguments)}" in result.output.partition("Example")[2]


def test_the_exit_codes_are_told() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "0 ok, 1 findings (a check fails), 2 usage, 3 environment, 130 interrupted" in text


def test_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"auditcoder {auditcoder.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["solved"], ["solve", "--granularity", "huge"], ["solve", "--k", "31"], ["solve", "--nothing"], ["show"]],
    ids=["command", "choice", "range", "option", "argument"],
)
def test_a_wrong_command_line_is_exit_code_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2


def outcome(error: BaseException | int) -> tuple[int, str]:
    """Return exit code and standard error of a command that raises, or returns, this."""
    small = typer.Typer()

    @small.command()
    @guarded
    def command(*, debug: bool = False) -> int:
        if isinstance(error, int):
            return error
        raise error

    result = CliRunner().invoke(small, [])
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (0, 0, ""),
        (1, 1, ""),
        (ConfigError("bad k", hint="use 2"), 2, "error[config]: bad k\n  use 2\n"),
        (HarnessError("worker lost"), 3, "error[harness]: worker lost\n"),
        (KeyboardInterrupt(), 130, "\nInterrupted.\n"),
        (Interrupted("auditcoder solve --resume r"), 130, "\nInterrupted.\nresume with: auditcoder solve --resume r\n"),
    ],
    ids=["ok", "findings", "usage", "environment", "ctrl-c", "resumable"],
)
def test_exit_codes(error: BaseException | int, code: int, text: str) -> None:
    assert outcome(error) == (code, text)


STEERING = ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r", "\x00", "\u202e", "\u2066", "\u2028", "\ud800"]


@pytest.mark.parametrize("part", ["message", "hint", "note"])
@pytest.mark.parametrize("text", STEERING, ids=ascii)
def test_nothing_that_steers_the_terminal_is_printed(text: str, part: str) -> None:
    told = f"before{text}after"
    error = ConfigError(told if part == "message" else "bad", hint=told if part == "hint" else "")
    if part == "note":
        error.add_note(told)
    code, shown = outcome(error)
    assert code == 2
    assert "before" in shown
    assert "after" in shown
    assert not [char for char in shown if char != "\n" and not char.isprintable()]


def test_a_defect_of_ours_keeps_its_traceback() -> None:
    small = typer.Typer()

    @small.command()
    @guarded
    def command() -> int:
        raise ZeroDivisionError

    assert type(CliRunner().invoke(small, []).exception) is ZeroDivisionError


def test_sigterm_is_like_ctrl_c() -> None:
    small = typer.Typer()

    @small.command()
    @guarded
    def command() -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    before = signal.getsignal(signal.SIGTERM)
    assert CliRunner().invoke(small, []).exit_code == 130
    assert signal.getsignal(signal.SIGTERM) is before


SCRIPT = "from auditcoder.cli.main import main; main()"


def piped(command: str, **environment: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a command of ours in a shell with `pipefail`."""
    line = ["bash", "-o", "pipefail", "-c", command.replace("auditcoder", f'"{sys.executable}" -c "{SCRIPT}"', 1)]
    run = subprocess.run(line, capture_output=True, env={**os.environ, **environment}, check=False)
    return run.returncode, run.stdout.decode("utf-8", "replace"), run.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize("command", ["schema ledger", "models list", "models list --json"])
def test_a_reader_that_goes_away_is_no_error(command: str) -> None:
    assert piped(f"auditcoder {command} | true") == (0, "", "")


def test_a_console_whose_reader_went_away_lets_the_command_go_on() -> None:
    program = (
        "import os, sys\n"
        "from auditcoder.cli.terminal import terminal\n"
        "read, write = os.pipe()\nos.close(read)\nos.dup2(write, 1)\n"
        "console = terminal()\nconsole.print('one')\nconsole.print('two')\nprint('the end', file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "the end\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_that_lacks_a_character_is_no_error(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "✓.gguf").write_bytes(b"GGUF")
    fetch = f"auditcoder models fetch 'gguf:{tmp_path}/✓.gguf'"
    assert piped(fetch, PYTHONIOENCODING=f"{encoding}:strict") == (0, f"{tmp_path}/?.gguf\n", "")


def test_an_error_is_one_json_object_too() -> None:
    result = CliRunner().invoke(app, ["solve", "-c", "kay=2", "x.toml", "--json"])
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["code"], error["field"]) == (2, "config", "kay")
    assert error["message"] == "-c kay=2: kay: there is no such setting"
    assert error["hint"].endswith(f"{list(RunConfig.model_fields)[-1]}.")
    assert "error[config]" in result.stderr
