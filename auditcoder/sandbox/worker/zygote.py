"""The worker: isolates itself once, then forks one child per request. It never sees code, inputs or outputs.

A request is a small header and five descriptors, passed on to the child: request, standard input, output and
errors, records. Expected values never come here.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import select
import signal
import site
import socket
import sys
from typing import Any

from auditcoder.sandbox.worker import child, kernel, landlock, namespaces, reaper
from auditcoder.sandbox.worker.box import Box
from auditcoder.sandbox.worker.lockdown import Limits, Lockdown, address_space, default_signals
from auditcoder.sandbox.worker.setup import Setup

_MESSAGE, _MAX_HANDLES = 1 << 16, 64


def start(number: int) -> None:
    """Receive the setup, isolate this process and serve; end when the supervisor closes the socket."""
    control = socket.socket(fileno=number)
    setup = Setup.from_json(json.loads(control.recv(_MESSAGE)))
    try:
        worker = _prepare(control, setup)
    except (OSError, ImportError, KeyError) as error:
        control.send(json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    worker.serve()
    os._exit(0)


def _prepare(control: socket.socket, setup: Setup) -> Worker:
    if setup.namespaces:
        namespaces.enter(setup)
        own = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        proc = namespaces.build_root(setup)
    else:
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        own, proc = os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), True
    _load(setup)
    abi = landlock.abi() if setup.landlock else 0
    if setup.landlock and not abi:
        raise OSError("this kernel has no Landlock")
    readable = [inside if setup.namespaces else source for source, inside in setup.shown]
    lockdown = Lockdown(setup, abi=abi, own_paths=readable, baseline=address_space(own))
    os.close(own)
    default_signals()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"ready": True, "proc": proc, "abi": abi, "rss_kb": reaper.idle_child_rss()}).encode())
    return Worker(control, setup, lockdown, proc=proc)


def _load(setup: Setup) -> None:
    """Import what programs use most, once; add what `site` would, without running its path configuration files."""
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()
    site.setquit()
    site.setcopyright()
    site.sethelper()
    sys.path += setup.paths
    if setup.namespaces:
        os.environ.update(dict.fromkeys(child.PLACES, namespaces.BOX))
    # What libraries do after a fork (new locks, another random seed) costs every check and is not needed: this
    # process has one thread, its children cannot fork, and equal inputs are to give equal outputs.
    register, os.register_at_fork = os.register_at_fork, _no_hook
    try:
        for name in setup.preload:
            importlib.import_module(name)
    finally:
        os.register_at_fork = register
    if "random" in sys.modules:
        sys.modules["random"].seed(0)


def _no_hook(**hooks: object) -> None:
    """Stand in for `os.register_at_fork` while modules are imported."""


class Worker:
    """Serves one request at a time."""

    def __init__(self, control: socket.socket, setup: Setup, lockdown: Lockdown, *, proc: bool) -> None:
        self._control = control
        self._setup = setup
        self._lockdown = lockdown
        self._box = Box(setup)
        self._proc = proc

    def serve(self) -> None:
        """Answer requests until the socket is closed."""
        while True:
            message, handles = self._receive()
            if not message:
                return
            header = json.loads(message)
            if header["op"] == "run":
                self._run(header, handles)

    def _receive(self) -> tuple[bytes, list[int]]:
        message, ancillary, _, _ = self._control.recvmsg(_MESSAGE, socket.CMSG_SPACE(_MAX_HANDLES * 4))
        handles = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
        return message, list(handles)

    def _run(self, header: dict[str, Any], handles: list[int]) -> None:
        self._box.open()
        pid = os.fork()
        if pid == 0:
            limits = Limits(header["cpu"], header["memory"])
            order = child.Order(
                self._setup, self._lockdown, self._box.path, limits, header["record_limit"], not self._proc
            )
            child.main(order, self._control, handles)
        for handle in handles:
            os.close(handle)
        ended = self._watch(pid)
        reaper.kill_all(private=self._setup.namespaces)
        files = self._box.collect(header["collect"])
        status, usage = ended
        done = {
            "status": status, "cpu": usage.ru_utime + usage.ru_stime, "rss_kb": usage.ru_maxrss,
            "files": [file.name for file in files],
        }  # fmt: skip
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.handle for file in files]))]
        self._control.sendmsg([json.dumps(done).encode()], ancillary if files else [])
        for file in files:
            os.close(file.handle)
        self._box.close()

    def _watch(self, pid: int) -> tuple[int, Any]:
        """Wait for the child; kill it when the supervisor says so or is gone."""
        handle = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        try:
            while not any(ready == handle for ready, _ in poll.poll()):
                message, _ = self._receive()
                os.kill(pid, signal.SIGKILL)
                if not message:
                    os._exit(1)
                poll.unregister(self._control)
        finally:
            os.close(handle)
        _, status, usage = os.wait4(pid, 0)
        return status, usage
