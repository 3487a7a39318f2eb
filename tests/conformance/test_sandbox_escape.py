"""Programs that reach for what is outside their check: nothing is read, changed, started or left behind.

Each case returns what it got hold of; an empty answer, or an error, means that it held. They run on every rung
that untrusted code may run on.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import (
    Check,
    Comparator,
    EntryPoint,
    Expected,
    ExpectedFile,
    FilesInput,
    FunctionInput,
    Limits,
    ProgramInput,
    TextFile,
)
from auditcoder.records.values import decode
from auditcoder.sandbox.executor import SandboxExecutor

LIMITS = Limits(cpu_seconds=1.0, memory_mb=128)
FUNCTION = EntryPoint(kind="function", name="f")
PROGRAM = EntryPoint(kind="program")
SCRIPT = EntryPoint(kind="script", outputs=("out.txt",))


class Bait(NamedTuple):
    """Things outside that a program may not touch."""

    folder: str
    planted: str
    port: int
    abstract: str
    supervisor: int


@pytest.fixture
def bait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bait]:
    planted = tmp_path / "planted"
    planted.write_text("sesame")
    planted.chmod(0o644)
    monkeypatch.setenv("AUDITCODER_PLANTED", "sesame")
    name = f"\0auditcoder-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()
        yield Bait(str(tmp_path), str(planted), tcp.getsockname()[1], name[1:], os.getpid())
    assert planted.read_text() == "sesame"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["planted"]


def _call(sandbox: SandboxExecutor, source: str, bait: Bait) -> CheckResult:
    check = Check(id="c", input=FunctionInput(args=tuple(bait)), expected=Expected(value=[], has_value=True))
    return sandbox.run(source, FUNCTION, [check], LIMITS).results[0]


_HEAD = """
import ctypes, os, resource, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def tries(*acts):
    got = []
    for act in acts:
        try: got.append(act())
        except Exception: pass
    return [item for item in got if item not in (None, [], "", -1)]
def f(folder, planted, port, abstract, supervisor):
    worker = os.getppid()
    path = lambda name: folder + "/" + name
"""
ACTS = {
    "host files": "return tries(lambda: open(planted).read(), lambda: os.listdir(folder), "
    "lambda: open('/etc/passwd').read(), lambda: open('/etc/shadow').read(), lambda: os.listdir('/home'))",
    "host files by detours": "os.symlink(planted, 'link')\n    return tries(lambda: open('link').read(), "
    "lambda: open('/proc/self/root' + planted).read(), lambda: open('/proc/1/root' + planted).read(), "
    "lambda: open('../' * 20 + planted).read(), lambda: open('/proc/self/cwd/../../' + planted).read())",
    "writes outside": "return tries(*[lambda p=p: open(p, 'a') and p for p in (planted, path('made'), '/made', "
    "'/etc/made', '/usr/lib/made', os.__file__, '/dev/made', '/proc/self/oom_score_adj_')])",
    "removes and links outside": "return tries(lambda: os.unlink(planted) or 1, lambda: os.rename(planted, 'x') or 1, "
    "lambda: os.link(planted, 'x') or 1, lambda: os.chmod(planted, 0) or 1, lambda: os.mkdir(path('d')) or 1)",
    "environment": "return tries(lambda: os.environ.get('AUDITCODER_PLANTED'), "
    "lambda: [p for p in os.listdir('/proc') if p.isdigit() and p != str(os.getpid()) "
    "and b'PLANTED' in open(f'/proc/{p}/environ', 'rb').read()])",
    "other processes in /proc": "others = (worker, supervisor, 1)\n    return tries("
    "*[lambda p=p: os.listdir(f'/proc/{p}/fd') for p in others], "
    "*[lambda p=p: open(f'/proc/{p}/mem', 'rb').name for p in others], "
    "lambda: open(f'/proc/{worker}/environ').read(), lambda: open(f'/proc/{worker}/maps').read())",
    "loopback": "return tries(lambda: str(socket.create_connection(('127.0.0.1', port), 1)), "
    "lambda: str(socket.socket()), lambda: str(socket.socket(socket.AF_UNIX)), "
    "lambda: str(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)))",
    "abstract and named sockets": "pair = []\n    def send():\n"
    "        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n        pair.extend((a, b))\n"
    "        return a.sendto(b'x', '\\0' + abstract)\n"
    "    def connect():\n        a, b = socket.socketpair()\n        pair.extend((a, b))\n"
    "        return a.connect('\\0' + abstract) or 1\n    return tries(send, connect)",
    "ptrace and process memory": "return tries(*[lambda p=p: libc.ptrace(16, p, 0, 0) + 1 or None for p in (worker, "
    "supervisor)], lambda: libc.process_vm_readv(worker, 0, 0, 0, 0, 0) + 1 or None)",
    "signals to others": "return tries(*[lambda s=s: os.kill(supervisor, s) or 1 for s in (0, signal.SIGTERM)], "
    "lambda: os.killpg(supervisor, signal.SIGTERM) or 1)",
    "limits of others": "import sys\n    return tries(*[lambda p=p: resource.prlimit(p, resource.RLIMIT_CPU, (1, 1)) "
    "for p in (worker, supervisor)], lambda: os.sched_setaffinity(worker, {0}) or 1, "
    "lambda: os.setpriority(os.PRIO_PROCESS, worker, 19) or 1)",
    "a shell or another interpreter": "import subprocess\n    return tries("
    "lambda: subprocess.run(['/bin/sh', '-c', 'echo x'], capture_output=True).stdout.decode(), "
    "lambda: subprocess.run([sys.executable, '-c', '1']).returncode + 1, "
    "lambda: os.posix_spawn('/bin/true', ['true'], {}), lambda: os.execv('/bin/true', ['true']), "
    "lambda: os.system('true') == 0 or None)",
    "multiprocessing": "import multiprocessing\n    def start():\n        p = multiprocessing.Process(target=print)\n"
    "        p.start()\n        p.join()\n        return p.pid\n    return tries(start)",
    "computed names": "name = 'sys' + 'tem'\n    return tries("
    "lambda: getattr(__import__('o' + 's'), name)('true') == 0 or None, "
    "lambda: eval('__imp' + 'ort__(\"os\").fork()'), "
    "lambda: ().__class__.__base__.__subclasses__() and os.popen('echo x').read())",
    "leaked descriptors": "return [n for n in range(4, 1024) if tries(lambda: os.fstat(n).st_mode)]",
    "new namespaces": "return tries(*[lambda k=k: libc.unshare(k) + 1 or None for k in (0x10000000, 0x20000, "
    "0x40000000, 0x20000000)], lambda: libc.mount(b'x', b'/', b'tmpfs', 0, None) + 1 or None, "
    "lambda: libc.chroot(b'/') + 1 or None, lambda: libc.syscall(308, 0, 0) + 1 or None)",
    "identity and rights": "return tries(lambda: os.setuid(0) or (os.getuid() == 0 and os.chown('/', 1, 1) or 1) "
    "if os.getuid() else None, lambda: os.mknod('dev', 0o20666, os.makedev(1, 1)) or 1, "
    "lambda: libc.reboot(0) + 1 or None, lambda: libc.sethostname(b'x', 1) + 1 or None)",
}
RARE = {  # x86_64 and aarch64 number of each; -1: not there
    "io_uring_setup": (425, 425), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "keyctl": (250, 219), "add_key": (248, 217), "memfd_create": (319, 279), "shmget": (29, 194),
    "semget": (64, 190), "msgget": (68, 186), "pidfd_open": (434, 434), "open_by_handle_at": (304, 265),
    "personality": (135, 92), "seccomp": (317, 277), "process_vm_writev": (311, 271), "clone3": (435, 435),
    "fanotify_init": (300, 262), "kcmp": (312, 272), "setns": (308, 268), "an unknown one": (900, 900),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_nothing_outside_can_be_reached(sound_sandbox: SandboxExecutor, name: str, bait: Bait) -> None:
    before = sound_sandbox.worker_pid()
    result = _call(sound_sandbox, _HEAD + "    " + ACTS[name], bait)
    assert result.outcome == "pass", (result.outcome, result.detail, result.message, result.observed)
    assert sound_sandbox.worker_pid() == before


def test_killing_the_worker_is_in_vain(sound_sandbox: SandboxExecutor, bait: Bait) -> None:
    source = "    for number in (15, 9, 11, 6, 2, 1, 19):\n        tries(lambda: os.kill(worker, number))\n"
    source += "    tries(lambda: os.kill(-1, 0), lambda: os.killpg(0, 0))\n    return []"
    before = sound_sandbox.worker_pid()
    _call(sound_sandbox, _HEAD + source, bait)
    assert _call(sound_sandbox, _HEAD + "    return []", bait).outcome == "pass"
    assert sound_sandbox.worker_pid() == before


@pytest.mark.parametrize("name", RARE)
def test_rare_system_calls_are_refused(sandbox: SandboxExecutor, name: str) -> None:
    if not sandbox.isolation().seccomp:
        pytest.skip("no seccomp on this machine")
    number = RARE[name][os.uname().machine == "aarch64"]
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def f(n):\n    return [libc.syscall(n, 0, 0, 0, 0, 0, 0), ctypes.get_errno() in (1, 38)]"
    )
    check = Check(id="c", input=FunctionInput(args=(number,)), expected=Expected(value=[-1, True], has_value=True))
    assert sandbox.run(source, FUNCTION, [check], LIMITS).results[0].outcome == "pass"


OUTPUTS = {
    "symbolic link": "import os\nos.symlink('/etc/passwd', 'out.txt')",
    "link to an input": "import os\ntry: os.link('in.txt', 'out.txt')\nexcept OSError: os.symlink('in.txt', 'out.txt')",
    "FIFO": "import os\nos.mkfifo('out.txt')",
    "folder": "import os\nos.mkdir('out.txt')",
    "two links": "import os\nopen('x', 'w').write('data\\n')\nos.link('x', 'out.txt')",
    "folder link on the way": "import os\nos.symlink('/etc', 'sub')",
    "not written": "pass",
}


def _script(program: str, sandbox: SandboxExecutor, outputs: tuple[str, ...] = ("out.txt",)) -> CheckResult:
    check = Check(
        id="c",
        input=FilesInput(files=(TextFile(name="in.txt", text="data\n"),)),
        expected=Expected(files=tuple(ExpectedFile(name=name, text="data\n") for name in outputs)),
        comparator=Comparator(kind="file"),
    )
    return sandbox.run(program, SCRIPT, [check], LIMITS).results[0]


@pytest.mark.parametrize("name", OUTPUTS)
def test_only_plain_files_are_collected(sound_sandbox: SandboxExecutor, name: str) -> None:
    outputs = ("sub/passwd",) if name == "folder link on the way" else ("out.txt",)
    result = _script(OUTPUTS[name], sound_sandbox, outputs)
    assert (result.outcome, result.observed) == ("wrong-answer", []), result


@pytest.mark.parametrize("name", ["../out.txt", "/etc/passwd", "a/../../x", "./in.txt", ""])
def test_output_names_stay_inside(sandbox: SandboxExecutor, name: str) -> None:
    result = _script("open('out.txt', 'w').write('data\\n')", sandbox, (name,))
    assert result.outcome != "pass"


def test_input_files_are_read_only_and_outputs_collected(sandbox: SandboxExecutor) -> None:
    copy = "open('out.txt', 'w').write(open('in.txt').read())"
    assert _script(copy, sandbox).outcome == "pass"
    for act in ("open('in.txt', 'a')", "import os; os.unlink('in.txt')", "import os; os.chmod('in.txt', 0o777)"):
        result = _script(act, sandbox)
        assert result.outcome == "runtime-error", (act, result)


UNDELETABLE = (
    "import os\nfor n in range(1500):\n    os.mkdir('d')\n    os.chdir('d')\nopen('x', 'w').close()\n"
    "os.chmod('x', 0)\nos.chmod('.', 0)\nprint('done')"
)
LEAVES = {
    "files": ("open('kept', 'w').close()\nprint(1)", "import os\nprint(len(os.listdir('.')))"),
    "files in /tmp": (
        "import tempfile, os\nopen(os.path.join(tempfile.gettempdir(), 'kept'), 'w').close()\nprint(1)",
        "import tempfile, os\nprint(len(os.listdir(tempfile.gettempdir())))",
    ),
    "patched modules": ("import math\nmath.sqrt = None\nprint(1)", "import math\nprint(int(math.sqrt(0)))"),
    "environment": (
        "import os\nos.environ['KEPT'] = '1'\nprint(1)",
        "import os\nprint(len(os.environ.get('KEPT', '')))",
    ),
    "IPC objects": (
        "import ctypes\nprint(ctypes.CDLL(None).shmget(4242, 64, 0o1666))",
        "import ctypes\nprint(ctypes.CDLL(None).shmget(4242, 64, 0o666) + 1)",
    ),
    "undeletable trees": (UNDELETABLE, "import os\nprint(len(os.listdir('.')))"),
    "threads and processes": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\nprint(1)",
        "import threading\nprint(threading.active_count() - 1)",
    ),
    "random state": (
        "import random\nrandom.seed(5)\nprint(1)",
        "import random\nx = random.random()\nprint(int(x == 0.6229016948897019))",
    ),
}


@pytest.mark.parametrize("name", LEAVES)
def test_no_state_between_checks(sound_sandbox: SandboxExecutor, name: str) -> None:
    check = Check(
        id="c", input=ProgramInput(stdin=""), expected=Expected(stdout="0\n"), comparator=Comparator(kind="lines")
    )
    first, second = LEAVES[name]
    before = sound_sandbox.run(first, PROGRAM, [check], LIMITS).results[0]
    assert before.outcome in ("wrong-answer", "runtime-error"), before
    assert sound_sandbox.run(second, PROGRAM, [check], LIMITS).results[0].outcome == "pass"


def test_expected_values_and_other_inputs_are_not_in_the_process(sandbox: SandboxExecutor) -> None:
    """A child sees its own request only: nothing of earlier programs, and no expected value."""
    earlier = Check(id="a", input=ProgramInput(stdin="sesame-71"), expected=Expected(stdout="sesame-72\n"))
    sandbox.run("# sesame-73\nprint(input())", PROGRAM, [earlier], LIMITS)
    source = (
        "import re\ndef f():\n    found = set()\n    for line in open('/proc/self/maps'):\n"
        "        span, mode = line.split()[:2]\n"
        "        if 'r' not in mode or line.rstrip().endswith(('[vvar]', '[vsyscall]', '[vvar_vclock]')): continue\n"
        "        a, b = (int(x, 16) for x in span.split('-'))\n        with open('/proc/self/mem', 'rb') as m:\n"
        "            m.seek(a)\n            data = m.read(b - a)\n"
        "        found.update(re.findall(b'sesa[m]e-7[0-9]', data))\n    return sorted(found)"
    )
    check = Check(id="b", input=FunctionInput(), expected=Expected(value="sesame-74", has_value=True))
    result = sandbox.run(source, FUNCTION, [check], Limits(cpu_seconds=3, memory_mb=512)).results[0]
    if result.detail == "FileNotFoundError":
        pytest.skip("no /proc in the sandbox on this machine")
    observed: Any = decode(result.observed)
    assert result.outcome == "wrong-answer", result
    assert observed == []
