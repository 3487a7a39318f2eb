"""A run against fresh start at the same spending: what resampling would have returned (methods/README, rule 11).

Fresh start decides nothing by its budget, so the program that it would return at any number of requests or tokens is
the one that was active then. A control that ran at a larger budget serves every smaller one.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Literal, NamedTuple

from auditcoder.eval.metrics.pairs import Pair, Paired
from auditcoder.eval.metrics.row import Cost, RunRow

Budget = Literal["calls", "tokens"]


class Matched(NamedTuple):
    """Pairs whose second run is the control, cut off where the first one's spending ends."""

    paired: Paired
    short: int
    """Controls that ended by a limit of their own, without a full pass, before that spending: they had less."""


def matched(found: Paired, budget: Budget) -> Matched:
    """Return the pairs with every control cut off at the calls or tokens of the run that it is compared with.

    A request that began below a token budget completes and counts, as under a budget of its own.
    """
    pairs = [Pair(pair.first, cut_off(pair.second, pair.first.cost, budget)) for pair in found.pairs]
    return Matched(Paired(tuple(pairs), found.unpaired), sum(_is_short(pair, budget) for pair in found.pairs))


def cut_off(control: RunRow, limit: Cost, budget: Budget) -> RunRow:
    """Return a control as it stood when it had spent what another run spent; without a program it failed.

    Its cost then holds requests and tokens alone.
    """
    made = control.requests[: _admitted(control, limit, budget)]
    reached = [point for point in control.curve if point.calls <= len(made)]
    primary = bool(reached and reached[-1].primary)
    every = bool(reached and reached[-1].all_tests)
    return control.model_copy(
        update={
            "all_tests": control.all_tests.model_copy(update={"selected": every}),
            "primary": control.primary and control.primary.model_copy(update={"selected": primary}),
            "cost": Cost(
                calls=len(made),
                prompt_tokens=sum(prompt for prompt, _ in made),
                completion_tokens=sum(completion for _, completion in made),
            ),
            "curve": tuple(reached),
            "requests": made,
        }
    )


def _admitted(control: RunRow, limit: Cost, budget: Budget) -> int:
    """Return how many requests of a control a budget lets go."""
    if budget == "calls":
        return limit.calls
    before = [0, *accumulate(prompt + completion for prompt, completion in control.requests)][:-1]
    return sum(spent < limit.tokens for spent in before)


def _is_short(pair: Pair, budget: Budget) -> bool:
    spent, limit = getattr(pair.second.cost, budget), getattr(pair.first.cost, budget)
    return spent < limit and pair.second.checked and not pair.second.final_visible
