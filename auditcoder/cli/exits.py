"""Exit codes, and the one edge where an error becomes a message and a code."""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, ParamSpec, TextIO

import typer

from auditcoder.cli.text import clean
from auditcoder.errors import AuditCoderError, UsageError

OK = 0
FINDINGS = 1
USAGE = 2
ENVIRONMENT = 3
INTERRUPTED = 130

P = ParamSpec("P")


class Interrupted(BaseException):
    """The run was stopped by Ctrl-C or SIGTERM; `resume` is the command that goes on."""

    def __init__(self, resume: str = "") -> None:
        super().__init__(resume)
        self.resume = resume


def guarded(command: Callable[P, int]) -> Callable[P, NoReturn]:
    """Return the command as Typer needs it: its int becomes the exit code, an error of ours becomes a message.

    A traceback is shown only with `--debug`; a defect of ours (any other exception) always shows its own.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> NoReturn:
        try:
            with sigterm_as_interrupt():
                code = command(*args, **kwargs)
            flush_output()
        except AuditCoderError as error:
            if kwargs.get("debug"):
                raise
            complain(error)
            if kwargs.get("json"):
                print(json.dumps({"error": error_data(error)}, indent=2))
            raise typer.Exit(error.exit_code) from error
        except (Interrupted, KeyboardInterrupt) as stop:
            print("\nInterrupted.", file=sys.stderr)
            if isinstance(stop, Interrupted) and stop.resume:
                print(f"resume with: {stop.resume}", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from stop
        except BrokenPipeError as error:  # `auditcoder show RUN | head`
            discard(sys.stdout)
            raise typer.Exit(OK) from error
        raise typer.Exit(code)

    return run


def complain(error: AuditCoderError) -> None:
    """Print an error of ours: code, message, and on the next lines what to do.

    A message may quote a server, a file or a program: what could steer the terminal is not printed.
    """
    print(clean(f"error[{error.code}]: {error.message}"), file=sys.stderr)
    for more in (*error.hint.splitlines(), *getattr(error, "__notes__", ())):
        print(clean(f"  {more}"), file=sys.stderr)


def error_data(error: AuditCoderError) -> dict[str, object]:
    """Return an error as plain JSON: code, message, hint, and those of its fields that are plain values."""
    plain = {name: value for name, value in error.fields.items() if isinstance(value, str | int | float)}
    notes = getattr(error, "__notes__", ())
    more: dict[str, object] = {"notes": list(notes)} if notes else {}
    return {**plain, "code": error.code, "message": error.message, "hint": error.hint, **more}


def flush_output() -> None:
    """Write out what is buffered; a reader that went away, as `head` does, changes no exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: TextIO) -> None:
    """Let all that is written to a stream from now on, and what it holds still, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C while the block runs."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: whoever runs us there handles its signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def usage_error(message: str, hint: str = "") -> UsageError:
    """Return the error for a command line that cannot be used (exit code 2)."""
    return UsageError(message, hint=hint)
