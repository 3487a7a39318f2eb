"""The command line itself: quick help, examples, exit codes, errors without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import auditcoder
from auditcoder.cli.exits import Interrupted, guarded
from auditcoder.cli.main import app
from auditcoder.errors import ConfigError, HarnessError

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
