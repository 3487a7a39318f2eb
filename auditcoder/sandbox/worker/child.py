"""The forked child: takes its descriptors, locks itself down, runs the program, and never returns."""

from __future__ import annotations

import os
import signal
import socket
from typing import Any, NamedTuple, NoReturn

from auditcoder.sandbox.worker import kernel, serialize
from auditcoder.sandbox.worker.box import is_inside
from auditcoder.sandbox.worker.channel import RECORDS, Channel
from auditcoder.sandbox.worker.lockdown import Limits, Lockdown
from auditcoder.sandbox.worker.namespaces import STDIN_COPY
from auditcoder.sandbox.worker.runner import run
from auditcoder.sandbox.worker.setup import Setup

_exit = os._exit
PLACES = ("HOME", "TMPDIR", "PWD")


class Order(NamedTuple):
    """What the worker tells its child, besides the descriptors."""

    setup: Setup
    lockdown: Lockdown
    box: str
    limits: Limits
    record_limit: int
    stdin_copy: bool


def main(order: Order, control: socket.socket, handles: list[int]) -> NoReturn:
    """Run one request; exit status 125 without a `go` record means that the set-up failed."""
    channel = Channel(order.record_limit)
    try:
        control.send(b"hello")  # the kernel adds this process's id, as the supervisor's namespace knows it
        text = _take(handles)
        os.setsid()
        os.chdir(order.box)
        request = serialize.load(text)
        del text
        place_files(order, request.get("files", []))
        if order.stdin_copy:
            _copy_stdin()
        order.lockdown.apply(order.box, order.limits)
        os.closerange(RECORDS + 1, 1 << 16)
        _calm(order.box)
        channel.send({"r": "go"})
    except BaseException as error:
        os.write(RECORDS, serialize.dump({"r": "setup", "msg": f"{type(error).__name__}: {error}"[:500]}))
        _exit(125)
    try:
        code = run(request, channel, order.box)
    except BaseException:  # the program broke the runner; without an end record the run counts as broken
        _exit(124)
    _exit(code)


def _take(handles: list[int]) -> str:
    """Move the five descriptors to their places (0 to 3) and return the request's text."""
    request, *streams = handles
    with open(request, "rb", closefd=False) as source:
        text = source.read()
    high = [os.dup(handle) if handle <= RECORDS else handle for handle in streams]
    for target, handle in enumerate(high):
        os.dup2(handle, target)
    return text.decode()


def _calm(box: str) -> None:
    """Give the program what a fresh interpreter has: Ctrl-C handler, places in the environment."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    environment = os.environ
    if environment.get("HOME") != box:
        for name in PLACES:
            environment[name] = box


def place_files(order: Order, files: list[Any]) -> None:
    """Write the input files of a script, read-only, while this process still may."""
    for name, text in files:
        if not is_inside(name):
            raise ValueError(f"a file name that leads outside: {name[:100]!r}")
        parent = os.path.dirname(name)
        if parent:
            os.makedirs(parent, exist_ok=True)
            _open_to_all(parent)
        handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o444)
        with open(handle, "wb") as target:
            target.write(text.encode())
        if order.setup.namespaces:
            # The program may own the folder (user namespace: one id for all); a read-only mount it cannot undo.
            path = f"{order.box}/{name}"
            kernel.bind_read_only(path, path)


def _copy_stdin() -> None:
    with open(0, "rb", closefd=False) as source, open(STDIN_COPY, "wb") as target:
        target.write(source.read())
    os.lseek(0, 0, os.SEEK_SET)
    os.chmod(STDIN_COPY, 0o644)


def _open_to_all(folder: str) -> None:
    parts = folder.split("/")
    for count in range(1, len(parts) + 1):
        os.chmod("/".join(parts[:count]), 0o1777)
