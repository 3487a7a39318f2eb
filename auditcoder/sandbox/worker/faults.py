"""Exceptions of a program as plain data: type, message, frames of generated code."""

from __future__ import annotations

import builtins
import sys
from types import TracebackType
from typing import Any

from auditcoder.sandbox.worker import serialize

globals()["__builtins__"] = dict(vars(builtins))

SENTINEL = "<program>"
"""File name that the program is compiled under; only frames with this name are reported."""
_MESSAGE = 500
_ENDS = 5
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_set_traceback = BaseException.with_traceback
_excepthook = sys.__excepthook__


def describe(error: BaseException) -> dict[str, Any]:
    """Return type name, message, error number and frames of an exception that may itself be hostile."""
    kind = type(error)
    fault: dict[str, Any] = {"type": serialize.type_name(kind), "msg": _message(error), "frames": _frames(error)}
    if issubclass(kind, OSError):
        number = OSError.__dict__["errno"].__get__(error)
        fault["errno"] = number if type(number) is int else 0
    if issubclass(kind, MemoryError):
        fault["memory"] = True
    return fault


def first_own(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback from the first frame of generated code on."""
    while trace is not None and trace.tb_frame.f_code.co_filename != SENTINEL:
        trace = trace.tb_next
    return trace


def show(error: BaseException) -> None:
    """Write the traceback to standard error, as the interpreter would, without the frames of the runner."""
    own = first_own(_traceback_of(error))
    _set_traceback(error, own)
    _excepthook(type(error), error, own)


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # the program's own __str__; its failure must not hide the fault
        return ""
    return serialize.clean(str.__getitem__(text, slice(_MESSAGE)))


def _frames(error: BaseException) -> list[list[Any]]:
    frames: list[list[Any]] = []
    trace = _traceback_of(error)
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == SENTINEL:
            frames.append([trace.tb_lineno, serialize.clean(code.co_qualname[:200])])
        trace = trace.tb_next
    if issubclass(type(error), SyntaxError):
        frames += _syntax_frame(error)
    return frames if len(frames) <= 2 * _ENDS else frames[:_ENDS] + frames[-_ENDS:]


def _syntax_frame(error: BaseException) -> list[list[Any]]:
    name = SyntaxError.__dict__["filename"].__get__(error)
    line = SyntaxError.__dict__["lineno"].__get__(error)
    return [[line, "<module>"]] if name == SENTINEL and type(line) is int else []
