"""Tracing a program in the process of the tests, on each engine that this interpreter has."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

from auditcoder.sandbox.worker.channel import Channel
from auditcoder.sandbox.worker.trace_engines import Engine
from auditcoder.sandbox.worker.tracer import Tracer

ENGINES: tuple[Engine, ...] = ("settrace", "monitoring") if hasattr(sys, "monitoring") else ("settrace",)


class _Kept(Channel):
    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def send(self, record: dict[str, Any]) -> None:
        self.records.append(json.loads(json.dumps(record)))


class Traced(NamedTuple):
    """What a traced run left behind."""

    lines: dict[tuple[int, str, str], tuple[tuple[str, ...], int]]
    """(values, count) by line, kind and name."""
    records: tuple[dict[str, Any], ...]
    """All records, the last one included."""
    result: str
    """Text of what the call returned, or type name of what came up."""

    @property
    def end(self) -> dict[str, Any]:
        """Return the last record."""
        return self.records[-1]


def traced(
    program: str,
    call: str = "",
    *,
    engine: Engine = "settrace",
    watched: Sequence[tuple[int, int]] = (),
    blocks: Sequence[tuple[int, int]] = (),
    kept: int = 10,
) -> Traced:
    """Return what the tracer sees of a program, and of a call of it.

    Args:
        program: Its text.
        call: An expression that is evaluated in its module afterwards; empty for none.
        engine: What to trace with.
        watched: (first, last) lines; empty for all.
        blocks: (line, block); empty for values by line.
        kept: Blocks that are kept.
    """
    before, channel = sys.gettrace(), _Kept()
    tracer = Tracer(channel, [list(part) for part in watched], list(blocks), kept, engine)
    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    try:
        exec(tracer.compile(program, "<program>"), module.__dict__)
        result = repr(eval(call, module.__dict__)) if call else ""
    except Exception as error:  # whatever the program does is a result
        result = type(error).__name__
    finally:
        tracer.finish()
        sys.settrace(before)
        del sys.modules["solution"]
    lines = {
        (each["l"], each["k"], each["n"]): (tuple(each["v"]), each["c"])
        for each in channel.records
        if each["r"] == "line"
    }
    return Traced(lines, tuple(channel.records), result)
