"""Advisory runs: calls of named units with values, their CPU self time, their memory. They never decide a verdict.

The units are wrapped by a decorator that is put next to their `def` in the syntax tree (lines stay true), in runs
of their own, after the verdict.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any, Protocol

from auditcoder.sandbox.worker import costs, serialize, tracer
from auditcoder.sandbox.worker.channel import Channel

globals()["__builtins__"] = dict(vars(builtins))

_HOOK = "__auditcoder_watch__"
PER_UNIT, CALLS, VALUE_NODES, VALUE_SIZE = 20, 5000, 2000, 20_000
"""Calls kept per unit (and every failing one), calls wrapped in all, and the caps of one recorded value."""


class Tool(Protocol):
    """Wraps a function that belongs to a unit."""

    def wrap(self, unit: str, function: Callable[..., Any], *, method: bool) -> Callable[..., Any]:
        """Return the function that takes its place."""
        ...

    def finish(self) -> None:
        """Write what is left to write."""
        ...


class Watcher(Protocol):
    """Follows the run of a program that it compiled."""

    doubles_calls: bool
    """Whether a call of the program takes two."""

    def compile(self, source: str, name: str) -> Any:
        """Return the code of the program, to be run once."""
        ...

    def finish(self) -> None:
        """Write what is left to write."""
        ...


def make(request: dict[str, Any] | None, channel: Channel) -> Watcher | None:
    """Return the watcher that a request asks for, if any."""
    if request is None:
        return None
    if request["tool"] == "trace":
        return tracer.Tracer(channel, request["lines"], request["blocks"], request["kept"])
    tool: Tool
    if request["tool"] == "calls":
        tool = Recorder(channel)
    elif request["tool"] == "cpu":
        tool = costs.CpuMeter(channel)
    else:
        tool = costs.MemoryMeter(channel)
    return Watch(tool, request["units"])


class Watch:
    """Compiles a program so that its units pass through a tool."""

    doubles_calls = True

    def __init__(self, tool: Tool, units: list[str]) -> None:
        self._tool = tool
        self._units = frozenset(units)

    def compile(self, source: str, name: str) -> Any:
        """Return the code of the program with its units wrapped."""
        tree = ast.parse(source, name)
        setattr(builtins, _HOOK, self._hook)
        for statement in tree.body:
            self._mark(statement, "")
        return compile(tree, name, "exec", dont_inherit=True)

    def finish(self) -> None:
        """Write what the tool still holds."""
        self._tool.finish()

    def _mark(self, statement: ast.stmt, prefix: str) -> None:
        if isinstance(statement, ast.ClassDef):
            for member in statement.body:
                self._mark(member, f"{prefix}{statement.name}.")
        elif isinstance(statement, ast.FunctionDef) and prefix + statement.name in self._units:
            static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in statement.decorator_list)
            statement.decorator_list.append(_decorator(prefix + statement.name, bool(prefix) and not static, statement))
        elif not isinstance(statement, ast.AsyncFunctionDef | ast.FunctionDef):
            for inner in ast.iter_child_nodes(statement):
                if isinstance(inner, ast.stmt):
                    self._mark(inner, prefix)

    def _hook(self, unit: str, method: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            wrapped = self._tool.wrap(unit, function, method=method)
            for name in ("__module__", "__name__", "__qualname__", "__doc__", "__defaults__", "__kwdefaults__"):
                try:
                    setattr(wrapped, name, getattr(function, name))
                except (AttributeError, TypeError):
                    continue
            wrapped.__wrapped__ = function  # type: ignore[attr-defined]
            return wrapped

        return decorate


def _decorator(unit: str, method: bool, at: ast.stmt) -> ast.expr:
    call = ast.Call(
        func=ast.Name(id=_HOOK, ctx=ast.Load()),
        args=[ast.Constant(value=unit), ast.Constant(value=method)],
        keywords=[],
    )
    for node in ast.walk(call):
        ast.copy_location(node, at)
    return call


class Recorder:
    """Writes each call in two records: arguments before it runs (they may be changed), result after."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._kept: dict[str, int] = {}
        self._count = 0
        self._cut = False

    def wrap(self, unit: str, function: Callable[..., Any], *, method: bool) -> Callable[..., Any]:
        """Return a function that records itself while the caps allow it."""

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self._count += 1
            if self._count > CALLS:
                self._cut = True
                return function(*args, **kwargs)
            index = self._count
            values = _snapshot(_positional(function, args, kwargs)[int(method) :])
            keep = self._kept.get(unit, 0) < PER_UNIT
            self._kept[unit] = self._kept.get(unit, 0) + 1
            self._cut = self._cut or not keep
            if keep:
                self._channel.send({"r": "call", "n": index, "u": unit, "a": values})
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                if not keep:
                    self._channel.send({"r": "call", "n": index, "u": unit, "a": values})
                self._channel.send({"r": "ret", "n": index, "x": serialize.type_name(type(error))})
                raise
            if keep:
                self._channel.send({"r": "ret", "n": index, "v": _snapshot([result])[0]})
            return result

        return recorded

    def finish(self) -> None:
        """Say whether every call was kept."""
        self._channel.send({"r": "recorded", "complete": not self._cut})


def _snapshot(values: list[Any]) -> list[Any]:
    encoded = []
    for value in values:
        try:
            encoded.append(serialize.encode(value, nodes=VALUE_NODES, size=VALUE_SIZE))
        except (serialize.TooBigError, RecursionError):
            encoded.append({"t": "cut", "v": "size"})
    return encoded


def _positional(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the arguments in the order of the parameters: keywords and defaults put in their places."""
    code: Any = getattr(function, "__code__", None)
    values = list(args)
    if code is None:
        return values
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(getattr(function, "__defaults__", None) or ()), strict=False))
    for name in names[len(values) :]:
        if name in kwargs:
            values.append(kwargs[name])
        elif name in defaults:
            values.append(defaults[name])
        else:
            break
    return values
