"""The self-test of a rung: forbidden acts are tried in a child and must fail; a few ordinary ones must work."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditcoder.records.task import Check, EntryPoint, Limits
from auditcoder.records.values import decode, encode
from auditcoder.sandbox.child_run import WorkerLostError, run_child
from auditcoder.sandbox.requests import Job
from auditcoder.sandbox.worker_process import WorkerProcess

FORBIDDEN = (
    "read a host file", "write a host file", "make a host file", "change the mode of a host file",
    "connect to loopback", "start a process", "run a command", "signal the worker", "limit the worker",
    "enter a namespace", "use shared memory outside the limit", "leave a file behind", "exceed the folder quota",
)  # fmt: skip
ORDINARY = ("import from the library", "start a thread", "use a temporary file", "open /dev/stdin")

_PROGRAM = """
import ctypes, os, resource, signal, socket, tempfile, threading

libc = ctypes.CDLL(None, use_errno=True)

def attempt(act):
    try:
        return bool(act())
    except Exception:
        return False

def write(path, flags):
    handle = os.open(path, os.O_WRONLY | flags)
    return os.write(handle, b"overwritten") > 0

def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[0] == pid

def command():
    return os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1] == 0

def thread():
    done = []
    worker = threading.Thread(target=done.append, args=(1,))
    worker.start()
    worker.join()
    return done == [1]

def temporary():
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
        file.seek(0)
        return file.read() == "x"

def no_quota():
    facts = os.statvfs(".")
    return facts.f_blocks * facts.f_frsize > 65 << 20 or not facts.f_files

def acts(planted, folder, port):
    worker = os.getppid()
    left = os.path.exists("left-behind")
    open("left-behind", "w").close()
    return {
        "read a host file": attempt(lambda: open(planted).read()),
        "write a host file": attempt(lambda: write(planted, 0)),
        "make a host file": attempt(lambda: write(folder + "/made", os.O_CREAT)),
        "change the mode of a host file": attempt(lambda: os.chmod(planted, 0o640) is None),
        "connect to loopback": attempt(lambda: socket.create_connection(("127.0.0.1", port), 1)),
        "start a process": attempt(fork),
        "run a command": attempt(command),
        "limit the worker": attempt(lambda: resource.prlimit(worker, resource.RLIMIT_CORE, (0, 0)) is not None),
        "enter a namespace": attempt(lambda: libc.unshare(0x10000000) == 0),
        "use shared memory outside the limit": attempt(lambda: libc.shmget(0, 4096, 0o1600) >= 0),
        "leave a file behind": left,
        "exceed the folder quota": attempt(no_quota),
        "import from the library": attempt(lambda: __import__("colorsys")),
        "start a thread": attempt(thread),
        "use a temporary file": attempt(temporary),
        "open /dev/stdin": attempt(lambda: open("/dev/stdin").read() == ""),
    }

def strike():
    os.kill(os.getppid(), signal.SIGTERM)
"""


class Observation(NamedTuple):
    """What a child managed to do."""

    broken: tuple[str, ...]
    """Forbidden acts that succeeded."""
    unusable: tuple[str, ...]
    """Ordinary acts that failed."""


def observe(worker: WorkerProcess) -> Observation:
    """Return what a child of this worker managed to do.

    Raises:
        WorkerLostError: the worker broke on ordinary requests.
    """
    with _bait() as (planted, folder, port):
        arguments = [encode(str(planted)), encode(str(folder)), port]
        _call(worker, "acts", arguments)
        done = _call(worker, "acts", arguments)
        changed = planted.read_text() != "secret" or list(folder.iterdir()) != [planted]
    broken = [act for act in FORBIDDEN if done.get(act)]
    if changed and "write a host file" not in broken:
        broken.append("write a host file")
    unusable = [act for act in ORDINARY if not done.get(act)]
    if not _survives_signal(worker):
        broken.append("signal the worker")
    return Observation(tuple(broken), tuple(unusable))


@contextlib.contextmanager
def _bait() -> Iterator[tuple[Path, Path, int]]:
    with tempfile.TemporaryDirectory(prefix="auditcoder-bait-") as name, socket.create_server(("127.0.0.1", 0)) as trap:
        folder = Path(name)
        folder.chmod(0o755)  # as readable as most of a home folder; only its owner may write
        planted = folder / "planted"
        planted.write_text("secret")
        planted.chmod(0o644)
        yield planted, folder, trap.getsockname()[1]


def _call(worker: WorkerProcess, name: str, arguments: Sequence[object]) -> dict[str, bool]:
    check = Check.model_validate({"id": name, "input": {"kind": "function", "args": tuple(arguments)}, "expected": {}})
    limits = Limits(cpu_seconds=2.0, memory_mb=256)
    order, records = Job(_PROGRAM, EntryPoint(kind="function", name=name), limits).order([check])
    run_child(worker, order, records)
    value = decode(records.items[0].value) if records.items else None
    return value if isinstance(value, dict) else {}


def _survives_signal(worker: WorkerProcess) -> bool:
    """Return whether the worker still works after its child signalled it; a lost worker is the answer no."""
    try:
        _call(worker, "strike", [])
        return bool(_call(worker, "acts", [encode(os.devnull), encode(os.devnull), 1]))
    except WorkerLostError:
        return False
