"""Orbital speed from the vis-viva equation."""

import math
from typing import Any


def vis_viva_speed(r: Any, a: float, mu: float = 398600.4418) -> Any:
    """Return the speed at each radius, shaped as `r`."""
    if isinstance(r, (list, tuple)):
        return [vis_viva_speed(one, a, mu) for one in r]
    if not (math.isfinite(r) and math.isfinite(mu) and r > 0 and mu > 0) or a == 0 or math.isnan(a):
        raise ValueError("radius and parameter must be positive, the semi-major axis other than zero")
    square = mu * (2.0 / r - 1.0 / a)
    if square < -1e-9 * mu / r:
        raise ValueError("the radius is not on the orbit")
    return math.sqrt(max(0.0, square))
