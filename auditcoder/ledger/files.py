"""Files that appear whole or not at all, and that can be read to their end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 2**30
"""Bytes of a file of a run that are read; a pipe or a device, which could be read for ever, is read not at all."""


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError: there is none, it is no regular file or larger than `LARGEST`, or it cannot be read.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if found.st_size > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return path.read_bytes()


def replace_file(path: Path, data: bytes) -> None:
    """Write a file by temporary name and rename, durable when it returns: a reader sees the old or the new bytes.

    Raises:
        OSError: it could not be written; the old file, if any, is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
