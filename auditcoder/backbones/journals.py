"""A journal for calls that belong to no run, such as probes and live tests."""

from __future__ import annotations

from collections.abc import Callable

from auditcoder.core.protocols import E
from auditcoder.records.events import Event, ModelCalled


class DirectJournal:
    """Performs every effect and keeps the model calls in `calls`."""

    def __init__(self) -> None:
        self.calls: list[ModelCalled] = []

    def emit(self, event: Event) -> None:
        """Drop a decision: there is no run that it could belong to."""

    def effect(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        """Return what `perform` gives."""
        event = perform()
        if isinstance(event, ModelCalled):
            self.calls.append(event)
        return event
