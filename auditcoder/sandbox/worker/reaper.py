"""Ending everything that a check left behind."""

from __future__ import annotations

import os
import signal


def kill_all(*, private: bool) -> None:
    """Kill and reap every process of the check, also daemonised and re-parented ones.

    `private`: this is process 1 of its own process namespace, and everything else in there belongs to the check.
    Elsewhere orphans come to this process as their reaper, and are found as its children.
    """
    while True:
        if private:
            _kill(-1)
        else:
            for pid in _children():
                _kill(pid)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def idle_child_rss() -> int:
    """Return the peak memory in KB of a child that does nothing: the baseline of all others."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.wait4(pid, 0)[2].ru_maxrss


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _children() -> list[int]:
    path = f"/proc/self/task/{os.getpid()}/children"
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return [int(word) for word in os.read(handle, 1 << 16).split()]
    finally:
        os.close(handle)
