"""The progress of fetching weights: a bar on a terminal, else a line every tenth."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from auditcoder.backbones.weights import FetchProgress

MEGABYTE = 1_000_000


class FetchBar(AbstractContextManager["FetchBar"]):
    """Shows `FetchProgress` reports; shows nothing when none come, as when the weights are here already."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn(), console=console
        )
        self._task: TaskID | None = None
        self._tenth = (-1, "")

    def __call__(self, progress: FetchProgress) -> None:
        """Take a report."""
        if self._quiet:
            return
        if self._console.is_terminal:
            self._show(progress)
        else:
            self._say(progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._bar.stop()

    def _show(self, progress: FetchProgress) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task("weights")
        self._bar.update(self._task, description=said(progress), completed=progress.done, total=progress.total)

    def _say(self, progress: FetchProgress) -> None:
        tenth = (10 * progress.done // max(1, progress.total), progress.source)
        if tenth != self._tenth:
            self._tenth = tenth
            done, total = progress.done // MEGABYTE, progress.total // MEGABYTE
            self._console.print(f"weights {said(progress)}: {done} of {total} MB", markup=False, highlight=False)


def said(progress: FetchProgress) -> str:
    """Return where the bytes come from, in words."""
    return "verifying" if progress.source == "verify" else f"from {progress.source}"
