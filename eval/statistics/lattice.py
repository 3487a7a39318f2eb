"""Exact distributions of sums of independent values on a grid, as counts of equally likely cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

Counts = Mapping[int, int]
"""How many equally likely cases have a value, in steps of the grid."""


class OnGrid(NamedTuple):
    """Values as whole multiples of one step."""

    steps: tuple[int, ...]
    step: Fraction


def on_grid(values: Iterable[Fraction]) -> OnGrid:
    """Return values as multiples of the largest step that fits all of them; the step is 1 when all are 0."""
    listed = list(values)
    scale = lcm(*(value.denominator for value in listed))
    whole = [value.numerator * (scale // value.denominator) for value in listed]
    common = gcd(*whole) or scale
    return OnGrid(tuple(number // common for number in whole), Fraction(common, scale))


def convolved(one: Counts, other: Counts) -> Counts:
    """Return the counts of the sum of two independent values."""
    found: Counter[int] = Counter()
    for value, count in one.items():
        for further, more in other.items():
            found[value + further] += count * more
    return found


def power(counts: Counts, times: int) -> Counts:
    """Return the counts of the sum of so many independent values of one distribution; that of none is 0.

    Multiplies by one big integer in which every count has its own field of bits, so no count is rounded.
    """
    if not counts or not times:
        return {0: 1}
    least, total = min(counts), sum(counts.values())
    width = (total**times).bit_length() + 1
    packed = sum(count << ((value - least) * width) for value, count in counts.items())
    raised, mask = packed**times, (1 << width) - 1
    found: dict[int, int] = {}
    value = least * times
    while raised:
        if count := raised & mask:
            found[value] = count
        raised >>= width
        value += 1
    return found
