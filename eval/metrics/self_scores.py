"""Scores that a method gave itself, with the later hidden result of what was scored (methods/README, rule 18)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from auditcoder.eval.metrics.verdicts import Verdict, Verdicts
from auditcoder.eval.statistics.ranks import RankCorrelation, rank_correlation
from auditcoder.records.events import CodeWritten, Event, MethodNoted, ProgramAssembled

Order = Literal["best first", "as noted"]
KINDS: Mapping[str, Order] = {"plan-confidence": "best first", "brief-score": "as noted"}
"""Notes whose items are coded one after another, and in which order: MapCoder's plans and CodeCoR's briefs."""
_NO_PROGRAM = ("plan-without-program", "brief-without-program")


class ScoredItem(NamedTuple):
    """An item with the score that the model gave it."""

    group: str
    """The run: scores are compared within one."""
    what: str
    item: str
    score: float
    passed: bool | None
    """Whether the first program of the item passes the hidden tests; None when none was made or judged."""


class ScoreStudy(NamedTuple):
    """What self-given scores are worth."""

    what: str
    items: int
    judged: int
    """Items with a hidden result."""
    correlation: RankCorrelation
    """Of the score with the result, over the judged items."""
    runs: int
    """Runs with at least two judged items, in which there is a choice."""
    best: float | None
    """Share of these runs in which the highest score passes; of equal ones their mean counts."""
    random: float | None
    """Expected share when the choice is random: the mean share of passing items."""


def scored_items(group: str, events: Sequence[Event], verdicts: Verdicts) -> list[ScoredItem]:
    """Return the scored items of a run. A program belongs to the item whose turn it was, its repairs do not count."""
    notes = [event for event in events if isinstance(event, MethodNoted)]
    found: list[ScoredItem] = []
    for what in sorted({note.what for note in notes} & KINDS.keys()):
        own = [note for note in notes if note.what == what]
        used = [note for note in own if note.kept is not False]
        if KINDS[what] == "best first":
            used.sort(key=lambda note: math.inf if note.score is None else -note.score)
        results = dict(zip([note.item for note in used], _first_programs(events, verdicts), strict=False))
        found += [
            ScoredItem(group, what, note.item, note.score, results.get(note.item))
            for note in own
            if note.score is not None
        ]
    return found


def score_studies(items: Iterable[ScoredItem]) -> list[ScoreStudy]:
    """Return a line for each kind of score, by name."""
    kinds: dict[str, list[ScoredItem]] = {}
    for item in items:
        kinds.setdefault(item.what, []).append(item)
    return [_study(what, kinds[what]) for what in sorted(kinds)]


def _study(what: str, items: Sequence[ScoredItem]) -> ScoreStudy:
    judged = [item for item in items if item.passed is not None]
    runs: dict[str, list[ScoredItem]] = {}
    for item in judged:
        runs.setdefault(item.group, []).append(item)
    choices = [group for group in runs.values() if len(group) > 1]
    best = [_passing([one for one in group if one.score == max(each.score for each in group)]) for group in choices]
    drawn = [_passing(group) for group in choices]
    return ScoreStudy(
        what=what,
        items=len(items),
        judged=len(judged),
        correlation=rank_correlation([item.score for item in judged], [float(bool(item.passed)) for item in judged]),
        runs=len(choices),
        best=sum(best) / len(best) if best else None,
        random=sum(drawn) / len(drawn) if drawn else None,
    )


def _passing(items: Sequence[ScoredItem]) -> float:
    return sum(bool(item.passed) for item in items) / len(items)


def _first_programs(events: Sequence[Event], verdicts: Verdicts) -> list[bool | None]:
    """Return, turn by turn, whether the first program of an item passes; None of one without a program."""
    turns: list[bool | None] = []
    how = ""
    for event in events:
        match event:
            case CodeWritten():
                how = event.how
            case ProgramAssembled() if how in ("generated", "fallback"):
                turns.append(_passed(verdicts.get(event.assembly.digest)))
            case MethodNoted() if event.what in _NO_PROGRAM:
                turns.append(None)
    return turns


def _passed(verdict: Verdict | None) -> bool | None:
    if verdict is None:
        return None
    return verdict.passes_all if verdict.passes is None else verdict.passes
