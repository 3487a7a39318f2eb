"""Following a program's run line by line, on `sys.monitoring` or `sys.settrace`: both feed the same log the same way.

Only code of the program is followed, only in the main thread, and no further than a limit of line events.
"""

from __future__ import annotations

import builtins
import inspect
import opcode
import sys
import threading
import types
from typing import Any, Literal, NamedTuple, Protocol

from auditcoder.sandbox.worker.trace_points import Head, Points

globals()["__builtins__"] = dict(vars(builtins))

MOST_EVENTS = 20_000
"""Line events; behind them there is no trace (section 2; the unit is our reading)."""
Engine = Literal["settrace", "monitoring"]
_ident, _getframe = threading.get_ident, sys._getframe
_settrace, _gettrace = sys.settrace, sys.gettrace
_monitoring: Any = getattr(sys, "monitoring", None)
_TOOL = 4
"""Not one of the numbers that are reserved for debuggers, coverage, profilers and optimizers."""
_RETURNS = frozenset(opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap)
_YIELD, _RESUME = opcode.opmap["YIELD_VALUE"], opcode.opmap["RESUME"]
_SILENT = (StopIteration, StopAsyncIteration, GeneratorExit)
"""Exceptions that end an iteration: nothing went wrong."""


def best_engine() -> Engine:
    """Return the engine that this interpreter traces with."""
    return "monitoring" if _monitoring is not None else "settrace"


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
        self._origin, self._moments = points.origin, points.moments
        self._last = (0, 0)

    def line(self, frame: types.FrameType, at: int) -> None:
        """A line begins. A line that goes on after a jump inside it (a comprehension) is not counted again."""
        if at >= len(self._origin):
            return
        if self._origin[at] and self._last != (id(frame), at):
            self.events += 1
            self.full = self.events > MOST_EVENTS
            self.log.statement(frame, at)
        self._last = (id(frame), at)
        moment = self._moments.get(at)
        if moment is not None:
            self.log.moment(frame, at, moment)

    def raised(self, frame: types.FrameType, at: int, error: object) -> None:
        """An exception came up."""
        if isinstance(error, BaseException) and not issubclass(type(error), _SILENT):
            self.log.raised(frame, at, error)


class Follower(Protocol):
    """A run that is followed."""

    sink: Sink

    def stop(self) -> bool:
        """Stop; return whether the program left the tracing alone."""
        ...


def follow(sink: Sink, engine: Engine) -> Follower:
    """Begin to follow what the program does from here on."""
    follower = _Monitoring(sink) if engine == "monitoring" else _Settrace(sink)
    follower.start()
    return follower


class _Settrace:
    """Follows by `sys.settrace`."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._raised = 0

    def start(self) -> None:
        """Begin to follow."""
        _settrace(self._called)

    def stop(self) -> bool:
        """Stop; return whether the program left the tracing alone."""
        undisturbed = self.sink.full or _gettrace() == self._called
        _settrace(None)
        return undisturbed

    def _called(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        known = self.sink.codes.get(id(frame.f_code))
        if known is None:
            return None
        self._raised = 0
        if not _at_yield(frame.f_lasti, known[1].ops):
            self.sink.log.entered(frame, known[1].head)
        return self._event

    def _event(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._raised = 0
            self.sink.line(frame, frame.f_lineno)
            if self.sink.full:
                _settrace(None)
                return None
        elif event == "return":
            self._return(frame, argument)
        elif event == "exception":
            self._raised = id(frame)
            self.sink.raised(frame, frame.f_lineno or 0, argument[1])
        return self._event

    def _return(self, frame: types.FrameType, value: Any) -> None:
        """Tell a value that is returned from one that is yielded and from an exception: the event does not say."""
        facts = self.sink.codes[id(frame.f_code)][1]
        at, offset = frame.f_lineno or 0, frame.f_lasti
        if _at_yield(offset, facts.ops) and self._raised != id(frame):
            if facts.generator:
                self.sink.log.yielded(frame, at, value)
            return
        if offset >= 0 and facts.ops[offset] in _RETURNS:
            self.sink.log.returned(frame, at, value)
        self.sink.log.left(frame)


def _at_yield(offset: int, ops: bytes) -> bool:
    """Return whether a frame stands at a `yield`, or right behind it, where it goes on."""
    return offset >= 2 and (ops[offset] == _YIELD or (ops[offset - 2] == _YIELD and ops[offset] == _RESUME))


class _Monitoring:
    """Follows by `sys.monitoring` (Python 3.12 on): events of the program's own code objects only."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._thread = _ident()

    def start(self) -> None:
        """Begin to follow."""
        events = _monitoring.events
        _monitoring.use_tool_id(_TOOL, "auditcoder")
        for event, callback in (
            (events.PY_START, self._start),
            (events.LINE, self._line),
            (events.PY_RETURN, self._return),
            (events.PY_YIELD, self._yield),
            (events.RAISE, self._raise),
            (events.PY_UNWIND, self._unwind),
        ):
            _monitoring.register_callback(_TOOL, event, callback)
        _monitoring.set_events(_TOOL, events.RAISE | events.PY_UNWIND)
        for code, _ in self.sink.codes.values():
            own = events.PY_START | events.LINE | events.PY_RETURN | events.PY_YIELD
            _monitoring.set_local_events(_TOOL, code, own)

    def stop(self) -> bool:
        """Stop; return whether the program left the tracing alone."""
        undisturbed = self.sink.full or _monitoring.get_tool(_TOOL) == "auditcoder"
        if _monitoring.get_tool(_TOOL) is not None:
            self._silence()
            _monitoring.free_tool_id(_TOOL)
        return bool(undisturbed)

    def _silence(self) -> None:
        _monitoring.set_events(_TOOL, 0)
        for code, _ in self.sink.codes.values():
            _monitoring.set_local_events(_TOOL, code, 0)

    def _facts(self, code: types.CodeType) -> Facts | None:
        known = self.sink.codes.get(id(code))
        return known[1] if known is not None and _ident() == self._thread and not self.sink.full else None

    def _start(self, code: types.CodeType, offset: int) -> None:
        facts = self._facts(code)
        if facts is not None:
            self.sink.log.entered(_getframe(1), facts.head)

    def _line(self, code: types.CodeType, line: int) -> None:
        if self._facts(code) is not None:
            self.sink.line(_getframe(1), line)
            if self.sink.full:
                self._silence()

    def _return(self, code: types.CodeType, offset: int, value: Any) -> None:
        if self._facts(code) is not None:
            frame = _getframe(1)
            self.sink.log.returned(frame, frame.f_lineno or 0, value)
            self.sink.log.left(frame)

    def _yield(self, code: types.CodeType, offset: int, value: Any) -> None:
        facts = self._facts(code)
        if facts is not None and facts.generator:
            frame = _getframe(1)
            self.sink.log.yielded(frame, frame.f_lineno or 0, value)

    def _raise(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        if self._facts(code) is not None:
            frame = _getframe(1)
            self.sink.raised(frame, frame.f_lineno or 0, error)

    def _unwind(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        if self._facts(code) is not None:
            self.sink.log.left(_getframe(1))
