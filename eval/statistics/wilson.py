"""A share with its interval."""

from __future__ import annotations

import math
from typing import NamedTuple

_Z = 1.959964
"""Two-sided 95 %."""


class Share(NamedTuple):
    """A count out of a count."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        """Return the share; 0 of nothing."""
        return self.part / self.whole if self.whole else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % Wilson interval; everything is possible of nothing."""
        if not self.whole:
            return 0.0, 1.0
        n, p, square = self.whole, self.value, _Z * _Z
        middle = (p + square / (2 * n)) / (1 + square / n)
        half = _Z / (1 + square / n) * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def text(self) -> str:
        """Return `9/10 = 0.900 [0.596, 0.982]`, or a dash of nothing."""
        if not self.whole:
            return "-"
        low, high = self.interval
        return f"{self.part}/{self.whole} = {self.value:.3f} [{low:.3f}, {high:.3f}]"
