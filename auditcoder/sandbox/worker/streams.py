"""Standard streams of a child, made as the interpreter makes them."""

from __future__ import annotations

import io
import os
import sys

_write = os.write


class CountingRaw(io.RawIOBase):
    """A descriptor that counts what goes through it, so that output can be told apart by call."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle
        self.count = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._handle

    def write(self, data: object) -> int:
        """Return how many bytes were written."""
        written = _write(self._handle, data)  # type: ignore[arg-type]
        self.count += written
        return written


def install() -> None:
    """Replace the worker's standard streams by real ones on descriptors 0 to 2."""
    source = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    target = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdin = sys.__stdin__ = source  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = target  # type: ignore[misc]
    _install_stderr(None)


def install_counting() -> tuple[CountingRaw, CountingRaw]:
    """Replace the standard streams by counting ones; return those of output and errors."""
    install()
    out, err = CountingRaw(1), CountingRaw(2)
    buffered = io.BufferedWriter(out)
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(buffered, encoding="utf-8", errors="surrogateescape")  # type: ignore[misc]
    _install_stderr(err)
    return out, err


def _install_stderr(raw: CountingRaw | None) -> None:
    buffered = io.BufferedWriter(raw if raw is not None else io.FileIO(2, "w", closefd=False))
    stream = io.TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.stderr = sys.__stderr__ = stream  # type: ignore[misc]


def flush() -> bool:
    """Flush both output streams; return whether the output went out (a stream that was closed is no failure)."""
    fine = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError, AttributeError):
            fine = False
    return fine
