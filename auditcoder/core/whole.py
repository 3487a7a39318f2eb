"""Repair of the whole program without binding: its words in the record, and the text that is shown and rewritten."""

from __future__ import annotations

from auditcoder.core.units import PRELUDE
from auditcoder.records.code import Assembly

WHOLE = "whole-program repair"
"""Reason of the attempt that the rounds of such repairs belong to, and of its plan."""


def program_text(assembly: Assembly) -> str:
    """Return the program without the task's prelude, which no answer may repeat."""
    given = {number for line in assembly.lines if line.unit == PRELUDE for number in range(line.first, line.last + 1)}
    kept = [text for number, text in enumerate(assembly.program.splitlines(), start=1) if number not in given]
    return "\n".join(kept).strip() + "\n"
