"""The frame error control of CCSDS transfer frames."""

from typing import Any


def ccsds_crc16(data: Any) -> Any:
    """Return the 16-bit remainder, or a list of them for a list of frames."""
    if len(data) > 0 and isinstance(data[0], (list, tuple, bytes)):
        return [ccsds_crc16(frame) for frame in data]
    register = 0xFFFF
    for octet in data:
        if type(octet) is not int or not 0 <= octet <= 255:
            raise ValueError("octets are integers from 0 to 255")
        register ^= octet << 8
        for _ in range(8):
            register = (register << 1) ^ 0x1021 if register & 0x8000 else register << 1
            register &= 0xFFFF
    return register
