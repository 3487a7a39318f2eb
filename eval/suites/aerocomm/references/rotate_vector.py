"""Rotation of vectors by a quaternion."""

import math
from typing import Any


def rotate_vector(q: list[float], v: list[Any]) -> Any:
    """Return the rotated vector, or a list of them for a list of vectors."""
    if len(q) != 4 or not all(math.isfinite(part) for part in q):
        raise ValueError("a quaternion has four finite parts")
    norm = math.sqrt(sum(part * part for part in q))
    if norm == 0.0:
        raise ValueError("the zero quaternion is no rotation")
    if len(v) > 0 and isinstance(v[0], (list, tuple)):
        return [rotate_vector(q, one) for one in v]
    if len(v) == 0:
        return []
    if len(v) != 3 or not all(math.isfinite(part) for part in v):
        raise ValueError("a vector has three finite parts")
    w, x, y, z = (part / norm for part in q)
    a, b, c = v
    tx, ty, tz = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return [
        a + w * tx + y * tz - z * ty,
        b + w * ty + z * tx - x * tz,
        c + w * tz + x * ty - y * tx,
    ]
