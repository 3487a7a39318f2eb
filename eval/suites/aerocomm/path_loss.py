"""Task path-loss: The free-space basic transmission loss, in dB."""

from __future__ import annotations

import math

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `free_space_path_loss(distance, frequency)`: the free-space basic transmission loss,
in dB.

Between isotropic antennas it is L = 20 * log10(4 * pi * distance * frequency / c), with `distance` in m, `frequency` in
Hz, and the speed of light c = 299792458 m/s exactly. The formula is used as it stands: closer than a wavelength over
4 pi the result is negative.

- `distance` is a number or a list of numbers. A list gives the list of losses, in order; an empty list an empty list.
  A number gives a float.
- Very large and very small arguments must not overflow: 1e200 m at 1e200 Hz has a loss.
- Raise ValueError when `distance` or `frequency` is not positive or not finite.
"""
PRIMITIVE = Primitive(
    id="path-loss",
    signature="free_space_path_loss(distance, frequency: float)",
    statement=STATEMENT,
    sources=(
        "ITU-R P.525: Calculation of free-space attenuation",
        "Friis: A note on a simple transmission formula (1946)",
    ),
    visible=(
        Case("nominal", (1000.0, 2400000000.0), 100.0520080561155),
        Case("vectorised", ([1.0, 10.0], 1000000000.0), [32.44778322188338, 52.44778322188338]),
    ),
    hidden=(
        Case("nominal", (35786000.0, 12000000000.0), 205.10567129475945),
        Case("nominal", (384400000.0, 2200000000.0), 210.99190441825766),
        Case("nominal", (50.0, 433920000.0), 59.17537666562276),
        Case("boundary", (0.001, 1000000.0), -87.55221677811663),
        Case("boundary", (1.0, 23856725.796184883), 6.234134739522884e-14, absolute=1e-09),
        Case(
            "vectorised",
            ([100.0, 200.0, 400.0, 800.0], 5800000000.0),
            [87.71634309314211, 93.73694300642174, 99.75754291970136, 105.77814283298099],
        ),
        Case("vectorised", ([], 1000000000.0), []),
        Case("dtype", (1000, 1000000000), 92.44778322188337),
        Case("dtype", (1, 299792458), holds="type(result) is float"),
        Case("dtype", ([10], 1000000), holds="type(result) is list and len(result) == 1 and type(result[0]) is float"),
        Case("invalid", (0.0, 1000000000.0), refused=True),
        Case("invalid", (-5.0, 1000000000.0), refused=True),
        Case("invalid", (100.0, 0.0), refused=True),
        Case("invalid", (100.0, math.inf), refused=True),
        Case("invalid", ([100.0, -1.0], 1000000000.0), refused=True),
        Case("tolerance", (1e200, 1e200), 7852.447783221884, rel=1e-12, absolute=0),
        Case("tolerance", (1234.5678, 9876543210.0), 114.17018149444185, rel=1e-13, absolute=0),
    ),
)
