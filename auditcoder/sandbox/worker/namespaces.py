"""Entering namespaces once per worker, and a private root that shows only what programs need to read."""

from __future__ import annotations

import os
import signal

from auditcoder.sandbox.worker import kernel
from auditcoder.sandbox.worker.setup import Setup

BOX = "/box"
"""Mount point of the per-check work folder inside the private root."""
STDIN_COPY = BOX + "/.stdin"
"""What /dev/stdin is where there is no /proc to link to."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = (("stdin", "0"), ("stdout", "1"), ("stderr", "2"))
_INSIDE_ID = 1000


def enter(setup: Setup) -> None:
    """Move into new namespaces; this function returns in the worker, which is process 1 of its own process namespace.

    The process that called waits for the worker and ends with it.
    """
    flags = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(flags | (kernel.CLONE_NEWUSER if setup.user_namespace else 0))
    if setup.user_namespace:
        _map_one_id(uid, gid)
    worker = os.fork()
    if worker:
        _wait_for(worker)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _map_one_id(uid: int, gid: int) -> None:
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{_INSIDE_ID} {uid} 1")
    _write("/proc/self/gid_map", f"{_INSIDE_ID} {gid} 1")


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _wait_for(worker: int) -> None:
    """Keep nothing open but the standard streams, so that the worker's end of the control socket is the only one."""
    os.closerange(3, 1 << 16)
    _, status = os.waitpid(worker, 0)
    os._exit(0 if status == 0 else 1)


def build_root(setup: Setup) -> bool:
    """Build the private root and move into it; return whether it has a /proc."""
    root = setup.root
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("root", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,nr_inodes=4096,mode=755")
    for source, inside in setup.shown:
        _show(source, root + inside)
    proc = _proc(root)
    _devices(root, proc)
    _work_places(root)
    os.chdir(root)
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    flags = kernel.MS_REMOUNT | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("root", "/", None, flags)
    return proc


def _show(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    kernel.bind_read_only(source, target)


def _devices(root: str, proc: bool) -> None:
    os.makedirs(root + "/dev", exist_ok=True)
    for name in _DEVICES:
        target = f"{root}/dev/{name}"
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        kernel.bind_read_only(f"/dev/{name}", target, device=True)
    if not proc:
        os.symlink(STDIN_COPY, root + "/dev/stdin")
        return
    os.symlink("/proc/self/fd", root + "/dev/fd")
    for name, number in _LINKS:
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")


def _proc(root: str) -> bool:
    """Mount a /proc that shows a process only itself; where that is refused (containers), go on without one."""
    os.makedirs(root + "/proc", exist_ok=True)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    try:
        kernel.mount("proc", root + "/proc", "proc", flags, "subset=pid,hidepid=2")
    except OSError:
        return False
    return True


def _work_places(root: str) -> None:
    os.makedirs(root + BOX, exist_ok=True)
    for name in ("/tmp", "/var/tmp", "/dev/shm"):
        os.makedirs(os.path.dirname(root + name), exist_ok=True)
        if not os.path.lexists(root + name):
            os.symlink(BOX, root + name)
