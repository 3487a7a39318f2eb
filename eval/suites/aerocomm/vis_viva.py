"""Task vis-viva: The speed, in km/s, of a body on a Keplerian orbit."""

from __future__ import annotations

import math

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `vis_viva_speed(r, a, mu=398600.4418)`: the speed, in km/s, of a body on a Keplerian
orbit.

By the vis-viva equation the speed at radius r is v = sqrt(mu * (2 / r - 1 / a)). Here `r` is the distance from the
centre of attraction in km, `a` the semi-major axis in km and `mu` the gravitational parameter in km^3/s^2.

- `a` is positive on an ellipse, negative on a hyperbola, and `float("inf")` on a parabola.
- `r` is a number or a list of numbers. A list gives the list of speeds, in order, of the same length; an empty list
  gives an empty list. A number gives a float.
- Raise ValueError when `r` or `mu` is not positive or not finite, when `a` is zero or NaN, and when there is no such
  point on the orbit, which is where mu * (2 / r - 1 / a) is negative. At the apse of a degenerate orbit (r = 2 a) the
  speed is 0, also where rounding makes the term slightly negative.
"""
PRIMITIVE = Primitive(
    id="vis-viva",
    signature="vis_viva_speed(r, a, mu: float = 398600.4418)",
    statement=STATEMENT,
    sources=(
        "Bate, Mueller, White: Fundamentals of Astrodynamics (1971), section 1.4: energy, v^2 = mu (2/r - 1/a)",
        "NASA/JPL: Basics of Space Flight, chapter 3: gravitation and mechanics",
    ),
    visible=(
        Case("nominal", (7000.0, 7000.0), 7.546053290107541),
        Case("vectorised", ([6678.0, 42164.0], 24421.0), [10.15160850744325, 1.6078275688432315]),
    ),
    hidden=(
        Case("nominal", (6778.137, 6778.137), 7.668558175407055),
        Case("nominal", (20000.0, 26560.0, 398600.4418), 4.985227921116739),
        Case("nominal", (149597870.7, 227939200.0, 132712440041.9), 34.52576384759549),
        Case("boundary", (6678.0, math.inf), 10.925986972112172),
        Case("boundary", (8000.0, -20000.0), 10.935270117377073),
        Case("boundary", (20000.0, 10000.0), 0.0, absolute=1e-06),
        Case("boundary", (0.1 + 0.2, 0.15, 1.0), 0.0, absolute=1e-06),
        Case(
            "vectorised",
            ([7000.0, 8000.0, 9000.0, 10000.0], 8500.0),
            [8.184843974735028, 7.263328495013191, 6.45629199556728, 5.72939078231452],
        ),
        Case("vectorised", ([], 7000.0), []),
        Case("dtype", (7000, 7000, 400000), 7.559289460184544),
        Case("dtype", (8000, 8000, 8000), holds="type(result) is float"),
        Case("dtype", ([7000], 7000), holds="type(result) is list and len(result) == 1 and type(result[0]) is float"),
        Case("invalid", (0.0, 7000.0), refused=True),
        Case("invalid", (-7000.0, 7000.0), refused=True),
        Case("invalid", (20000.1, 10000.0), refused=True),
        Case("invalid", (7000.0, 0.0), refused=True),
        Case("invalid", (7000.0, 7000.0, -1.0), refused=True),
        Case("invalid", ([7000.0, -1.0], 7000.0), refused=True),
        Case("tolerance", (0.001, 1000000.0, 0.001), 1.4142135620195417, rel=1e-12, absolute=0),
        Case("tolerance", (13555.9999, 6778.0), 0.0006586464048184741, rel=1e-06, absolute=0),
    ),
)
