"""The observer of a run: keeps the view up to date and shows it, live on a terminal, else line by line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.live import Live

from auditcoder.cli.live import advance as step
from auditcoder.cli.live.lines import lines
from auditcoder.cli.live.render import render
from auditcoder.cli.live.view import RunView
from auditcoder.cli.text import clean, counted
from auditcoder.records.events import Event

REFRESH_PER_SECOND = 4


class Watcher(AbstractContextManager["Watcher"]):
    """Follows one run. Its three callbacks may come from several threads; each replaces the view whole."""

    def __init__(
        self, console: Console, *, quiet: bool = False, title: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.view = RunView(title=title)
        self._console = console
        self._clock = clock
        self._since = clock()
        self._call_since = self._since
        self._lock = threading.Lock()
        self._plain = not quiet and not console.is_terminal
        self._told_resume = False
        live = not quiet and console.is_terminal
        self._live = (
            Live(console=console, get_renderable=self._render, refresh_per_second=REFRESH_PER_SECOND) if live else None
        )

    def on_event(self, _seq: int, event: Event, replayed: bool) -> None:
        """Take an event of the journal."""
        with self._lock:
            before = self.view
            self.view = view = step.advance(before, event, replayed=replayed)
        if self._plain and not replayed:
            self._tell_resume(before)
            for line in lines(event, view):
                self._say(line)

    def on_call(self, role: str, node: str, agent: str = "") -> None:
        """Take the start of a model call; of a rival method, with the agent that asks."""
        with self._lock:
            self._call_since = self._clock()
            self.view = step.call_started(self.view, role, node, agent)

    def on_progress(self, tokens: int, seconds: float) -> None:
        """Take the progress of the current call: answer tokens so far, seconds since it reached the model."""
        with self._lock:
            self.view = step.call_progressed(self.view, tokens, seconds)

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def _render(self) -> RenderableType:
        with self._lock:
            now = self._clock()
            return render(step.call_lasted(self.view, now - self._call_since), now - self._since, self._console.width)

    def _tell_resume(self, view: RunView) -> None:
        if view.replayed and not self._told_resume:
            steps, calls = counted(view.replayed, "recorded step"), counted(view.spent.calls, "model call")
            self._say(f"resumed {steps}, {calls} not repeated")
        self._told_resume = True

    def _say(self, line: str) -> None:
        self._console.print(clean(line).replace("\n", " "), markup=False, highlight=False, soft_wrap=True)
