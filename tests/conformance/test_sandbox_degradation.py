"""Lower rungs: features are made to look absent, and the sandbox steps down, says so, and still holds what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from auditcoder.sandbox.probe import probe

EPERM, ENOSYS, EINVAL = 1, 38, 22
_ARM = os.uname().machine == "aarch64"
UNSHARE = (97 if _ARM else 272, EPERM)
MOUNT = (40 if _ARM else 165, EPERM)
LANDLOCK = (444, ENOSYS)
# nosuid, nodev and noexec together: only the mount of /proc asks for these.
PROC = (f"3:14@{MOUNT[0]}", EPERM)
SECCOMP = (f"0:22@{167 if _ARM else 157}", EINVAL)

_SESSION = """
import json, sys
from auditcoder.errors import IsolationTooWeakError
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Limits
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.probe import probe

report = probe()
try:
    SandboxExecutor()
    refused = ""
except IsolationTooWeakError as error:
    refused = str(error)
source = '''
import os, socket, threading
def f(act, path):
    try:
        if act == "honest": return open("/dev/stdin").read() + open(os.devnull).read() == ""
        if act == "read": return len(open(path).read())
        if act == "write": return open(path, "a").write("x")
        if act == "fork":
            pid = os.fork()
            if pid == 0: os._exit(0)
            return os.waitpid(pid, 0)[0]
        if act == "spin":
            while True: pass
        if act == "memory": return len(bytearray(300 << 20))
        if act == "net": return str(socket.socket())
    except OSError as error:
        return "refused"
'''
acts = ["honest", "read", "write", "fork", "net", "memory", "spin", "honest"]
checks = [
    Check(id=str(n), input=FunctionInput(args=(act, sys.argv[1])), expected=Expected(value=True, has_value=True))
    for n, act in enumerate(acts)
]
with SandboxExecutor(minimum_level=0, allow_weak=True) as sandbox:
    limits = Limits(cpu_seconds=0.3, memory_mb=128)
    results = sandbox.run(source, EntryPoint(kind="function", name="f"), checks, limits).results
told = {act: [r.outcome, r.observed] for act, r in zip(acts, results)}
print(json.dumps({"report": report.model_dump(mode="json"), "refused": refused, "acts": told}))
"""


class Machine(NamedTuple):
    id: str
    hidden: tuple[tuple[int | str, int], ...]
    levels: tuple[int, ...]
    held: tuple[str, ...]


ALL = ("read", "write", "fork", "net")
MACHINES = [
    Machine("everything there", (), (4,), ALL),
    Machine("no Landlock", (LANDLOCK,), (3,), ALL),
    Machine("no new /proc, as in a container", (PROC,), (4,), ALL),
    Machine("no namespaces", (UNSHARE,), (2,), ALL),
    Machine("namespaces whose rights are void", (MOUNT,), (2,), ALL),
    # Another uid needs root, and an interpreter that it can read.
    Machine("seccomp alone", (UNSHARE, LANDLOCK), (1, 0), ("fork", "net")),
    Machine("no seccomp", (SECCOMP,), (0,), ()),
    Machine("nothing", (UNSHARE, LANDLOCK, SECCOMP), (0,), ()),
]


@pytest.fixture(scope="module")
def full_level() -> int:
    return probe().level


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.id)
def test_each_rung_gives_what_it_reports(machine: Machine, tmp_path: Path, full_level: int) -> None:
    if full_level < 4 and machine.hidden:
        pytest.skip("this machine lacks features already, hiding one shows nothing")
    planted = tmp_path / "planted"
    planted.write_text("secret")
    told = _session(machine, planted)
    report, acts = told["report"], told["acts"]
    assert report["level"] in machine.levels, report
    for act in machine.held:
        assert acts[act] == ["wrong-answer", "refused"] or act == "read", (act, acts)
    if report["level"] >= 2:
        assert acts["read"] == ["wrong-answer", "refused"]
        assert (planted.read_text(), told["refused"]) == ("secret", "")
    else:
        assert f"isolation level {report['level']}" in told["refused"]
    assert acts["honest"] == ["pass", True]
    assert (acts["memory"][0], acts["spin"][0]) == ("memory", "timeout")
    assert bool(report["missing"]) == (report["level"] < 4 or PROC in machine.hidden), report
    assert report["proc"] == (PROC not in machine.hidden)


def test_the_report_says_how_to_get_more(tmp_path: Path, full_level: int) -> None:
    if full_level < 4:
        pytest.skip("this machine lacks features already")
    (tmp_path / "planted").write_text("secret")
    machine = next(machine for machine in MACHINES if machine.id == "no namespaces")
    missing = " ".join(_session(machine, tmp_path / "planted")["report"]["missing"])
    assert "kernel.unprivileged_userns_clone" in missing
    assert "unshare: Operation not permitted" in missing
    assert "programs can exceed the folder quota" in missing


def _session(machine: Machine, planted: Path) -> dict[str, Any]:
    hide = [f"{call}={error}" for call, error in machine.hidden]
    script = Path(__file__).parent / "hide_features.py"
    command = [sys.executable, str(script), *hide, "--", sys.executable, "-c", _SESSION, str(planted)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told
