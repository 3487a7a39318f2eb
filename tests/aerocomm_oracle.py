"""The eight primitives of AeroComm-Small8 by other ways than the references: fifty decimal digits, polynomials."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import Any

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


def sine(x: Decimal) -> Decimal:
    """By its series, after reduction to one turn."""
    x -= 2 * PI * (x / (2 * PI)).to_integral_value()
    term = total = x
    n = 1
    while abs(term) > Decimal(10) ** -58:
        term *= -x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


def vis_viva(r: float, a: float, mu: float = 398600.4418) -> float:
    """From energy: v^2 / 2 - mu / r = -mu / (2 a)."""
    energy = Decimal(0) if a in (float("inf"), float("-inf")) else -Decimal(mu) / (2 * Decimal(a))
    return float(max(Decimal(0), 2 * (energy + Decimal(mu) / Decimal(r))).sqrt())


def hohmann(r1: float, r2: float, mu: float = 398600.4418) -> list[float]:
    """From the vis-viva speeds on both circles and on the transfer ellipse, and Kepler's third law."""
    m, a, b = Decimal(mu), Decimal(r1), Decimal(r2)
    half = (a + b) / 2
    speed = [(m * (2 / r - 1 / half)).sqrt() for r in (a, b)]
    change = [abs(speed[0] - (m / a).sqrt()), abs((m / b).sqrt() - speed[1])]
    values = (*change, sum(change), PI * (half**3 / m).sqrt())
    return [float(value) if value > Decimal(10) ** -50 else 0.0 for value in values]


def kepler(mean: float, e: float) -> float:
    """By bisection alone."""
    m = Decimal(mean)
    low, high = m - 1, m + 1
    for _ in range(190):
        middle = (low + high) / 2
        low, high = (middle, high) if middle - Decimal(e) * sine(middle) < m else (low, middle)
    return float((low + high) / 2)


def rotate(q: list[float], v: list[float]) -> list[float]:
    """By the rotation matrix, in exact fractions."""
    w, x, y, z = map(Fraction, q)
    n = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return [float(sum(m * Fraction(part) for m, part in zip(row, v, strict=True)) / n) for row in rows]


def qpsk(bits: list[int], energy: float = 1.0) -> list[list[float]]:
    """By a table of the four points."""
    level = float((Decimal(energy) / 2).sqrt())
    table = {(0, 0): (1, 1), (0, 1): (1, -1), (1, 1): (-1, -1), (1, 0): (-1, 1)}
    pairs = zip(bits[::2], bits[1::2], strict=True)
    return [[level * sign for sign in table[pair]] for pair in pairs]


def path_loss(distance: float, frequency: float) -> float:
    """As the logarithm of the ratio itself."""
    ratio = 4 * PI * Decimal(distance) * Decimal(frequency) / Decimal(299792458)
    return float(20 * ratio.log10())


def crc(data: list[int] | bytes) -> int:
    """By dividing the whole message, as one polynomial over GF(2)."""
    message = int.from_bytes(bytes(data), "big") << 16
    message ^= 0xFFFF << (8 * len(data))
    for place in range(8 * len(data) + 15, 15, -1):
        if message >> place & 1:
            message ^= 0x11021 << (place - 16)
    return message & 0xFFFF


def convolve(bits: list[int], terminate: bool = False) -> list[int]:  # noqa: FBT002  (the task says so)
    """By multiplying the message polynomial with the generators 1 + D + D^2 and 1 + D^2 over GF(2)."""
    length = len(bits) + 2 * terminate
    products = []
    for generator in ((1, 1, 1), (1, 0, 1)):
        product = [0] * (len(bits) + 2)
        for place, bit in enumerate(bits):
            for shift, tap in enumerate(generator):
                product[place + shift] ^= bit & tap
        products.append(product[:length])
    return [bit for pair in zip(*products, strict=True) for bit in pair]


ORACLES: dict[str, Callable[..., Any]] = {
    "ccsds_crc16": crc,
    "convolutional_encode": convolve,
    "eccentric_anomaly": kepler,
    "free_space_path_loss": path_loss,
    "hohmann_budget": hohmann,
    "qpsk_symbols": qpsk,
    "rotate_vector": rotate,
    "vis_viva_speed": vis_viva,
}
SPREAD = {
    "ccsds_crc16": 0, "convolutional_encode": 0, "eccentric_anomaly": 0, "free_space_path_loss": 0,
    "hohmann_budget": 1, "qpsk_symbols": 0, "rotate_vector": 1, "vis_viva_speed": 0,
}  # fmt: skip
"""Which argument may be a list of several."""
SINGLE_DEPTH = {"ccsds_crc16": 1, "convolutional_encode": 1, "qpsk_symbols": 1, "rotate_vector": 1}
"""How deep in lists a single argument is."""


def answer(name: str, args: tuple[Any, ...]) -> Any:
    """Return what a primitive gives for the arguments of a case, several at once included."""
    place = SPREAD[name]
    several = args[place]
    if name == "rotate_vector" and not several:
        return []
    for _ in range(SINGLE_DEPTH.get(name, 0)):
        several = several[0] if isinstance(several, list | tuple) and several else None
    if isinstance(several, list | tuple) or (isinstance(several, bytes) and name == "ccsds_crc16"):
        return [answer(name, (*args[:place], one, *args[place + 1 :])) for one in args[place]]
    return ORACLES[name](*args)
