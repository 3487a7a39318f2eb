"""Task convolutional: The rate-1/2 convolutional code (7, 5) with constraint length 3."""

from __future__ import annotations

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive


def _bits(digits: str, length: int) -> list[int]:
    """Return bits that are written in base 16."""
    return [int(bit) for bit in f"{int(digits, 16):0{length}b}"]


STATEMENT = """Write the function `convolutional_encode(bits, terminate=False)`: the rate-1/2 convolutional code (7, 5)
with constraint length 3.

Every input bit u[n] gives two output bits, in this order: first u[n] + u[n-1] + u[n-2] (generator 7 in octal, 111 in
binary), then u[n] + u[n-2] (generator 5, 101), both modulo 2. Bits before the first one are 0. Return the list of
output bits, as integers.

- With `terminate` two zero bits are encoded after the input, so that the encoder ends in the zero state.
- `bits` may also be a list of frames, each a list of bits: then return the list of what each frame gives, every frame
  encoded from the zero state. An empty list is one empty frame.
- Raise ValueError when something in a frame is not the integer 0 or 1; True, False and 1.0 are none.
"""
PRIMITIVE = Primitive(
    id="convolutional",
    signature="convolutional_encode(bits: list, terminate: bool = False)",
    statement=STATEMENT,
    sources=(
        "CCSDS 131.0-B: TM Synchronization and Channel Coding, convolutional coding (the form of the encoder)",
        "Lin, Costello: Error Control Coding, the (7, 5) code of memory 2",
    ),
    visible=(
        Case("nominal", ([1, 0, 1, 1],), [1, 1, 1, 0, 0, 0, 0, 1]),
        Case("boundary", ([],), []),
    ),
    hidden=(
        Case("nominal", ([1, 1, 0, 1, 0, 0, 1],), [1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]),
        Case("nominal", ([1, 0, 0, 0],), [1, 1, 1, 0, 1, 1, 0, 0]),
        Case("nominal", ([1, 0, 1, 1], True), [1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1]),
        Case("boundary", ([0, 0, 0],), [0, 0, 0, 0, 0, 0]),
        Case("boundary", ([1],), [1, 1]),
        Case("boundary", ([1], True), [1, 1, 1, 0, 1, 1]),
        Case("boundary", ([], True), [0, 0, 0, 0]),
        Case("vectorised", ([[1], [1, 1], [0, 1, 0]],), [[1, 1], [1, 1, 0, 1], [0, 0, 1, 1, 1, 0]]),
        Case(
            "vectorised",
            ([[1, 0, 1], [1, 0, 1]], True),
            [[1, 1, 1, 0, 0, 0, 1, 0, 1, 1], [1, 1, 1, 0, 0, 0, 1, 0, 1, 1]],
        ),
        Case("dtype", ([1, 0, 1],), holds="type(result) is list and all(type(x) is int for x in result)"),
        Case("dtype", ([1, 1, 1, 1, 1],), holds="len(result) == 10"),
        Case("dtype", ([1, 1, 1, 1, 1], True), holds="len(result) == 14 and result[-2:] == [1, 1]"),
        Case("invalid", ([0, 2],), refused=True),
        Case("invalid", ([-1],), refused=True),
        Case("invalid", ([True, False],), refused=True),
        Case("invalid", ([1.0],), refused=True),
        Case("invalid", ([[1, 0], [3]],), refused=True),
        Case(
            "tolerance",
            ([i * i // 3 % 2 for i in range(120)], True),
            _bits("d9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9cd9c", 244),
        ),
        Case(
            "tolerance",
            ([int(i % 7 in (0, 3)) for i in range(150)],),
            _bits("efb3becefb3becefb3becefb3becefb3becefb3becefb3becefb3becefb3becefb3becefb3b", 300),
        ),
    ),
)
