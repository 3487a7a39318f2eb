"""Thin access, through ctypes, to the system calls that the standard library does not offer."""

from __future__ import annotations

import ctypes
import os
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
MACHINE = os.uname().machine

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER, PR_CAP_AMBIENT = 38, 36, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_MOUNT_SETATTR = 442  # numbers from 424 on are the same on every architecture
_AT_RECURSIVE, _AT_EMPTY_PATH = 0x8000, 0x1000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_LAST_CAPABILITY = 40


def checked(result: int, what: str) -> int:
    """Return a system call's result.

    Raises:
        OSError: it was negative; the text names the step, since it is what `doctor` shows.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: Any, what: str) -> int:
    """Return the result of a raw system call; integers go as machine words."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(LIBC.syscall(ctypes.c_long(number), *words), what)


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    checked(LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount a file system, or bind or remount one."""
    code = LIBC.mount(
        source.encode(), target.encode(), kind.encode() if kind else None, ctypes.c_ulong(flags), options.encode()
    )
    checked(code, f"mount {kind or 'bind'} on {target}")


def unmount(target: str) -> None:
    """Detach a mount and everything below it at once."""
    checked(LIBC.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def bind_read_only(source: str, target: str, *, device: bool = False) -> None:
    """Bind a file or folder, with all that is mounted below it, read-only (devices: writable)."""
    mount(source, target, None, MS_BIND | MS_REC)
    if device:
        return
    attributes = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    try:
        syscall(_MOUNT_SETATTR, -100, target.encode(), _AT_RECURSIVE, attributes, 32, what="mount_setattr")
    except OSError:
        # Before Linux 5.12 only the top mount can be made read-only in one step.
        mount("none", target, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root of the mount namespace."""
    syscall(_PIVOT_ROOT[MACHINE], new.encode(), old.encode(), what="pivot_root")


def prctl(option: int, first: int = 0, second: int = 0) -> None:
    """Change one attribute of this process."""
    checked(
        LIBC.prctl(option, ctypes.c_ulong(first), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0)),
        f"prctl {option}",
    )


def drop_capabilities() -> None:
    """Give up every capability for good: ambient, bounding, effective, permitted, inheritable."""
    LIBC.prctl(PR_CAP_AMBIENT, ctypes.c_ulong(PR_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)  # absent before Linux 4.3
    for capability in range(_LAST_CAPABILITY + 1):
        LIBC.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)  # fails where the right is absent already
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    syscall(_CAPSET[MACHINE], header, (ctypes.c_uint32 * 6)(), what="capset")
