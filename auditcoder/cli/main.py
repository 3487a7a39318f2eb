"""The command line: one file per command, everything heavy imported only when a command runs."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from auditcoder import __version__
from auditcoder.cli import audit, diff, doctor, methods, models, restore, schema, show, solve, verify

app = typer.Typer(
    name="auditcoder",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 ok, 1 findings (a check fails), 2 usage, 3 environment, 130 interrupted.",
)


def print_version(value: bool) -> None:
    """Print the version and stop, when asked to."""
    if value:
        print(f"auditcoder {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Generate programs whose construction record can be audited: plan, write, check, repair, and keep the proof."""


app.command("solve", epilog=solve.EXAMPLES)(solve.command)
app.command("show", epilog=show.EXAMPLES)(show.command)
app.command("verify", epilog=verify.EXAMPLES)(verify.command)
app.command("audit", epilog=audit.EXAMPLES)(audit.command)
app.command("diff", epilog=diff.EXAMPLES)(diff.command)
app.command("restore", epilog=restore.EXAMPLES)(restore.command)
app.command("doctor", epilog=doctor.EXAMPLES)(doctor.command)
app.command("schema", epilog=schema.EXAMPLES)(schema.command)
app.command("methods", epilog=methods.EXAMPLES)(methods.command)
app.add_typer(models.app, name="models")


def main() -> None:
    """Run the command line (the `auditcoder` script); what the terminal's encoding lacks is shown as `?`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()
