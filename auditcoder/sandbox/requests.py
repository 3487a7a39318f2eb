"""Checks as requests for a child. Expected values never go in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from auditcoder.errors import TaskError
from auditcoder.records.task import (
    CallsInput,
    Check,
    EntryPoint,
    FilesInput,
    FunctionInput,
    Limits,
    ProgramInput,
    UnittestInput,
)
from auditcoder.sandbox.child_run import Order
from auditcoder.sandbox.records import RecordStream

BATCHED = (FunctionInput, CallsInput)
"""Inputs of which many go to one child."""


class Job:
    """A program, how it is entered, and its limits."""

    def __init__(self, program: str, entry: EntryPoint, limits: Limits) -> None:
        self.program, self.entry, self.limits = program, entry, limits
        self.lines = max(1, program.count("\n") + 1)

    def order(self, checks: Sequence[Check], watch: dict[str, Any] | None = None) -> tuple[Order, RecordStream]:
        """Return the order for one child, and the reader of its records; several checks only when batched."""
        first = checks[0].input
        request: dict[str, Any] = {"code": self.program, "record_limit": self.limits.output_kb << 10}
        if watch is not None:
            request["watch"] = watch
        stdin, collect, kind = b"", tuple[str, ...](), "items"
        if isinstance(first, ProgramInput):
            kind = "program"
            request |= {"mode": "program", "argv": []}
            stdin = _bytes(first.stdin)
        elif isinstance(first, FilesInput):
            _refuse_outside(*(file.name for file in first.files))
            kind = "program"
            request |= {"mode": "program", "argv": list(first.argv), "files": [[f.name, f.text] for f in first.files]}
            stdin = _bytes(first.stdin)
            collect = self._outputs(checks[0])
        elif isinstance(first, UnittestInput):
            kind = "tests"
            request |= {"mode": "unittest", "test": first.source}
        else:
            request |= {"mode": "items", "name": self.entry.name, "items": [_item(check) for check in checks]}
        order = Order(json.dumps(request).encode(), stdin, self.limits, collect)
        records = RecordStream(kind, len(checks), self.limits.output_kb << 10, self.lines)  # type: ignore[arg-type]
        return order, records

    def _outputs(self, check: Check) -> tuple[str, ...]:
        names = [*self.entry.outputs, *(file.name for file in check.expected.files)]
        return tuple(dict.fromkeys(names))


def _item(check: Check) -> dict[str, Any]:
    given = check.input
    if isinstance(given, CallsInput):
        calls = [{"m": call.method, "args": list(call.args)} for call in given.calls]
        return {"init": list(given.init), "calls": calls}
    return {"args": list(given.args)} if isinstance(given, FunctionInput) else {}


def _refuse_outside(*names: str) -> None:
    for name in names:
        if any(part in ("", ".", "..") for part in name.split("/")):
            raise TaskError(f"the input file name {name!r} leads outside the work folder", hint="Use a relative name.")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
