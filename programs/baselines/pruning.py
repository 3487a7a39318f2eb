"""Pruning by scores that a model gives its own kind (CodeCoR), with the arms that show what the scores are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import dspy

from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.render import safe, task_text
from auditcoder.records.base import sha256_text

Prune = Literal["judge", "none", "random"]
_BASE_TOKENS, _SCORE_TOKENS, _SHOWN = 60, 60, 800


class Item(NamedTuple):
    """A brief or a piece of advice: its number from 1, its text, and the judge's score; None without one."""

    number: int
    text: str
    score: int | None = None


class Pruning(NamedTuple):
    """How items are pruned: by the judge, not at all, or at random as many as the judge would prune."""

    judge: dspy.Predict
    """Its signature asks for as many scores as there are items."""
    prune: Prune
    threshold: int


def numbered(texts: Sequence[str]) -> list[Item]:
    """Return texts as items without a score."""
    return [Item(number, text) for number, text in enumerate(texts, 1)]


def judged(run: MethodRun, pruning: Pruning, kind: Literal["brief", "advice"], items: Sequence[Item]) -> list[Item]:
    """Return the items with the judge's scores, 0 to 4; without scores when its answer cannot be used (noted).

    Raises:
        BackboneError: the backbone cannot be used at all.
        BudgetSpentError: the run may make no further request.
    """
    if pruning.prune == "none" or not items:
        return list(items)
    listed = "\n\n".join(f"Item {place}:\n{safe(item.text, _SHOWN)}" for place, item in enumerate(items, 1))
    try:
        answer = ask_fields(
            pruning.judge,
            _BASE_TOKENS + _SCORE_TOKENS * len(items),
            agent="judge",
            task=task_text(run.task),
            kind=kind,
            items=listed,
        )
    except UnusableAnswerError as error:
        run.note("no-scores", kind, kept=True, detail=error.message)
        return list(items)
    scores = [score.clarity + score.relevance + score.conciseness + score.context for score in answer.scores]
    return [item._replace(score=score) for item, score in zip(items, scores, strict=True)]


def surviving(run: MethodRun, pruning: Pruning, items: Sequence[Item]) -> list[Item]:
    """Return the items that reach the threshold, the best one when none does; an item without a score is kept.

    The random arm keeps as many, drawn by the seed of the run.
    """
    kept = [item for item in items if item.score is None or item.score >= pruning.threshold]
    kept = kept or best_first(items)[:1]
    if pruning.prune != "random":
        return kept
    drawn = {item.number for item in shuffled(run, items)[: len(kept)]}
    return [item for item in items if item.number in drawn]


def best_of(run: MethodRun, pruning: Pruning, items: Sequence[Item]) -> Item:
    """Return the one item that is used where only one can be: the best score, the first on ties; or one at random."""
    return (shuffled(run, items) if pruning.prune == "random" else best_first(items))[0]


def best_first(items: Sequence[Item]) -> list[Item]:
    """Return the items by score, ties in their order, those without a score last."""
    return sorted(items, key=lambda item: -1 if item.score is None else item.score, reverse=True)


def shuffled(run: MethodRun, items: Sequence[Item]) -> list[Item]:
    """Return the items in an order that depends on the run's seed, the task and the texts alone."""
    salt = f"{run.config.seed}\n{run.task.id}"
    return sorted(items, key=lambda item: sha256_text(f"{salt}\n{item.number}\n{item.text}"))


def note_scores(run: MethodRun, what: str, of: str, items: Sequence[Item], kept: Sequence[Item]) -> None:
    """Note every item with its score, its text and whether it goes on, so that its later fate can be looked up."""
    numbers = {item.number for item in kept}
    for item in items:
        score = None if item.score is None else float(item.score)
        run.note(what, f"{of}{item.number}", score=score, kept=item.number in numbers, detail=item.text)
