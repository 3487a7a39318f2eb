"""The table of the study: containment, abstention and region size, by arm, policy, failure type, pack, place, rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from auditcoder.eval.containment.evidence import ARMS
from auditcoder.eval.containment.measuring import POLICIES
from auditcoder.eval.containment.rows import Located, Row
from auditcoder.eval.statistics.wilson import Share
from auditcoder.records.localization import Policy

SHOWN: Policy = "executed-first"
"""The policy of all tables but the first."""
FAILURES = ("WA", "RE", "TLE", "MLE")


class Line(NamedTuple):
    """The figures of one group of faults under one arm and policy."""

    faults: int
    scopes: int
    contained: int
    nodes: float
    """Mean share of the program's nodes that a selected scope has."""
    lines: float
    """Mean share of the program's lines."""
    abstained: tuple[tuple[str, int], ...]
    """Reasons with their counts, most frequent first."""

    @property
    def of_scopes(self) -> Share:
        """Return contained faults of the selected scopes."""
        return Share(self.contained, self.scopes)

    @property
    def of_faults(self) -> Share:
        """Return contained faults of all faults."""
        return Share(self.contained, self.faults)


def line_of(rows: Sequence[Row], arm: str, policy: str) -> Line:
    """Return the figures of rows under an arm and a policy; rows without a fault are left out."""
    pairs = [(row, found) for row in rows for found in row.located if (found.arm, found.policy) == (arm, policy)]
    scoped = [(row, found) for row, found in pairs if found.scope]
    reasons = Counter(found.abstained for _, found in pairs if not found.scope)
    return Line(
        faults=len(pairs),
        scopes=len(scoped),
        contained=sum(found.contains(row.owner) for row, found in scoped),
        nodes=_mean(len(found.scope) / row.nodes for row, found in scoped),
        lines=_mean(found.lines / row.lines for row, found in scoped),
        abstained=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def tables(rows: Sequence[Row]) -> str:
    """Return all tables as Markdown: programs of several owners, then those of one, which contain by themselves."""
    several = [row for row in rows if row.owner and row.nodes > 1]
    single = [row for row in rows if row.owner and row.nodes == 1]
    without = [row for row in rows if not row.owner]
    parts = [
        f"{len(several)} faults in programs of several owners, {len(single)} in programs of one; "
        f"{len(without)} times no place failed as aimed at.",
        "### Programs of several owners",
        *_sections(several),
        "### Programs of one owner (containment is trivial)",
        _table("failure", [(name, group) for name, group in _by_failure(single)]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sections(rows: Sequence[Row]) -> Iterator[str]:
    yield _table("failure", list(_by_failure(rows)), POLICIES)
    for what, key in _GROUPS:
        names = sorted({key(row) for row in rows})
        yield f"By {what}, policy `{SHOWN}`:"
        yield _table(what, [(name, [row for row in rows if key(row) == name]) for name in names])
    yield f"By rule and by size of the scope, policy `{SHOWN}`:"
    yield _scopes(rows)


_GROUPS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("pack", lambda row: row.pack),
    ("place", lambda row: row.place),
    ("aim", lambda row: row.aim),
)


def _by_failure(rows: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    yield "all", rows
    for failure in FAILURES:
        yield failure, [row for row in rows if row.failure == failure]


def _table(what: str, groups: Sequence[tuple[str, Sequence[Row]]], policies: Sequence[str] = (SHOWN,)) -> str:
    head = [
        f"| {what} | arm | policy | faults | contained / scopes | contained / faults | nodes | lines | abstained |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    cells = [
        f"| {name} | {arm} | {policy} | {_figures(line_of(rows, arm, policy))} |"
        for name, rows in groups
        for arm in ARMS
        for policy in policies
        if rows
    ]
    return "\n".join([*head, *cells]) if cells else ""


def _figures(line: Line) -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in line.abstained) or "-"
    sizes = f"{line.nodes:.2f} | {line.lines:.2f}" if line.scopes else "- | -"
    return f"{line.faults} | {line.of_scopes.text()} | {line.of_faults.text()} | {sizes} | {reasons}"


def _scopes(rows: Sequence[Row]) -> str:
    """Return containment by rule and by size; a scope of the whole program contains every fault by itself."""
    head = ["| scopes | arm | number | contained |", "| --- | --- | --- | --- |"]
    cells: list[str] = []
    for name, belongs in _KINDS:
        for arm in ARMS:
            pairs = [(row, one) for row in rows for one in row.located if (one.arm, one.policy) == (arm, SHOWN)]
            found = [(row, one) for row, one in pairs if one.scope and belongs(row, one)]
            contained = sum(one.contains(row.owner) for row, one in found)
            cells.append(f"| {name} | {arm} | {len(found)} | {Share(contained, len(found)).text()} |")
    return "\n".join([*head, *cells])


_KINDS: tuple[tuple[str, Callable[[Row, Located], bool]], ...] = (
    ("Trace", lambda _, found: found.rule == "Trace"),
    ("Resource", lambda _, found: found.rule == "Resource"),
    ("Local", lambda _, found: found.rule == "Local"),
    ("one node", lambda _, found: len(found.scope) == 1),
    ("several nodes, not all", lambda row, found: 1 < len(found.scope) < row.nodes),
    ("the whole program", lambda row, found: len(found.scope) == row.nodes),
)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
