"""Task kepler: The eccentric anomaly on an elliptic orbit."""

from __future__ import annotations

import math

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `eccentric_anomaly(mean, e)`: the eccentric anomaly on an elliptic orbit.

Solve Kepler's equation E - e * sin(E) = mean for E. `mean` is the mean anomaly in radians, any finite number, and `e`
the eccentricity, 0 <= e < 1.

- E lies in the same revolution as `mean`: adding 2 pi to `mean` adds 2 pi to E, and E(-mean) = -E(mean).
- The result is as exact as floats allow: |E - e sin(E) - mean| is at most 1e-12 for |mean| <= 2 pi, for every e up to
  0.999999, and also where `mean` is close to 0.
- `mean` is a number or a list of numbers. A list gives the list of anomalies, in order; an empty list an empty list.
  A number gives a float.
- Raise ValueError when `e` is negative or at least 1, or when `mean` or `e` is not finite.
"""
PRIMITIVE = Primitive(
    id="kepler",
    signature="eccentric_anomaly(mean, e: float)",
    statement=STATEMENT,
    sources=(
        "Kepler: Astronomia nova (1609), the equation of the ellipse",
        "Bate, Mueller, White: Fundamentals of Astrodynamics (1971), section 4.2: time of flight and eccentric anomaly",
    ),
    visible=(
        Case("nominal", (1.0, 0.1), 1.0885977523978936),
        Case("vectorised", ([0.0, 1.5], 0.5), [-6.372367644529809e-58, 1.9621892875785714]),
    ),
    hidden=(
        Case("nominal", (0.75, 0.0167), 0.7615234153552168),
        Case("nominal", (2.5, 0.4), 2.678637614112846),
        Case("nominal", (4.0, 0.7), 3.655743213231547),
        Case("boundary", (1.234, 0.0), 1.234),
        Case("boundary", (0.0, 0.9), -6.372367644529809e-58),
        Case("boundary", (-2.0, 0.3), -2.2360314951724365),
        Case("boundary", (20.0, 0.2), 20.19494042897864),
        Case(
            "vectorised",
            ([0.1, 0.2, 3.0, 6.0], 0.25),
            [0.13320215082857315, 0.2656290854943447, 3.028270052182995, 5.908506617994563],
        ),
        Case("vectorised", ([], 0.25), []),
        Case("dtype", (1, 0), 1.0),
        Case("dtype", (2, 0.5), holds="type(result) is float"),
        Case("dtype", ([1], 0.5), holds="type(result) is list and type(result[0]) is float"),
        Case("invalid", (1.0, 1.0), refused=True),
        Case("invalid", (1.0, -0.1), refused=True),
        Case("invalid", (math.inf, 0.1), refused=True),
        Case("invalid", ([1.0, math.nan], 0.1), refused=True),
        Case("tolerance", (0.01, 0.99), 0.3422703164917751, rel=1e-11, absolute=0),
        Case("tolerance", (1e-06, 0.999999), 0.018061246621522215, rel=1e-09, absolute=0),
        Case("tolerance", (3.1, 0.999), 3.120785173102893, rel=1e-12, absolute=0),
    ),
)
