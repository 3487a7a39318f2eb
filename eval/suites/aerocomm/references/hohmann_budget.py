"""Speed changes and duration of a Hohmann transfer."""

import math
from typing import Any


def hohmann_budget(r1: float, r2: Any, mu: float = 398600.4418) -> Any:
    """Return [first change, second change, sum, duration], or a list of them for a list of targets."""
    if isinstance(r2, (list, tuple)):
        return [hohmann_budget(r1, one, mu) for one in r2]
    for value in (r1, r2, mu):
        if not math.isfinite(value) or value <= 0:
            raise ValueError("radii and parameter must be positive")
    first = math.sqrt(mu / r1) * abs(math.sqrt(2.0 * r2 / (r1 + r2)) - 1.0)
    second = math.sqrt(mu / r2) * abs(1.0 - math.sqrt(2.0 * r1 / (r1 + r2)))
    duration = math.pi * math.sqrt((r1 + r2) ** 3 / (8.0 * mu))
    return [first, second, first + second, duration]
