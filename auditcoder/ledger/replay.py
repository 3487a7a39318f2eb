"""Replay, then append: what both journals share. Subclasses only say how a line is stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from auditcoder.errors import LedgerDivergedError, LedgerError
from auditcoder.ledger.canonical import Clock, event_payload, same_event, seal
from auditcoder.ledger.chain import Ledger
from auditcoder.records.base import Record
from auditcoder.records.events import Effect, Event, ModelCalled, RunResumed

E = TypeVar("E", bound=Effect)
Observer = Callable[[int, Event, bool], None]
"""Gets (seq, event, replayed) after the event is stored."""
_HINT = (
    "Resume with the same task, configuration, models, machine and version of auditcoder, "
    "or start a new run in another folder; the ledger is unchanged."
)


class ObserverFailure(NamedTuple):
    """An exception that an observer raised; the run went on."""

    seq: int
    error: Exception


class ReplayingJournal(ABC):
    """A `core.protocols.Journal` over a chain of lines.

    A journal starts with the lines that are recorded already and a cursor at the first. As long as the cursor is on a
    recorded line, `emit` compares and `effect` answers from the record; behind the last one both append. So a
    deterministic caller that starts from the beginning (`RunStarted` first, with the same content) comes to where
    it was stopped without paying for anything twice, and any other caller is told where it left the path.

    Not for use by several threads: the order of the events is the order of the calls.
    """

    def __init__(self, recorded: Ledger, clock: Clock) -> None:
        self._entries = list(recorded.entries)
        self._digest = recorded.digest
        self._clock = clock
        self._cursor = 0
        self._broken = False
        self._observers: list[Observer] = []
        self.observer_failures: list[ObserverFailure] = []
        """What observers raised, oldest first."""

    @property
    def ledger(self) -> Ledger:
        """Return everything that is stored, also what is not replayed yet."""
        return Ledger(tuple(self._entries))

    @property
    def cursor(self) -> int:
        """Return the number of the next event."""
        return self._cursor

    @property
    def replaying(self) -> bool:
        """Return whether the next event is a recorded one."""
        return self._cursor < len(self._entries)

    def subscribe(self, observer: Observer) -> None:
        """Call an observer with every event from now on. What it raises is kept, and never stops the run."""
        self._observers.append(observer)

    def emit(self, event: Event) -> None:
        """Append a decision; while replaying, compare it with the recorded one.

        Raises:
            LedgerDivergedError: the recorded run did something else here.
            LedgerError: the event cannot be stored; everything before it is.
            RecordError: the event cannot be written as JSON.
        """
        if not self.replaying:
            self._append(event)
            return
        recorded = self._entries[self._cursor].event
        if not same_event(recorded, event):
            raise self._diverged(recorded, event.kind, _differences(recorded, event))
        self._replay(recorded)

    def effect(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        """Return the recorded effect with this key when it is next in the ledger, else perform and append it.

        An effect that raises leaves nothing behind, so a resumed run tries it again. A model call that failed is
        recorded; when it is the last thing that the ledger holds, the run stopped there, and a resumed run makes
        the call again behind a `run.resumed` event. Later replays pass over the failed call and that event.

        Raises:
            LedgerDivergedError: the recorded run did something else here.
            LedgerError: the effect cannot be stored, answers another key, or used this journal itself.
            RecordError: the effect cannot be written as JSON.
        """
        while self.replaying:
            recorded = self._entries[self._cursor].event
            if not isinstance(recorded, kind) or recorded.key != key:
                raise self._diverged(recorded, _kind_name(kind), "another request")
            self._replay(recorded)
            if not self._made_again(recorded):
                return recorded
        return self._perform(kind, key, perform)

    def _made_again(self, recorded: Effect) -> bool:
        """Pass over a failed call at which the run had stopped; return whether it was one."""
        if not isinstance(recorded, ModelCalled) or not recorded.error:
            return False
        if not self.replaying:
            self._append(RunResumed(failed=self._cursor - 1))
            return True
        following = self._entries[self._cursor].event
        if not isinstance(following, RunResumed):
            return False
        self._replay(following)
        return True

    def _perform(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        seq = self._cursor
        performed = perform()
        if type(performed) is not kind or performed.key != key or self._cursor != seq:
            raise LedgerError(
                f"effect {seq} ({_kind_name(kind)}) is not what was asked for",
                hint="`perform` must return that kind with that key, and not write events; this is a defect of ours.",
                seq=seq,
            )
        stored = self._append(performed)
        assert isinstance(stored, kind)  # `seal` proved that it reads back as what it is
        return stored

    @abstractmethod
    def _store(self, seq: int, raw: bytes) -> None:
        """Make a line durable, newline included.

        Raises:
            LedgerError: it could not be stored whole.
        """

    def _append(self, event: Event) -> Event:
        if self._broken:
            raise LedgerError(
                f"event {self._cursor} was not written: an earlier write failed or was interrupted",
                hint="Nothing that was written before is lost; run again with --resume.",
                seq=self._cursor,
            )
        entry = seal(seq=self._cursor, at=self._clock(), prev=self._digest, event=event)
        self._broken = True  # until all of the next lines have happened: an exception may come between any two
        self._store(self._cursor, entry.raw + b"\n")
        self._entries.append(entry)
        self._digest = entry.digest
        self._cursor += 1
        self._broken = False
        self._notify(entry.event, replayed=False)
        return entry.event

    def _replay(self, event: Event) -> None:
        self._cursor += 1
        self._notify(event, replayed=True)

    def _notify(self, event: Event, *, replayed: bool) -> None:
        seq = self._cursor - 1
        for observer in self._observers:
            try:
                observer(seq, event, replayed)
            except Exception as error:
                self.observer_failures.append(ObserverFailure(seq, error))

    def _diverged(self, recorded: Event, kind: str, difference: str) -> LedgerDivergedError:
        return LedgerDivergedError(
            f"the run does not follow its ledger at event {self._cursor}: recorded {recorded.kind}, "
            f"now {kind} ({difference})",
            hint=_HINT,
            seq=self._cursor,
            recorded=recorded.kind,
            now=kind,
            difference=difference,
        )


def _kind_name(kind: type[Record]) -> str:
    return str(kind.model_fields["kind"].default)


def _differences(one: Event, other: Event, limit: int = 5) -> str:
    if one.kind != other.kind:
        return "another step"
    paths = list(_paths(event_payload(one), event_payload(other), ""))
    more = f" and {len(paths) - limit} more" if len(paths) > limit else ""
    return "different in " + ", ".join(paths[:limit]) + more


def _paths(one: Any, other: Any, path: str) -> Iterator[str]:
    """Yield the dotted paths at which two plain JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            yield from _paths(one.get(name), other.get(name), f"{path}.{name}" if path else name)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _paths(left, right, f"{path}[{index}]")
    elif one != other:
        yield path
