"""Landlock: file access by folder, no TCP, no signals to or abstract sockets of processes outside."""

from __future__ import annotations

import ctypes
import os
import struct
from typing import NamedTuple

from auditcoder.sandbox.worker import kernel

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REG, _MAKE_FIFO, _MAKE_SYM = 1 << 7, 1 << 8, 1 << 10, 1 << 12
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI_RIGHTS = (1 << 13) - 1
_TCP = 0b11
_SCOPES = 0b11
_PATH_BENEATH = 1

READ = _READ_FILE | _READ_DIR
DEVICE = READ | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
_MAKE = _MAKE_DIR | _MAKE_REG | _MAKE_FIFO | _MAKE_SYM
WORK = READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE | _REFER | _TRUNCATE
_FILE_RIGHTS = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV


class Place(NamedTuple):
    """An opened path and what is allowed beneath it."""

    handle: int
    rights: int


def abi() -> int:
    """Return the version of Landlock that the kernel offers; 0 when it has none."""
    return max(0, int(kernel.LIBC.syscall(ctypes.c_long(_CREATE), None, ctypes.c_long(0), ctypes.c_long(1))))


def place(path: str, rights: int) -> Place | None:
    """Return a rule's place, or None when the path is not there."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    is_folder = os.path.isdir(path)
    return Place(handle, rights if is_folder else rights & _FILE_RIGHTS)


def _handled(version: int) -> tuple[int, int, int]:
    files = _FIRST_ABI_RIGHTS
    files |= (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0) | (_IOCTL_DEV if version >= 5 else 0)
    return files, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0


def restrict(version: int, places: list[Place]) -> None:
    """Confine this process for good to the given places; it must have `no_new_privs` already."""
    files, net, scopes = _handled(version)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("=QQQ", files, net, scopes)[:size]
    ruleset = kernel.syscall(_CREATE, attributes, size, 0, what="landlock_create_ruleset")
    for handle, rights in places:
        rule = struct.pack("=Qi", rights & files, handle)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0, what="landlock_add_rule")
    kernel.syscall(_RESTRICT, ruleset, 0, what="landlock_restrict_self")
    os.close(ruleset)
