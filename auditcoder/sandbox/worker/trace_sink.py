"""What the engines feed: which code objects are followed, and the sink that makes events of a run's lines.

Both engines tell the same things here, so that one log sees the same run.
"""

from __future__ import annotations

import builtins
import inspect
import types
from typing import Any, NamedTuple, Protocol

from auditcoder.sandbox.worker.trace_points import Head, Jump, Points

globals()["__builtins__"] = dict(vars(builtins))

MOST_EVENTS = 20_000
"""Line events; behind them there is no trace (section 2; the unit is our reading)."""
_SILENT = (StopIteration, StopAsyncIteration, GeneratorExit)
"""Exceptions that end an iteration: nothing went wrong."""


class Log(Protocol):
    """Collects what is seen. A frame is only to be read while the call lasts."""

    def entered(self, frame: types.FrameType, head: Head | None) -> None:
        """A function begins."""
        ...

    def statement(self, frame: types.FrameType, at: int) -> None:
        """A watched statement begins."""
        ...

    def moment(self, frame: types.FrameType, at: int, moment: Any) -> None:
        """A moment of interest has come."""
        ...

    def returned(self, frame: types.FrameType, at: int, value: Any) -> None:
        """A function returns a value from the statement on a line."""
        ...

    def yielded(self, frame: types.FrameType, at: int, value: Any) -> None:
        """A generator gives a value in the statement on a line."""
        ...

    def raised(self, frame: types.FrameType, at: int, error: BaseException) -> None:
        """An exception came up in the statement on a line."""
        ...

    def left(self, frame: types.FrameType) -> None:
        """A function ended, with a value or an exception."""
        ...

    def records(self) -> list[dict[str, Any]]:
        """Return what was seen."""
        ...


class Facts(NamedTuple):
    """What is known of a code object."""

    head: Head | None
    ops: bytes
    generator: bool


def facts_of(code: types.CodeType, points: Points) -> dict[int, tuple[types.CodeType, Facts]]:
    """Return the facts of a program's code objects that are followed, by id: equal code may lie in two places.

    Comprehensions, lambdas and generator expressions are parts of their statements and are not followed.
    """
    found: dict[int, tuple[types.CodeType, Facts]] = {}
    stack = [code]
    while stack:
        current = stack.pop()
        stack += [inner for inner in current.co_consts if isinstance(inner, types.CodeType)]
        if current.co_name.startswith("<") and current is not code:
            continue
        head = points.heads.get(current.co_firstlineno)
        named = head if head is not None and head.name == current.co_name else None
        generator = bool(current.co_flags & inspect.CO_GENERATOR)
        found[id(current)] = (current, Facts(named, current.co_code, generator))
    return found


class Sink:
    """Takes events from an engine. `full` turns true when the limit is passed; then the engine stops."""

    def __init__(self, points: Points, log: Log, codes: dict[int, tuple[types.CodeType, Facts]]) -> None:
        self.log, self.codes = log, codes
        self.events = 0
        self.full = False
        self.broken = False
        """The tracer itself failed, near the limit of recursion for one; what it saw is not all."""
        self._points, self._origin, self._moments = points, points.origin, points.moments
        self._at: dict[int, int] = {}
        self._returning: dict[int, int] = {}

    def entered(self, frame: types.FrameType, head: Head | None) -> None:
        """A function begins; an earlier frame may have lain in the same place."""
        self._forget(frame)
        self.log.entered(frame, head)

    def line(self, frame: types.FrameType, at: int) -> None:
        """A line begins. A line that goes on after a jump inside it (a comprehension) is not told again."""
        key = id(frame)
        if at >= len(self._origin) or self._at.get(key) == at:
            return
        self._at[key] = at
        if self._origin[at]:
            self.events += 1
            self.full = self.events > MOST_EVENTS
            self.log.statement(frame, at)
        if at in self._points.returns:
            self._returning[key] = at
        moment = self._moments.get(at)
        if moment is not None:
            if type(moment) is Jump:
                self._returning.pop(key, None)  # out of a `finally`: the return before is given up
            self.log.moment(frame, at, moment)

    def returned(self, frame: types.FrameType, value: Any) -> None:
        """A function returns. The `return` that began last says where: a `finally` may have run since."""
        self.log.returned(frame, self._returning.pop(id(frame), 0) or frame.f_lineno or 0, value)

    def raised(self, frame: types.FrameType, error: object) -> None:
        """An exception came up."""
        at, silent = frame.f_lineno or 0, issubclass(type(error), _SILENT)
        if not silent or self._returning.get(id(frame)) == at:
            self._returning.pop(id(frame), None)
        if isinstance(error, BaseException) and not silent:
            self.log.raised(frame, at, error)

    def left(self, frame: types.FrameType) -> None:
        """A function ended."""
        self._forget(frame)
        self.log.left(frame)

    def _forget(self, frame: types.FrameType) -> None:
        self._at.pop(id(frame), None)
        self._returning.pop(id(frame), None)
