"""Free-space basic transmission loss."""

import math
from typing import Any


def free_space_path_loss(distance: Any, frequency: float) -> Any:
    """Return the loss in dB, shaped as `distance`."""
    if isinstance(distance, (list, tuple)):
        return [free_space_path_loss(one, frequency) for one in distance]
    for value in (distance, frequency):
        if not math.isfinite(value) or value <= 0:
            raise ValueError("distance and frequency must be positive")
    return 20.0 * (math.log10(4.0 * math.pi / 299792458.0) + math.log10(distance) + math.log10(frequency))
