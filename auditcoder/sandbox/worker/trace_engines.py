"""Following a program's run line by line, on `sys.monitoring` or `sys.settrace`: both feed the same log the same way.

Only code of the program is followed, only in the main thread, and no further than a limit of line events.
"""

from __future__ import annotations

import builtins
import opcode
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Literal, Protocol

from auditcoder.sandbox.worker.trace_sink import Facts, Sink

globals()["__builtins__"] = dict(vars(builtins))

Engine = Literal["settrace", "monitoring"]
_ident, _getframe = threading.get_ident, sys._getframe
_settrace, _gettrace = sys.settrace, sys.gettrace
_monitoring: Any = getattr(sys, "monitoring", None)
_TOOL = 4
"""Not one of the numbers that are reserved for debuggers, coverage, profilers and optimizers."""
_RETURNS = frozenset(opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap)
_YIELD, _RESUME = opcode.opmap["YIELD_VALUE"], opcode.opmap["RESUME"]
_OWN_ERRORS = (RecursionError, AttributeError, LookupError, TypeError, ValueError, OverflowError)
"""What could go wrong in the tracer must not come up in the program; what a program's signal handler raises may."""


def best_engine() -> Engine:
    """Return the engine that this interpreter traces with."""
    return "monitoring" if _monitoring is not None else "settrace"


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
        undisturbed = not self.sink.broken and (self.sink.full or _gettrace() == self._called)
        _settrace(None)
        return undisturbed

    def _called(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        known = self.sink.codes.get(id(frame.f_code))
        if known is None:
            return None
        self._raised = 0
        if not _at_yield(frame.f_lasti, known[1].ops):
            try:
                self.sink.entered(frame, known[1].head)
            except _OWN_ERRORS:
                return self._give_up()
        return self._event

    def _event(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        try:
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
                self.sink.raised(frame, argument[1])
        except _OWN_ERRORS:
            return self._give_up()
        return self._event

    def _give_up(self) -> None:
        self.sink.broken = True
        _settrace(None)

    def _return(self, frame: types.FrameType, value: Any) -> None:
        """Tell a value that is returned from one that is yielded and from an exception: the event does not say."""
        facts = self.sink.codes[id(frame.f_code)][1]
        offset = frame.f_lasti
        if _at_yield(offset, facts.ops) and self._raised != id(frame):
            if facts.generator:
                self.sink.log.yielded(frame, frame.f_lineno or 0, value)
            return
        if offset >= 0 and facts.ops[offset] in _RETURNS:
            self.sink.returned(frame, value)
        self.sink.left(frame)


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
            _monitoring.register_callback(_TOOL, event, self._guarded(callback))
        _monitoring.set_events(_TOOL, events.RAISE | events.PY_UNWIND)
        for code, _ in self.sink.codes.values():
            own = events.PY_START | events.LINE | events.PY_RETURN | events.PY_YIELD
            _monitoring.set_local_events(_TOOL, code, own)

    def stop(self) -> bool:
        """Stop; return whether the program left the tracing alone."""
        left_alone = _monitoring.get_tool(_TOOL) == "auditcoder"
        if _monitoring.get_tool(_TOOL) is not None:
            self._silence()
            _monitoring.free_tool_id(_TOOL)
        return not self.sink.broken and (self.sink.full or left_alone)

    def _silence(self) -> None:
        _monitoring.set_events(_TOOL, 0)
        for code, _ in self.sink.codes.values():
            _monitoring.set_local_events(_TOOL, code, 0)

    def _guarded(self, take: Callable[[types.FrameType, Facts, Any], None]) -> Callable[..., None]:
        """Return the callback of an event that is of use only in followed code: its frame, facts and last argument."""

        def told(code: types.CodeType, *arguments: Any) -> None:
            known = self.sink.codes.get(id(code))
            if known is None or _ident() != self._thread or self.sink.full or self.sink.broken:
                return
            try:
                take(_getframe(1), known[1], arguments[-1])
                if self.sink.full:
                    self._silence()
            except _OWN_ERRORS:
                self.sink.broken = True
                self._silence()

        return told

    def _start(self, frame: types.FrameType, facts: Facts, offset: int) -> None:
        self.sink.entered(frame, facts.head)

    def _line(self, frame: types.FrameType, facts: Facts, line: int) -> None:
        self.sink.line(frame, line)

    def _return(self, frame: types.FrameType, facts: Facts, value: Any) -> None:
        self.sink.returned(frame, value)
        self.sink.left(frame)

    def _yield(self, frame: types.FrameType, facts: Facts, value: Any) -> None:
        if facts.generator:
            self.sink.log.yielded(frame, frame.f_lineno or 0, value)

    def _raise(self, frame: types.FrameType, facts: Facts, error: BaseException) -> None:
        self.sink.raised(frame, error)

    def _unwind(self, frame: types.FrameType, facts: Facts, error: BaseException) -> None:
        self.sink.left(frame)
