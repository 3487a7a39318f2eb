"""What a child gives up before it runs a program; every step is for good."""

from __future__ import annotations

import os
import resource
import signal
from typing import NamedTuple

from auditcoder.sandbox.worker import kernel, landlock
from auditcoder.sandbox.worker.seccomp import Filter
from auditcoder.sandbox.worker.setup import Setup

_MB = 1 << 20
STACK_MB, FILE_MB, DESCRIPTORS, THREADS = 64, 16, 128, 64


class Limits(NamedTuple):
    """Limits of one child, as the supervisor asked for them."""

    cpu_seconds: float
    memory_mb: int


class Lockdown:
    """Prepared once in the worker; `apply` runs in each child."""

    def __init__(self, setup: Setup, *, abi: int, own_paths: list[str], baseline: int) -> None:
        self._setup = setup
        self._abi = abi
        self._baseline = baseline
        self._filter = Filter(kernel.MACHINE, private=setup.namespaces) if setup.seccomp else None
        self._places: list[landlock.Place] = []
        if setup.landlock:
            readable = [landlock.place(path, landlock.READ) for path in own_paths]
            self._places = [place for place in (*readable, *_special_places(setup.namespaces)) if place is not None]

    def apply(self, box: str, limits: Limits) -> None:
        """Confine this process: limits, identity, capabilities, files, system calls."""
        work = landlock.place(box, landlock.WORK) if self._setup.landlock else None
        self._limit(limits)
        self._drop_identity()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        # A change of identity makes a process undumpable, and its /dev/stdin unreadable to itself.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        if work is not None:
            landlock.restrict(self._abi, [*self._places, work])
        if self._filter is not None:
            self._filter.install(os.getpid())

    def _limit(self, limits: Limits) -> None:
        seconds = int(limits.cpu_seconds) + 2  # whole seconds: only the backstop of the supervisor's clock
        pairs = [
            (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, self._baseline + limits.memory_mb * _MB),
            (resource.RLIMIT_FSIZE, FILE_MB * _MB), (resource.RLIMIT_NOFILE, DESCRIPTORS),
            (resource.RLIMIT_STACK, STACK_MB * _MB), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_MEMLOCK, 0),
        ]  # fmt: skip
        if self._setup.namespaces or self._setup.drop == "uid":
            # Elsewhere the count is shared with every other process of the same user; memory bounds threads there.
            pairs.append((resource.RLIMIT_NPROC, THREADS))
        for kind, value in pairs:
            hard = resource.getrlimit(kind)[1]
            allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (allowed, allowed))

    def _drop_identity(self) -> None:
        if self._setup.drop == "uid":
            os.setgroups([])
            os.setresgid(self._setup.uid, self._setup.uid, self._setup.uid)
            os.setresuid(self._setup.uid, self._setup.uid, self._setup.uid)
        elif self._setup.drop == "caps":
            kernel.drop_capabilities()


def _special_places(private: bool) -> list[landlock.Place | None]:
    """Return the devices and, where it shows a process only itself, /proc."""
    if private:
        return [landlock.place("/dev", landlock.DEVICE), landlock.place("/proc", landlock.READ)]
    writable = [landlock.place(f"/dev/{name}", landlock.DEVICE) for name in ("null", "zero", "full")]
    return writable + [landlock.place(f"/dev/{name}", landlock.READ) for name in ("random", "urandom")]


def address_space(process: int) -> int:
    """Return the size in bytes of the address space of the process whose /proc folder is open at `process`."""
    handle = os.open("statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=process)
    try:
        return int(os.read(handle, 64).split()[0]) * resource.getpagesize()
    finally:
        os.close(handle)


def default_signals() -> None:
    """Undo Python's own handlers: process 1 of a namespace then ignores what its children send."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
