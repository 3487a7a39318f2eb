"""Runs the program of a request in one of its modes and writes what came of it as records."""

from __future__ import annotations

import atexit
import builtins
import linecache
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from auditcoder.sandbox.worker import advisory, faults, serialize, streams, unittests
from auditcoder.sandbox.worker.channel import Channel

globals()["__builtins__"] = dict(vars(builtins))

_join_threads: Callable[[], None] = threading._shutdown  # type: ignore[attr-defined]
_run_at_exit = atexit._run_exitfuncs
_modules = sys.modules
_limit_recursion, _recursion_limit, _getframe = sys.setrecursionlimit, sys.getrecursionlimit, sys._getframe
_BELOW, _ABOVE = 12, 16
"""At most so many calls between `run` and the program's own code, and of a watcher above it."""


def run(request: dict[str, Any], channel: Channel, box: str) -> int:
    """Run a request and return the exit status for this process."""
    watch = advisory.make(request.get("watch"), channel)
    _make_room(watch)
    if request["mode"] == "program":
        return _run_program(request, channel, box, watch)
    return _run_module(request, channel, watch)


def _make_room(watch: advisory.Watcher | None) -> None:
    """Raise the recursion limit by the calls that are below the program here and not below a plain `python file`.

    A wrapped unit takes two calls where it took one; a tracer's own calls are above the deepest one.
    """
    depth, frame = _BELOW + (_ABOVE if watch is not None else 0), _getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    _limit_recursion(_recursion_limit() * (2 if watch is not None and watch.doubles_calls else 1) + depth)


def _module(name: str, path: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(__builtins__=builtins, __file__=path)
    _modules[name] = module
    return module


def _compile(source: str, path: str, watch: advisory.Watcher | None) -> Any:
    """Return the program's code; the source goes into linecache, for tracebacks and `inspect.getsource`."""
    lines = source.splitlines(keepends=True)
    for name in (faults.SENTINEL, path):
        linecache.cache[name] = (len(source), None, lines, name)
    if watch is not None:
        return watch.compile(source, faults.SENTINEL)
    return compile(source, faults.SENTINEL, "exec", dont_inherit=True)


def _run_program(request: dict[str, Any], channel: Channel, box: str, watch: advisory.Watcher | None) -> int:
    """Run as `python program.py` would, to the end: threads, exit functions, flush."""
    streams.install()
    sys.argv = ["program.py", *request["argv"]]
    sys.path.insert(0, box)
    module = _module("__main__", f"{box}/program.py")
    status, fault = 0, None
    try:
        exec(_compile(request["code"], f"{box}/program.py", watch), module.__dict__)
    except SystemExit as error:
        status = _exit_status(error)
    except BaseException as error:
        fault = faults.describe(error)
        faults.show(error)
        status = 1
    if fault is not None:
        channel.send({"r": "error", "x": fault})
    _join_threads()
    _run_at_exit()
    if not streams.flush() and status == 0:
        status = 120
    if watch is not None:
        watch.finish()
    channel.send({"r": "end"})
    return status


def _exit_status(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if type(code) is int:
        return code & 0xFF
    try:
        sys.stderr.write(f"{code}\n")
    except BaseException:  # the program's own object or stream; the status says enough
        return 1
    return 1


def _run_module(request: dict[str, Any], channel: Channel, watch: advisory.Watcher | None) -> int:
    """Execute the module once, then answer the items; end at once afterwards, so that no late code runs."""
    out, err = streams.install_counting()
    flush = (sys.stdout.flush, sys.stderr.flush)
    sys.argv = ["program.py"]
    pristine = unittests.Pristine() if request["mode"] == "unittest" else None
    tests = iter((request.pop("test", ""),))  # in no variable while the program loads; who searches on finds it
    module = _module("solution", "program.py")
    try:
        exec(_compile(request["code"], "program.py", watch), module.__dict__)
    except BaseException as error:
        channel.send({"r": "load-error", "x": faults.describe(error)})
        if watch is not None:
            watch.finish()
        return 0
    channel.send({"r": "loaded"})
    if pristine is not None:
        pristine.restore()
        channel.send({"r": "tests", **unittests.run(next(tests), module)})
    else:
        items = _Items(request, channel, module, flush)
        for index, item in enumerate(request["items"]):
            items.answer(index, item, out, err)
    _flush_all(flush)
    if watch is not None:
        watch.finish()
    channel.send({"r": "end"})
    return 0


def _flush_all(methods: tuple[Callable[[], None], ...]) -> None:
    for method in methods:
        try:
            method()
        except (OSError, ValueError):
            continue  # the program closed the stream; its values count all the same


class _Items:
    def __init__(
        self, request: dict[str, Any], channel: Channel, module: types.ModuleType, flush: tuple[Callable[[], None], ...]
    ) -> None:
        self._name = request["name"]
        self._limit = request["record_limit"]
        self._channel = channel
        self._module = module
        self._flush = flush

    def answer(self, index: int, item: dict[str, Any], out: streams.CountingRaw, err: streams.CountingRaw) -> None:
        """Run one item and write its record; output so far is flushed first and counted in the record."""
        record: dict[str, Any] = {"r": "item", "i": index}
        try:
            if "calls" in item:
                values = self._calls(item)
                self._finish(record, out, err)
                self._channel.send_value(record, lambda _: values)
                return
            value = self._target()(*serialize.decode(item["args"]))
            self._finish(record, out, err)
            self._channel.send_value(record, lambda size: serialize.encode(value, size=size))
        except BaseException as error:
            fault = faults.describe(error)
            self._finish(record, out, err)
            self._channel.send({**record, "x": fault})

    def _finish(self, record: dict[str, Any], out: streams.CountingRaw, err: streams.CountingRaw) -> None:
        _flush_all(self._flush)
        record["o"], record["e"] = out.count, err.count

    def _target(self) -> Any:
        found: Any = self._module
        for part in self._name.split("."):
            found = getattr(found, part)
        return found

    def _calls(self, item: dict[str, Any]) -> list[Any]:
        """Return the encoded results; each is encoded before the next call, which may change it."""
        instance = self._target()(*serialize.decode(item["init"]))
        values = []
        for call in item["calls"]:
            result = getattr(instance, call["m"])(*serialize.decode(call["args"]))
            values.append(serialize.encode(result, size=self._limit))
        return values
