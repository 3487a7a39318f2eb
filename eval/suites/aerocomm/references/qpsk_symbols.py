"""Gray-coded QPSK."""

import math
from typing import Any


def qpsk_symbols(bits: list[Any], energy: float = 1.0) -> Any:
    """Return [I, Q] for each pair of bits, or a list of such lists for a list of frames."""
    if not math.isfinite(energy) or energy <= 0:
        raise ValueError("the energy must be positive")
    if len(bits) > 0 and isinstance(bits[0], (list, tuple)):
        return [qpsk_symbols(frame, energy) for frame in bits]
    if len(bits) % 2 or any(type(bit) is not int or bit not in (0, 1) for bit in bits):
        raise ValueError("bits are the integers 0 and 1, and come in pairs")
    level = math.sqrt(energy / 2.0)
    return [[level * (1 - 2 * bits[i]), level * (1 - 2 * bits[i + 1])] for i in range(0, len(bits), 2)]
