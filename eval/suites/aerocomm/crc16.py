"""Task crc16: The frame error control field of CCSDS transfer frames."""

from __future__ import annotations

from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive

STATEMENT = """Write the function `ccsds_crc16(data)`: the frame error control field of CCSDS transfer frames.

It is the remainder of a cyclic redundancy check with 16 bits: generator polynomial x^16 + x^12 + x^5 + 1 (0x1021), the
register preset to all ones (0xFFFF), octets taken in order with the most significant bit first, and no reflection or
inversion at the end. Return the register as an integer from 0 to 65535.

- `data` is a list of integers from 0 to 255, or `bytes`. No octets give 0xFFFF.
- `data` may also be a list of frames, each a list of octets or bytes: then return the list of their remainders.
- A frame followed by its own remainder, high octet first, has the remainder 0.
- Raise ValueError when something in a frame is not an integer from 0 to 255; True, False and 1.0 are none.
"""
PRIMITIVE = Primitive(
    id="crc16",
    signature="ccsds_crc16(data)",
    statement=STATEMENT,
    sources=(
        "CCSDS 132.0-B: TM Space Data Link Protocol, frame error control field encoding procedure",
        "ITU-T V.41: code-independent error-control system, the generator polynomial",
    ),
    visible=(
        Case("nominal", ([49, 50, 51],), 23502),
        Case("boundary", ([],), 65535),
    ),
    hidden=(
        Case("nominal", ([49, 50, 51, 52, 53, 54, 55, 56, 57],), 10673),
        Case("nominal", (list(range(32)),), 9139),
        Case("nominal", ([222, 173, 190, 239],), 16535),
        Case("boundary", ([0],), 57840),
        Case("boundary", ([255, 255, 255, 255],), 7439),
        Case("boundary", ([0] * 20,), 63160),
        Case("boundary", ([49, 50, 51, 52, 53, 54, 55, 56, 57, 41, 177],), 0),
        Case("vectorised", ([[1, 2, 3], [4, 5], [6]],), [44461, 33134, 33078]),
        Case("vectorised", ([[], [255]],), [65535, 65280]),
        Case("dtype", (b"\x00\x01\xfe\xff",), 40398),
        Case("dtype", ([b"frame", [102, 114, 97, 109, 101]],), [34662, 34662]),
        Case("dtype", ([1, 2, 3],), holds="type(result) is int"),
        Case("invalid", ([256],), refused=True),
        Case("invalid", ([-1],), refused=True),
        Case("invalid", ([1.0, 2.0],), refused=True),
        Case("invalid", ([True],), refused=True),
        Case("invalid", ([[1, 2], [300]],), refused=True),
        Case("tolerance", ([7 * i % 256 for i in range(600)],), 32641),
        Case("tolerance", ([7 * i % 256 ^ (i == 300) for i in range(600)],), 56091),
    ),
)
