"""Kepler's equation of the ellipse."""

import math
from typing import Any


def eccentric_anomaly(mean: Any, e: float) -> Any:
    """Return E with E - e sin E = mean, in the revolution of `mean`, shaped as `mean`."""
    if isinstance(mean, (list, tuple)):
        return [eccentric_anomaly(one, e) for one in mean]
    if not math.isfinite(mean) or not 0.0 <= e < 1.0:
        raise ValueError("the anomaly must be finite and the eccentricity in [0, 1)")
    turns = round(mean / (2.0 * math.pi))
    part = mean - turns * 2.0 * math.pi
    low, high = part - e, part + e
    guess = part + e * math.sin(part)
    for _ in range(200):
        error = guess - e * math.sin(guess) - part
        if error > 0:
            high = guess
        else:
            low = guess
        step = guess - error / (1.0 - e * math.cos(guess))
        step = step if low <= step <= high else 0.5 * (low + high)
        if abs(step - guess) <= 1e-16 * max(1.0, abs(step)):
            break
        guess = step
    return guess + turns * 2.0 * math.pi
