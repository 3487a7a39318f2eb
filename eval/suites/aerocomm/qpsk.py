"""Task qpsk: Bits as Gray-coded QPSK symbols."""

from __future__ import annotations

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `qpsk_symbols(bits, energy=1.0)`: bits as Gray-coded QPSK symbols.

`bits` is a list of the integers 0 and 1, two to a symbol. The first bit of a pair sets the in-phase part I, the second
one the quadrature part Q: 0 gives +sqrt(energy / 2), 1 gives -sqrt(energy / 2). So neighbouring points differ in one
bit, and every symbol has the given energy I^2 + Q^2. Return the list of symbols, each the list [I, Q] of two floats.

- `bits` may also be a list of frames, each a list of bits: then return the list of what each frame gives. An empty
  list gives an empty list.
- Raise ValueError when the number of bits of a frame is odd, when something in it is not the integer 0 or 1 (True,
  False and 1.0 are none), and when `energy` is not positive or not finite.
"""
PRIMITIVE = Primitive(
    id="qpsk",
    signature="qpsk_symbols(bits: list, energy: float = 1.0)",
    statement=STATEMENT,
    sources=(
        "CCSDS 401.0-B: Radio Frequency and Modulation Systems, QPSK with Gray-coded phases",
        "Proakis: Digital Communications, section on phase-shift keying with Gray encoding",
    ),
    visible=(
        Case(
            "nominal",
            ([0, 0, 0, 1],),
            [[0.7071067811865476, 0.7071067811865476], [0.7071067811865476, -0.7071067811865476]],
        ),
        Case("boundary", ([],), []),
    ),
    hidden=(
        Case(
            "nominal",
            ([0, 0, 0, 1, 1, 1, 1, 0],),
            [
                [0.7071067811865476, 0.7071067811865476],
                [0.7071067811865476, -0.7071067811865476],
                [-0.7071067811865476, -0.7071067811865476],
                [-0.7071067811865476, 0.7071067811865476],
            ],
        ),
        Case("nominal", ([1, 0],), [[-0.7071067811865476, 0.7071067811865476]]),
        Case("nominal", ([1, 1, 0, 0], 2.0), [[-1.0, -1.0], [1.0, 1.0]]),
        Case("boundary", ([1, 1],), [[-0.7071067811865476, -0.7071067811865476]]),
        Case("boundary", ([0, 1], 1e-12), [[7.071067811865475e-07, -7.071067811865475e-07]], rel=1e-12, absolute=0),
        Case("boundary", ([], 4.0), []),
        Case(
            "vectorised",
            ([[0, 0], [1, 1], [1, 0]],),
            [
                [[0.7071067811865476, 0.7071067811865476]],
                [[-0.7071067811865476, -0.7071067811865476]],
                [[-0.7071067811865476, 0.7071067811865476]],
            ],
        ),
        Case("vectorised", ([[0, 1, 1, 0], []], 8.0), [[[2.0, -2.0], [-2.0, 2.0]], []]),
        Case("dtype", ([0, 1], 2), holds="result == [[1.0, -1.0]] and all(type(x) is float for x in result[0])"),
        Case("dtype", ([0, 0, 1, 1],), holds="type(result) is list and [len(s) for s in result] == [2, 2]"),
        Case("invalid", ([0, 1, 0],), refused=True),
        Case("invalid", ([0, 2],), refused=True),
        Case("invalid", ([True, False],), refused=True),
        Case("invalid", ([1.0, 0.0],), refused=True),
        Case("invalid", ([0, 1], 0.0), refused=True),
        Case("invalid", ([0, 1], -1.0), refused=True),
        Case("invalid", ([[0, 1], [1]],), refused=True),
        Case(
            "tolerance",
            ([0, 1, 1, 0], 0.3),
            [[0.3872983346207417, -0.3872983346207417], [-0.3872983346207417, 0.3872983346207417]],
            rel=1e-14,
            absolute=0,
        ),
        Case(
            "tolerance",
            ([1, 0, 0, 1], 1000000000.0),
            [[-22360.679774997898, 22360.679774997898], [22360.679774997898, -22360.679774997898]],
            rel=1e-14,
            absolute=0,
        ),
    ),
)
