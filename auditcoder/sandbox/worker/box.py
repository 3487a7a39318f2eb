"""The work folder of one check: a tmpfs where there are namespaces, else a plain folder that is emptied after use."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from auditcoder.sandbox.worker import kernel
from auditcoder.sandbox.worker.namespaces import BOX
from auditcoder.sandbox.worker.setup import Setup

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Collected(NamedTuple):
    """An output file that is safe to read, opened."""

    name: str
    handle: int


class Box:
    """Work folder, /tmp, HOME and /dev/shm of one check at once."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._count = 0
        self.path = BOX

    def open(self) -> None:
        """Make the folder, empty."""
        if self._setup.namespaces:
            options = f"size={self._setup.work_mb}m,nr_inodes={self._setup.work_inodes},mode=1777"
            kernel.mount("box", BOX, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
            return
        self._count += 1
        self.path = f"{self._setup.root}/box-{self._count}"
        os.mkdir(self.path, 0o700)
        if self._setup.drop == "uid":
            os.chown(self.path, self._setup.uid, self._setup.uid)

    def close(self) -> None:
        """Remove the folder with everything in it, whatever shape a program gave it."""
        if self._setup.namespaces:
            kernel.unmount(BOX)
        else:
            _remove(self.path)

    def collect(self, names: list[str]) -> list[Collected]:
        """Return the named files that are regular, have one link and lie inside without a symbolic link on the way.

        To be called only after every process of the check is dead.
        """
        found = []
        for name in names:
            handle = _open_inside(self.path, name)
            if handle is not None:
                found.append(Collected(name, handle))
        return found


def is_inside(name: str) -> bool:
    """Return whether a name is relative and names nothing but itself on the way."""
    return not any(part in ("", ".", "..") for part in name.split("/"))


def _open_inside(root: str, name: str) -> int | None:
    *folders, last = name.split("/")
    if not is_inside(name):
        return None
    current = os.open(root, _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        handle = os.open(last, _FILE, dir_fd=current)
    except OSError:
        return None
    finally:
        os.close(current)
    facts = os.fstat(handle)
    if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1:
        return handle
    os.close(handle)
    return None


def _remove(path: str) -> None:
    """Remove a tree without recursion: sub-folders are lifted out beside it, so depth costs nothing."""
    folders, lifted = [path], 0
    while folders:
        current = folders.pop()
        for name in _names(current):
            inner = f"{current}/{name}"
            if _unlink(inner):
                continue
            lifted += 1
            os.chmod(inner, 0o700)
            os.rename(inner, f"{path}.{lifted}")
            folders.append(f"{path}.{lifted}")
        os.rmdir(current)


def _names(path: str) -> list[str]:
    os.chmod(path, 0o700)
    return os.listdir(path)


def _unlink(path: str) -> bool:
    """Return whether the entry was no folder, and is gone."""
    if stat.S_ISDIR(os.lstat(path).st_mode):
        return False
    os.unlink(path)
    return True
