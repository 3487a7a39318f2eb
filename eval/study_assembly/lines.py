"""The results of the study as JSON lines, and the tables made from them. Ids and figures only, no program text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from auditcoder.eval.study_assembly.outcomes import Difference, Seen
from auditcoder.records.base import Record

MapName = Literal["original", "single", "split", "joined"]
MAPS: tuple[MapName, ...] = ("single", "split", "joined")


class Line(Record):
    """One program under one ownership map; under `original`, what the program shows by itself."""

    id: str
    map: MapName
    nodes: int = 0
    reason: str = ""
    """Why it was rejected; empty when it was assembled."""
    faults: tuple[str, ...] = ()
    """Properties of the assembly that do not hold."""
    renames: int = 0
    changed: tuple[str, ...] = ()
    """Kinds of what acceptance took out or added."""
    checks: tuple[Seen, ...] = ()
    """original: what it showed."""
    compared: int = 0
    """Checks whose outcomes were compared."""
    differences: tuple[Difference, ...] = ()
    frames: int = 0
    """Faults whose frame resolved to the right owner."""
    wrong_frames: tuple[str, ...] = ()
    crash: str = ""
    """An exception of ours: never to be seen."""

    @property
    def pack(self) -> str:
        """Return the pack of the program."""
        return self.id.partition(":")[0]


def read_lines(path: Path) -> list[Line]:
    """Return the results in a file; a last line that was cut off is left out, of a program twice the last counts."""
    found: dict[tuple[str, str], Line] = {}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for raw in text.split("\n"):
        try:
            line = Line.model_validate_json(raw)
        except ValidationError:
            continue
        found[line.id, line.map] = line
    return list(found.values())


def kind_of(reason: str) -> str:
    """Return a reason without names and numbers, so that equal kinds count together."""
    return re.sub(r"\d+", "N", re.sub(r"`[^`]*`|'[^']*'", "X", reason)).partition(" (line")[0][:90]


_HEAD = (
    "pack", "map", "programs", "assembled", "rejected", "nodes", "renamed", "checks", "same", "explained",
    "unexplained", "frames right", "frames wrong", "faults", "crashes",
)  # fmt: skip


def table(lines: Iterable[Line]) -> str:
    """Return the counts a pack and map, then the reasons of rejections and differences, as Markdown."""
    done = [line for line in lines if line.map != "original"]
    packs = list(dict.fromkeys(line.pack for line in done))
    rows = [_HEAD, ("---",) * len(_HEAD)]
    for name in (*packs, "all"):
        for owned in MAPS:
            group = [line for line in done if line.map == owned and name in (line.pack, "all")]
            if group:
                rows.append((name, owned, *map(str, _counts(group))))
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{text}\n\n{_reasons(done)}\n\n{_explanations(done)}\n"


def _counts(group: Sequence[Line]) -> tuple[int, ...]:
    assembled = [line for line in group if not line.reason and not line.crash]
    found = [difference for line in assembled for difference in line.differences]
    unexplained = sum(difference.why == "unexplained" for difference in found)
    compared = sum(line.compared for line in assembled)
    return (
        len(group),
        len(assembled),
        sum(bool(line.reason) for line in group),
        sum(line.nodes for line in assembled),
        sum(line.renames for line in assembled),
        compared,
        compared - len(found),
        len(found) - unexplained,
        unexplained,
        sum(line.frames for line in assembled),
        sum(len(line.wrong_frames) for line in assembled),
        sum(len(line.faults) for line in assembled),
        sum(bool(line.crash) for line in group),
    )


def _reasons(done: Sequence[Line]) -> str:
    counts = Counter[tuple[str, str]]((line.map, kind_of(line.reason)) for line in done if line.reason)
    return _listed(("map", "reason of the rejection", "programs"), counts)


def _explanations(done: Sequence[Line]) -> str:
    counts = Counter[tuple[str, str]](
        (line.map, f"{d.before} -> {d.after}: {d.why}") for line in done for d in line.differences
    )
    return _listed(("map", "difference", "checks"), counts)


def _listed(head: tuple[str, str, str], counts: Counter[tuple[str, str]]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    rows = [head, ("---",) * 3, *((owned, text.replace("|", "\\|"), str(n)) for (owned, text), n in ordered)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
