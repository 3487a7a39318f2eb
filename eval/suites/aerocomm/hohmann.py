"""Task hohmann: The budget of a Hohmann transfer between two circular, coplanar orbits around the same centre."""

from __future__ import annotations

import math

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `hohmann_budget(r1, r2, mu=398600.4418)`: the budget of a Hohmann transfer between two
circular, coplanar orbits around the same centre.

`r1` and `r2` are the radii of the first and of the last orbit in km, `mu` is the gravitational parameter in km^3/s^2.
The transfer is half an ellipse with the semi-major axis (r1 + r2) / 2. Return a list of four floats:

1. the size of the first speed change, sqrt(mu / r1) * |sqrt(2 r2 / (r1 + r2)) - 1|, in km/s,
2. the size of the second one, sqrt(mu / r2) * |1 - sqrt(2 r1 / (r1 + r2))|, in km/s,
3. their sum,
4. the duration, half the period of the ellipse: pi * sqrt((r1 + r2)^3 / (8 mu)), in s.

- Both changes count as positive, on the way out and on the way in. Equal radii give no change, and half a period.
- `r2` is a number or a list of numbers. A list gives a list of such lists, in order; an empty list an empty list.
- Raise ValueError when a radius or `mu` is not positive or not finite.
"""
PRIMITIVE = Primitive(
    id="hohmann",
    signature="hohmann_budget(r1: float, r2, mu: float = 398600.4418)",
    statement=STATEMENT,
    sources=(
        "Hohmann: Die Erreichbarkeit der Himmelskoerper (1925)",
        "Bate, Mueller, White: Fundamentals of Astrodynamics (1971), section 3.3: the Hohmann transfer",
    ),
    visible=(
        Case(
            "nominal", (6678.0, 42164.0), [2.425769028306859, 1.4668387152844526, 3.8926077435913116, 18990.05183848129]
        ),
        Case("boundary", (7000.0, 7000.0), [0.0, 0.0, 0.0, 2914.258318843008]),
    ),
    hidden=(
        Case(
            "nominal",
            (6778.0, 7178.0),
            [0.1091209606920359, 0.10756774612912545, 0.21668870682116134, 2900.530472794475],
        ),
        Case(
            "nominal",
            (6571.0, 384400.0),
            [3.1331447689570195, 0.8316071337708587, 3.9647519027278784, 430083.52739781834],
        ),
        Case(
            "nominal",
            (149597870.7, 227939200.0, 132712440041.9),
            [2.9446911331081917, 2.6488967226241176, 5.593587855732309, 22366007.430738065],
        ),
        Case("boundary", (42164.0, 42164.0), [0.0, 0.0, 0.0, 43081.78527528914]),
        Case(
            "boundary",
            (42164.0, 6678.0),
            [1.4668387152844526, 2.425769028306859, 3.8926077435913116, 18990.05183848129],
        ),
        Case(
            "vectorised",
            (6678.0, [7000.0, 8000.0, 42164.0]),
            [
                [0.09040974618165899, 0.08935152915412287, 0.17976127533578184, 2814.2967582849988],
                [0.34042077394918624, 0.3253757622169869, 0.6657965361661732, 3128.5011314497724],
                [2.425769028306859, 1.4668387152844526, 3.8926077435913116, 18990.05183848129],
            ],
        ),
        Case("vectorised", (6678.0, []), []),
        Case(
            "dtype", (7000, 14000, 400000), [1.1694261492551508, 0.98086703352864, 2.150293182783791, 5344.459934083861]
        ),
        Case(
            "dtype",
            (7000, 8000),
            holds="type(result) is list and len(result) == 4 and all(type(x) is float for x in result)",
        ),
        Case("dtype", (7000.0, [8000.0]), holds="len(result) == 1 and len(result[0]) == 4"),
        Case("invalid", (0.0, 7000.0), refused=True),
        Case("invalid", (7000.0, -7000.0), refused=True),
        Case("invalid", (7000.0, 8000.0, 0.0), refused=True),
        Case("invalid", (7000.0, math.inf), refused=True),
        Case("invalid", (7000.0, [8000.0, 0.0]), refused=True),
        Case(
            "tolerance",
            (7000.0, 7000.001),
            [2.6950187921036356e-07, 2.695018695852973e-07, 5.390037487956608e-07, 2914.258631084976],
            rel=1e-05,
            absolute=0,
        ),
        Case(
            "tolerance",
            (6678.0, 42164.0, 398600.4418),
            [2.425769028306859, 1.4668387152844526, 3.8926077435913116, 18990.05183848129],
            rel=1e-12,
            absolute=0,
        ),
    ),
)
