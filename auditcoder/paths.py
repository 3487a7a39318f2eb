"""What a path leads to, for names that anybody may have typed: a name that no file can have leads to nothing."""

from __future__ import annotations

from pathlib import Path


def exists(path: Path) -> bool:
    """Return whether there is anything; False also for a name too long, or behind a folder that may not be read."""
    try:
        return path.exists()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Return whether there is a regular file (a pipe or device is none, and could be read for ever)."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_dir(path: Path) -> bool:
    """Return whether there is a folder."""
    try:
        return path.is_dir()
    except OSError:
        return False


def short(path: Path | str) -> str:
    """Return a path as a message names it: the middle of a very long one is left out."""
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]}...{text[-60:]}"
