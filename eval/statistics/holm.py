"""Holm's correction: several comparisons shown together share one error rate (Holm 1979)."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the adjusted p-values in the given order: one below a level is significant at it among all of them.

    Raises:
        ValueError: one is not between 0 and 1.
    """
    if not all(0 <= value <= 1 for value in p_values):
        raise ValueError("p-values are between 0 and 1")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for smaller, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - smaller)))
        adjusted[place] = highest
    return adjusted
