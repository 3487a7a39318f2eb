"""Task quaternion: A vector rotated by a quaternion, as for the attitude of a spacecraft."""

from __future__ import annotations

import math

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `rotate_vector(q, v)`: a vector rotated by a quaternion, as for the attitude of a
spacecraft.

`q` = [w, x, y, z] has its scalar part first. The rotation is the active one, v' = q v q*, where v is taken as a
quaternion without scalar part and q* is the conjugate of q. For a unit quaternion [cos(t/2), sin(t/2) * axis] it turns
by the angle t around the axis, by the right-hand rule.

- `q` need not have length 1: it is divided by its length first, so that q, 2 q and -q give the same rotation.
- `v` is a list of three numbers, or a list of such lists. Three numbers give a list of three floats; a list of vectors
  gives the list of the rotated ones, in order; an empty list gives an empty list.
- Raise ValueError when `q` has not four parts or a vector not three, when a part is not finite, and when q is zero.
"""
PRIMITIVE = Primitive(
    id="quaternion",
    signature="rotate_vector(q: list[float], v: list)",
    statement=STATEMENT,
    sources=(
        "Hamilton: On quaternions (1844)",
        "NASA TM-74839, Henderson: Euler angles, quaternions, and transformation matrices (1977)",
    ),
    visible=(
        Case("nominal", ([0.7071067811865476, 0.0, 0.0, 0.7071067811865476], [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]),
        Case(
            "vectorised", ([1.0, 0.0, 0.0, 0.0], [[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]), [[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]
        ),
    ),
    hidden=(
        Case("nominal", ([0.8660254037844387, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.5, 0.8660254037844386]),
        Case("nominal", ([0.5, 0.5, 0.5, 0.5], [1.0, 2.0, 3.0]), [3.0, 1.0, 2.0]),
        Case("nominal", ([0.2, -0.4, 0.1, 0.8], [-1.5, 0.25, 4.0]), [-2.1470588235294117, 0.861764705882353, 3.6]),
        Case("boundary", ([-0.5, -0.5, -0.5, -0.5], [1.0, 2.0, 3.0]), [3.0, 1.0, 2.0]),
        Case("boundary", ([0.0, 0.0, 1.0, 0.0], [1.0, 2.0, 3.0]), [-1.0, 2.0, -3.0]),
        Case("boundary", ([3.0, 0.0, 0.0, 3.0], [1.0, 0.0, 0.5]), [0.0, 1.0, 0.5]),
        Case("boundary", ([0.6, 0.0, 0.8, 0.0], [0.0, 0.0, 0.0]), [0.0, 0.0, 0.0]),
        Case(
            "vectorised",
            ([0.6, 0.0, 0.8, 0.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            [[-0.2800000000000001, 0.0, -0.96], [0.0, 1.0, 0.0], [0.96, 0.0, -0.2800000000000001]],
        ),
        Case("vectorised", ([0.6, 0.0, 0.8, 0.0], []), []),
        Case("dtype", ([1, 1, 0, 0], [0, 1, 0]), [0.0, 0.0, 1.0]),
        Case(
            "dtype",
            ([2, 0, 0, 0], [1, 2, 3]),
            holds="type(result) is list and len(result) == 3 and all(type(x) is float for x in result)",
        ),
        Case("dtype", ([0.6, 0.0, 0.8, 0.0], [[1.0, 2.0, 3.0]]), holds="len(result) == 1 and len(result[0]) == 3"),
        Case("invalid", ([0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), refused=True),
        Case("invalid", ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), refused=True),
        Case("invalid", ([1.0, 0.0, 0.0, 0.0], [1.0, 0.0]), refused=True),
        Case("invalid", ([1.0, 0.0, 0.0, 0.0], [[1.0, 0.0, 0.0], [1.0, 0.0]]), refused=True),
        Case("invalid", ([1.0, math.nan, 0.0, 0.0], [1.0, 0.0, 0.0]), refused=True),
        Case(
            "tolerance",
            ([1.0, 1e-08, 0.0, 0.0], [0.0, 1.0, 0.0]),
            [0.0, 0.9999999999999998, 1.9999999999999997e-08],
            rel=1e-12,
            absolute=1e-20,
        ),
        Case(
            "tolerance",
            ([0.1, 0.2, 0.3, 0.4], [1000000.0, -2000000.0, 3000000.0]),
            [1266666.6666666667, 3333333.3333333335, -1133333.333333333],
            rel=1e-12,
            absolute=0,
        ),
    ),
)
