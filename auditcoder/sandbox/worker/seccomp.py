"""The system call filter: a binary decision tree in classic BPF, built from our own tables.

The kernel runs a new filter once per known call number to fill its cache, so the depth of the program, not its
length, is what an installation costs. Default: known calls are allowed and denied ones answer EPERM (a full
allow-list would break with every new libc); numbers above the table answer ENOSYS; another ABI kills.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Callable

from auditcoder.sandbox.worker import kernel, syscalls

Code = list[tuple[int, int, int, int]]

_LOAD, _RETURN, _AND, _JUMP = 0x20, 0x06, 0x54, 0x05
_JEQ, _JGE, _JSET = 0x15, 0x35, 0x45
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_NUMBER, _ARCH = 0, 4
_X32_BIT = 0x40000000
_CLONE_THREAD, _SOCK_DGRAM, _TYPE_MASK = 0x00010000, 2, 0xF
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_OWN_PID = 0x7FFFFFF1
"""Stands for the child's process id until `Filter.install`."""


def _argument(index: int, *, high: bool = False) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def _when(test: int, value: int, then: int, otherwise: int) -> Code:
    return [(test, 0, 1, value), (_RETURN, 0, 0, then), (_RETURN, 0, 0, otherwise)]


def _clone() -> Code:
    """Threads, never processes."""
    return [_argument(0), *_when(_JSET, _CLONE_THREAD, _ALLOW, _EPERM)]


def _own_limits() -> Code:
    """`prlimit64(0, ...)` is how libc reads its own limits; another process's are not for the child to change."""
    return [_argument(0), *_when(_JEQ, 0, _ALLOW, _EPERM)]


def _stream_pairs() -> Code:
    """Stream pairs serve asyncio; a datagram pair could still send to a named socket of another process."""
    return [_argument(1), (_AND, 0, 0, _TYPE_MASK), *_when(_JEQ, _SOCK_DGRAM, _EPERM, _ALLOW)]


def _no_address() -> Code:
    """`sendto` without an address is `send`."""
    return [
        _argument(4), (_JEQ, 0, 3, 0), _argument(4, high=True), *_when(_JEQ, 0, _ALLOW, _EPERM)[:1],
        (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM),
    ]  # fmt: skip


def _no_typing() -> Code:
    """Pushing characters into a terminal is refused."""
    return [_argument(1), (_JEQ, 1, 0, _TIOCSTI), *_when(_JEQ, _TIOCLINUX, _EPERM, _ALLOW)]


def _own_process() -> Code:
    return [_argument(0), *_when(_JEQ, _OWN_PID, _ALLOW, _EPERM)]


_SPECIAL: dict[str, Callable[[], Code]] = {
    "clone": _clone, "prlimit64": _own_limits, "socketpair": _stream_pairs, "sendto": _no_address,
    "ioctl": _no_typing, **dict.fromkeys(syscalls.OWN_PROCESS_ONLY, _own_process),
}  # fmt: skip


def _leaf(name: str) -> Code:
    if name in _SPECIAL:
        return _SPECIAL[name]()
    return [(_RETURN, 0, 0, _ENOSYS if name in syscalls.NO_SUCH_CALL else _EPERM)]


def _intervals(table: dict[str, int], private: bool) -> list[tuple[int, Code]]:
    """Return (first number, what to do from there on), ascending."""
    skipped = syscalls.OWN_PROCESS_ONLY | syscalls.HOST_METADATA if private else frozenset[str]()
    leaves = {number: _leaf(name) for name, number in table.items() if name not in skipped}
    leaves[syscalls.LAST_KNOWN + 1] = [(_RETURN, 0, 0, _ENOSYS)]
    allow: Code = [(_RETURN, 0, 0, _ALLOW)]
    points: list[tuple[int, Code]] = [] if 0 in leaves else [(0, allow)]
    for number in sorted(leaves):
        same = bool(points) and points[-1][1] == leaves[number]
        if not same:
            points.append((number, leaves[number]))
        if number <= syscalls.LAST_KNOWN and number + 1 not in leaves:
            points.append((number + 1, allow))
    return points


def _tree(points: list[tuple[int, Code]]) -> Code:
    if len(points) == 1:
        return points[0][1]
    middle = len(points) // 2
    below, above = _tree(points[:middle]), _tree(points[middle:])
    if len(below) <= 255:
        return [(_JGE, len(below), 0, points[middle][0]), *below, *above]
    return [(_JGE, 0, 1, points[middle][0]), (_JUMP, 0, 0, len(below)), *below, *above]


def program(machine: str, *, private: bool) -> Code:
    """Return the filter's instructions.

    Raises:
        KeyError: there is no table for this architecture, hence no such rung.
    """
    head: Code = [
        (_LOAD, 0, 0, _ARCH), (_JEQ, 1, 0, syscalls.AUDIT_ARCH[machine]), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip
    if machine == "x86_64":
        head += [(_JGE, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    return head + _tree(_intervals(syscalls.TABLES[machine], private))


class Filter:
    """A filter that is built once in the worker and installed in every child."""

    def __init__(self, machine: str, *, private: bool) -> None:
        code = program(machine, private=private)
        self._bytes = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
        self._count = len(code)

    def install(self, pid: int) -> None:
        """Put the filter on this process, for good; it must have `no_new_privs` already."""
        patched = self._bytes.replace(struct.pack("=I", _OWN_PID), struct.pack("=I", pid))
        buffer = ctypes.create_string_buffer(patched, len(patched))
        header = struct.pack("@HP", self._count, ctypes.addressof(buffer))
        holder = ctypes.create_string_buffer(header, len(header))
        kernel.prctl(kernel.PR_SET_SECCOMP, kernel.SECCOMP_MODE_FILTER, ctypes.addressof(holder))
