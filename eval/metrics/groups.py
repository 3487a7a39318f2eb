"""Rows by difficulty and by problem type of their tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from auditcoder.eval.metrics.row import RunRow

Trait = Literal["difficulty", "problem_type"]
UNKNOWN = "unknown"
_DIFFICULTIES = ("introductory", "interview", "competition", "easy", "medium", "hard")


def by_trait(rows: Iterable[RunRow], trait: Trait) -> dict[str, list[RunRow]]:
    """Return the rows of each difficulty, easiest first, or of each problem type, by name; unknown ones last."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(getattr(row, trait) or UNKNOWN, []).append(row)
    return {name: groups[name] for name in sorted(groups, key=_place)}


def _place(name: str) -> tuple[bool, int, str]:
    known = _DIFFICULTIES.index(name) if name in _DIFFICULTIES else len(_DIFFICULTIES)
    return (name == UNKNOWN, known, name)
