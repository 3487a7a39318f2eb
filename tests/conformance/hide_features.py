"""Run a command on a kernel that seems to lack features: `hide_features.py NUMBER=ERRNO ... -- COMMAND ...`.

A small system call filter makes the named calls fail, for this process and all below. `INDEX:VALUE@NUMBER=ERRNO`
asks for a value of one argument: so seccomp itself (an option of prctl) or the mount of one kind can be hidden.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_LOAD, _JEQ, _RETURN, _ALLOW, _ERRNO = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000


def _rule(text: str) -> list[tuple[int, int, int, int]]:
    call, _, error = text.partition("=")
    argument, _, number = call.rpartition("@")
    answer = (_RETURN, 0, 0, _ERRNO | int(error))
    if not argument:
        return [(_LOAD, 0, 0, 0), (_JEQ, 0, 1, int(number)), answer]
    index, _, value = argument.partition(":")
    load = (_LOAD, 0, 0, 16 + 8 * int(index))
    return [(_LOAD, 0, 0, 0), (_JEQ, 0, 3, int(number)), load, (_JEQ, 0, 1, int(value)), answer]


def main() -> None:
    split = sys.argv.index("--")
    code = [step for text in sys.argv[1:split] for step in _rule(text)] + [(_RETURN, 0, 0, _ALLOW)]
    body = b"".join(struct.pack("=HBBI", *step) for step in code)
    buffer = ctypes.create_string_buffer(body, len(body))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or libc.prctl(22, ctypes.c_ulong(2), header, zero, zero):
        raise OSError(ctypes.get_errno(), "the filter was refused")
    command = sys.argv[split + 1 :]
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
