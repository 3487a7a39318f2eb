"""Caps and places that the supervisor applies to every check."""

from __future__ import annotations

import site
import sys
import sysconfig
from pathlib import Path

MB = 1 << 20

WORK_MB, WORK_INODES = 64, 2048
STDERR_KEPT = 64 << 10
RESULT_TOTAL = 8 * MB
"""All records of one child; what does not fit goes on in a new child."""
ADVISORY_TOTAL = 4 * MB
COLLECTED_FILE = 16 * MB
COLLECTED_FILES = 64
HEAD = 4000
"""Characters of stdout and stderr that a result keeps."""
OBSERVED = 256 << 10
"""Characters of an observed value that a result keeps; comparison sees all of it."""
START_SECONDS, HELLO_SECONDS, BACKSTOP_SECONDS = 60.0, 30.0, 2.0

WORKER_MAIN = Path(__file__).parent / "worker" / "main.py"

PRELOAD = (
    "abc", "array", "ast", "bisect", "cmath", "collections", "contextlib", "copy", "csv", "datetime", "dataclasses",
    "decimal", "enum", "fractions", "functools", "heapq", "io", "itertools", "json", "math", "operator", "queue",
    "random", "re", "statistics", "string", "struct", "textwrap", "threading", "time", "traceback", "typing",
    "unittest",
)  # fmt: skip
"""Modules that a worker imports once for all programs."""

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "MALLOC_ARENA_MAX": "1",  # one heap for all threads: else their reserved address space eats the memory limit
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""The whole environment of a worker; nothing of the user's own is in it."""

_SYSTEM_PLACES = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo",
    "/etc/localtime",
)  # fmt: skip


def interpreter_places() -> list[str]:
    """Return what must be readable for the interpreter to import its library, without nested entries."""
    wanted: list[str] = list(_SYSTEM_PLACES)
    for key in ("stdlib", "platstdlib"):
        wanted.append(sysconfig.get_path(key))
    for prefix in (sys.base_prefix, sys.base_exec_prefix):
        if prefix not in ("/", "/usr", "/usr/local"):
            wanted.append(str(Path(prefix) / "lib"))
    places: list[str] = []
    for path in sorted({path for path in wanted if Path(path).exists()}, key=len):
        if not any(path.startswith(f"{outer}/") for outer in places):
            places.append(path)
    return places


def package_places() -> list[str]:
    """Return the folders of installed packages that programs may import from."""
    return [path for path in dict.fromkeys(site.getsitepackages()) if Path(path).is_dir()]
