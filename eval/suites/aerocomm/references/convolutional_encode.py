"""The rate-1/2 convolutional code with constraint length 3."""

from typing import Any


def convolutional_encode(bits: list[Any], terminate: bool = False) -> Any:  # noqa: FBT002  (the task says so)
    """Return the coded bits, or a list of them for a list of frames."""
    if len(bits) > 0 and isinstance(bits[0], (list, tuple)):
        return [convolutional_encode(frame, terminate) for frame in bits]
    if any(type(bit) is not int or bit not in (0, 1) for bit in bits):
        raise ValueError("bits are the integers 0 and 1")
    last = before = 0
    coded = []
    for bit in [*bits, *([0, 0] if terminate else [])]:
        coded += [bit ^ last ^ before, bit ^ before]
        last, before = bit, last
    return coded
