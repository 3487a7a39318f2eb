"""The table of the study: containment, abstention and region size, by arm, policy, failure type, pack, place, rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from auditcoder.eval.containment.evidence import ARMS
from auditcoder.eval.containment.measuring import POLICIES
from auditcoder.eval.containment.rows import Located, Row
from auditcoder.eval.containment.wilson import Share

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
    yield _table("failure", list(_by_failure(rows)))
    for what, key in _GROUPS:
        names = sorted({key(row) for row in rows})
        yield f"By {what}:"
        yield _table(what, [(name, [row for row in rows if key(row) == name]) for name in names])
    yield "By rule:"
    yield _rules(rows)


_GROUPS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("pack", lambda row: row.pack),
    ("place", lambda row: row.place),
    ("aim", lambda row: row.aim),
)


def _by_failure(rows: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    yield "all", rows
    for failure in FAILURES:
        yield failure, [row for row in rows if row.failure == failure]


def _table(what: str, groups: Sequence[tuple[str, Sequence[Row]]]) -> str:
    head = [
        f"| {what} | arm | policy | faults | contained / scopes | contained / faults | nodes | lines | abstained |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    cells = [
        f"| {name} | {arm} | {policy} | {_figures(line_of(rows, arm, policy))} |"
        for name, rows in groups
        for arm in ARMS
        for policy in POLICIES
        if rows
    ]
    return "\n".join([*head, *cells]) if cells else ""


def _figures(line: Line) -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in line.abstained) or "-"
    sizes = f"{line.nodes:.2f} | {line.lines:.2f}" if line.scopes else "- | -"
    return f"{line.faults} | {line.of_scopes.text()} | {line.of_faults.text()} | {sizes} | {reasons}"


def _rules(rows: Sequence[Row]) -> str:
    head = ["| rule | arm | policy | scopes | contained / scopes |", "| --- | --- | --- | --- | --- |"]
    cells: list[str] = []
    for rule in ("Trace", "Resource", "Local"):
        for arm in ARMS:
            for policy in POLICIES:
                found = [(row, one) for row in rows for one in row.located if _is(one, rule, arm, policy)]
                contained = sum(one.contains(row.owner) for row, one in found)
                cells.append(f"| {rule} | {arm} | {policy} | {len(found)} | {Share(contained, len(found)).text()} |")
    return "\n".join([*head, *cells])


def _is(found: Located, rule: str, arm: str, policy: str) -> bool:
    return bool(found.scope) and (found.rule, found.arm, found.policy) == (rule, arm, policy)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
