"""One worker process as the supervisor sees it: start, requests, end."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from auditcoder.errors import HarnessError
from auditcoder.sandbox import settings
from auditcoder.sandbox.rungs import Rung, setup_message

_MESSAGE, _MAX_HANDLES = 1 << 16, settings.COLLECTED_FILES


class WorkerProcess:
    """A started worker. The interpreter is executed anew, never forked: this process may hold native threads.

    Raises:
        HarnessError: it did not start; the message says which step failed.
    """

    def __init__(self, rung: Rung, preload: tuple[str, ...] = settings.PRELOAD) -> None:
        self.rung = rung
        self.control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The kernel then adds to each message the sender's process id as this namespace sees it.
        self.control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._root = tempfile.mkdtemp(prefix="auditcoder-", dir=_root_parent(rung))
        if rung.drop == "uid":
            Path(self._root).chmod(0o711)  # the other uid has to pass through to its own work folder
        self._errors = os.memfd_create("worker-errors", os.MFD_CLOEXEC)
        try:
            with inner:
                self._process = _spawn(inner.fileno(), self._errors)
            self.facts = self._handshake(setup_message(rung, self._root, preload))
        except BaseException:
            self.close()
            raise
        if rung.namespaces:
            _clear(Path(self._root))  # it was a mount point only, and the mount has moved inside

    def _handshake(self, setup: bytes) -> dict[str, Any]:
        self.control.settimeout(settings.START_SECONDS)
        try:
            self.control.send(setup)
            answer, self.pid, _ = self.receive()
        except OSError as error:
            raise HarnessError(f"the worker did not start: {error}. {self._said()}".strip()) from error
        self.control.settimeout(None)
        facts: dict[str, Any] = json.loads(answer) if answer else {"failed": self._said() or "it ended"}
        if "failed" in facts:
            raise HarnessError(f"the worker did not start: {facts['failed']}")
        return facts

    def _said(self) -> str:
        return os.pread(self._errors, 2000, 0).decode("utf-8", "replace").strip()

    def request(self, header: dict[str, Any], handles: list[int]) -> None:
        """Send a header and the descriptors that belong to it.

        Raises:
            OSError: the worker is gone.
        """
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handles))] if handles else []
        self.control.sendmsg([json.dumps(header).encode()], rights)

    def receive(self) -> tuple[bytes, int, list[int]]:
        """Return a message, the process id of its sender, and descriptors; an empty message means the end."""
        space = socket.CMSG_SPACE(_MAX_HANDLES * 4) + socket.CMSG_SPACE(12)
        message, ancillary, _, _ = self.control.recvmsg(_MESSAGE, space)
        pid, handles = 0, array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                pid = int.from_bytes(data[:4], sys.byteorder)
            elif level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
        return message, pid, list(handles)

    def close(self) -> None:
        """End the worker and everything inside it; safe to call twice."""
        self.control.close()
        process = getattr(self, "_process", None)
        if process is not None:
            _end(process)
        if self._errors >= 0:
            os.close(self._errors)
            self._errors = -1
        _clear(Path(self._root))

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def memory_file(name: str, data: bytes, *, sealed: bool) -> int:
    """Return a descriptor of an anonymous file with this content, at its start; sealed ones cannot change."""
    flags = os.MFD_CLOEXEC | (os.MFD_ALLOW_SEALING if sealed else 0)
    handle = os.memfd_create(name, flags)
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.lseek(handle, 0, os.SEEK_SET)
    if sealed:
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, seals)
    return handle


def _spawn(control: int, errors: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-s", "-S", "-P", str(settings.WORKER_MAIN), str(control)]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=(control,),
        env=settings.ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(settings.BACKSTOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _root_parent(rung: Rung) -> str | None:
    """Without namespaces the work folders are plain ones: keep them off the disk where there is a tmpfs."""
    shared = Path("/dev/shm")
    return str(shared) if not rung.namespaces and os.access(shared, os.W_OK) else None


def _clear(root: Path) -> None:
    if not root.exists():
        return
    for path in root.iterdir():
        with contextlib.suppress(OSError):
            path.rmdir()
    with contextlib.suppress(OSError):
        root.rmdir()
