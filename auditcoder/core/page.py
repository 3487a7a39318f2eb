"""The program text while it is put together, and who owns each line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from auditcoder.core.units import Segment
from auditcoder.records.code import LineOwner

_BETWEEN_OWNERS = 2


class Page:
    """Lines in order; invariant: every line that is not blank has a name in `_names`, blank gaps have none."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: list[tuple[str, str] | None] = []
        """(unit, owner) of each line."""

    def add(self, owner: str, segments: Sequence[Segment]) -> None:
        """Append an owner's segments."""
        for number, segment in enumerate(segments):
            self._gap((segment.gap if number else _BETWEEN_OWNERS) if self.lines else 0)
            lines = segment.text.split("\n")
            names = [segment.unit] * len(lines)
            for method in segment.methods:
                names[method.first - 1 : method.last] = [method.name] * (method.last - method.first + 1)
            self.lines += lines
            self._names += [(name, owner) for name in names]

    def push_down(self, blank: int) -> None:
        """Put blank lines in front."""
        self.lines[:0] = [""] * blank
        self._names[:0] = [None] * blank

    @property
    def text(self) -> str:
        """Return the program."""
        return "\n".join([*self.lines, ""])

    def owners(self) -> tuple[LineOwner, ...]:
        """Return the line map: runs of lines of one unit."""
        runs: list[LineOwner] = []
        line = 1
        for name, same in groupby(self._names):
            count = sum(1 for _ in same)
            if name is not None:
                runs.append(LineOwner(first=line, last=line + count - 1, unit=name[0], owner=name[1]))
            line += count
        return tuple(runs)

    def _gap(self, blank: int) -> None:
        self.lines += [""] * blank
        self._names += [None] * blank
